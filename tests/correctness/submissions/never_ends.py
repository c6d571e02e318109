"""Loops while it is imported."""

while True:
    pass
