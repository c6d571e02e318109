"""Run a function on a device that is not there, and write down what it asks for.

Tensors have shapes, types and addresses but no contents, so a recorded function cannot look at
the data it will be judged on.
"""
