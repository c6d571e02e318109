"""Build the Gradescope autograder: ``python integrations/gradescope/build.py [--rubric FILE]``."""

from __future__ import annotations

import argparse
import json
import sys
import tomllib
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parent.parent
LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the same source, the same bytes
PROGRAMS = ("setup.sh", "run_autograder", "grade.py")
EXECUTABLE, ORDINARY = 0o755, 0o644
KEPT = (".py", ".j2", ".css", ".js", ".yaml", ".json", ".svg")
ANSWERS_ONLY_SECONDS, WITH_CODE_SECONDS = 120, 480


def main(arguments: list[str] | None = None) -> int:
    """Write the zip that is uploaded as an assignment's autograder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rubric", type=Path, help="a rubric file of your own")
    parser.add_argument("--out", type=Path, default=SOURCE / "build" / "gradescope.zip")
    parser.add_argument(
        "--with-code",
        action="store_true",
        help="examine kernels and timing scripts too; needs a larger container",
    )
    parser.add_argument(
        "--accept-proposals",
        action="store_true",
        help="count the proposed points of items that wait for a person",
    )
    parser.add_argument("--seconds", type=float, help="stop grading a submission after this time")
    told = parser.parse_args(arguments)
    if told.rubric and not told.rubric.is_file():
        parser.error(f"no such rubric file: {told.rubric}")
    files = dict(_files(told))
    told.out.parent.mkdir(parents=True, exist_ok=True)
    write_zip(told.out, files)
    print(f"{told.out}: {len(files)} files, {told.out.stat().st_size / 1e6:.2f} MB")
    return 0


def write_zip(out: Path, files: Mapping[str, bytes]) -> None:
    """Write ``files`` in order of name; the same files give the same bytes."""
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, LONG_AGO)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (EXECUTABLE if name in PROGRAMS else ORDINARY) << 16
            archive.writestr(entry, files[name])


def _files(told: argparse.Namespace) -> Iterator[tuple[str, bytes]]:
    for name in PROGRAMS:
        yield name, (HERE / name).read_bytes()
    yield "LICENSE", (SOURCE / "LICENSE").read_bytes()
    yield "requirements.txt", "\n".join([*_requirements(told.with_code), ""]).encode()
    for folder in ("grader", "rubrics"):
        yield from _folder(SOURCE / folder, folder)
    settings = {
        "code": told.with_code,
        "accept_proposals": told.accept_proposals,
        "device": "cpu" if told.with_code else "none",
        "seconds": told.seconds
        or float(WITH_CODE_SECONDS if told.with_code else ANSWERS_ONLY_SECONDS),
    }
    if told.rubric:
        # its own folder, as the rubric's hash counts the lexicon beside it
        settings["rubric"] = f"course/{told.rubric.name}"
        yield settings["rubric"], told.rubric.read_bytes()
        yield from _folder(told.rubric.resolve().parent / "lexicon", "course/lexicon")
    yield "course.json", (json.dumps(settings, indent=1) + "\n").encode()


def _folder(folder: Path, name: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a folder that the grader needs."""
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if path.is_file() and "__pycache__" not in inside.parts and path.suffix in KEPT:
            yield f"{name}/{inside.as_posix()}", path.read_bytes()


def _requirements(with_code: bool) -> list[str]:
    """Return what the grader declares that it needs."""
    project = tomllib.loads((SOURCE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    more = project["optional-dependencies"]["kernels"] if with_code else []
    return [*project["dependencies"], *more]


if __name__ == "__main__":
    sys.exit(main())
