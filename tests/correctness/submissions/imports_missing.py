"""Imports a package that nobody has."""

import a_package_that_nobody_has


def chain(x):
    return a_package_that_nobody_has.relu(x)
