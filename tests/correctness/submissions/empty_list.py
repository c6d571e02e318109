"""Returns an empty list."""


def chain(x):
    return []
