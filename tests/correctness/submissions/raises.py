"""Fails when it is called."""


def chain(x):
    return x.undefined_method()
