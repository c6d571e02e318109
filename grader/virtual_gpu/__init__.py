"""A simulated GPU with its own clock, on which an unmodified timing script runs without a GPU.

run      the judge's side: files in, trace out
tasks    the jailed side
session  one run: installs every stand-in, executes the script, collects the record
device   host and stream clocks that advance only by rule
recorder readings become durations, durations become groups
"""
