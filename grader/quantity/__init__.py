"""Every number a student writes: read exactly, compared exactly, printed back.

|x| is the size of the tensor in bytes: numel × bytes per element. ``8``, ``8×``, ``8|x|``,
``16·numel B`` and ``16 bytes per element`` (of two-byte elements) are one value.
"""

from grader.quantity.compare import fingerprint, rounds_to, same, show
from grader.quantity.mentions import Mention, mentions
from grader.quantity.reading import Reading, read, read_pair
from grader.quantity.units import Dimension, Quantity

__all__ = [
    "Dimension",
    "Mention",
    "Quantity",
    "Reading",
    "fingerprint",
    "mentions",
    "read",
    "read_pair",
    "rounds_to",
    "same",
    "show",
]
