"""Read the small files that an LMS writes beside the submissions; never more than they may hold."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping

import yaml

from grader.classroom.limits import METADATA_BYTES
from grader.classroom.listing import Entry
from grader.errors import CourseConfigError

# libyaml where PyYAML has it: a class of 1,000 with its history is some megabytes.
# Base loaders keep every value as text: an id of 007 stays one, and no tag builds anything.
_Loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


def read_yaml(entry: Entry) -> object:
    """Return the YAML document of ``entry``; every scalar is text.

    Raises CourseConfigError with the line of the first error.
    """
    text = read_text(entry)
    try:
        if any(isinstance(e, yaml.AliasEvent) for e in yaml.parse(text, Loader=_Loader)):
            raise CourseConfigError(
                "the LMS's list uses YAML aliases", file=entry.shown, wanted="the file as exported"
            )
        return yaml.load(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise CourseConfigError(
            "the LMS's list is not valid YAML", file=entry.shown, line=line, found=error.problem
        ) from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise CourseConfigError("the LMS's list cannot be read", file=entry.shown) from error


def read_json(entry: Entry) -> Mapping[str, object]:
    """Return the JSON object of ``entry``, empty if it is none: students can write this file."""
    try:
        read = json.loads(read_text(entry))
    except (CourseConfigError, ValueError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}


def read_csv(entry: Entry) -> tuple[Mapping[str, str], ...]:
    """Return the rows of ``entry``, each a mapping of header to text.

    Raises CourseConfigError if it is no CSV.
    """
    try:
        rows = csv.DictReader(io.StringIO(read_text(entry), newline=""), restval="")
        return tuple({k: v for k, v in row.items() if isinstance(k, str)} for row in rows)
    except csv.Error as error:
        raise CourseConfigError(
            "the LMS's table cannot be read", file=entry.shown, found=str(error)
        ) from error


def read_text(entry: Entry) -> str:
    """Return the text of ``entry``; raises CourseConfigError if it is too large or not there."""
    if entry.path is None or entry.size > METADATA_BYTES:
        raise CourseConfigError(
            "the LMS's list is too large or cannot be read",
            file=entry.shown,
            wanted=f"at most {METADATA_BYTES:,} bytes",
        )
    try:
        data = entry.path.read_bytes()
    except OSError as error:
        raise CourseConfigError(
            "the LMS's list cannot be read", file=entry.shown, found=error.strerror
        ) from error
    return data.decode("utf-8-sig", "replace")
