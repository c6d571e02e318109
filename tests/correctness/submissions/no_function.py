"""Defines nothing to call."""


def two_things(x, y):
    return x
