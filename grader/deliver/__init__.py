"""Marks back where they belong: one total, one module for each format."""

from grader.deliver.export import Absent, ExportSummary, export
from grader.deliver.formats import FORMATS, Format
from grader.deliver.record import Graded, from_entry, from_gradebook

__all__ = [
    "FORMATS",
    "Absent",
    "ExportSummary",
    "Format",
    "Graded",
    "export",
    "from_entry",
    "from_gradebook",
]
