"""Grade GPU-performance exercises: bytes, timing discipline and the words around them."""

__version__ = "0.1.0"
