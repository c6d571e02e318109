"""Triton's intermediate representation, read as text and run with every access counted.

The text is data: it comes from a process that ran a student's code, and nothing in it is trusted.
Running it here, and not there, is what makes the byte counts impossible to talk down.
"""
