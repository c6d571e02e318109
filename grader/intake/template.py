"""Write an empty submission to fill in, from the sheet and the starter files of a rubric."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from grader.errors import CourseConfigError
from grader.rubric.loader import data_folder
from grader.rubric.schema import Field, Rubric, Section


def write_template(
    folder: Path, rubric: Rubric, *, as_yaml: bool = True, with_code: bool = False
) -> tuple[Path, ...]:
    """Write the empty answer sheet, and the starter code if asked for; return the files.

    Raises CourseConfigError rather than write over a file that is there.
    """
    files = {"answers.yaml": yaml_template(rubric)}
    if not as_yaml:
        files = {"answers.md": markdown_template(rubric)}
    if with_code:
        files |= _starter(rubric)
    paths = {folder / name: text for name, text in files.items()}
    for path in paths:
        if path.exists():
            raise CourseConfigError("will not write over a file that is there", file=str(path))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, text in paths.items():
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CourseConfigError(
            "the folder cannot be written", file=str(folder), found=error.strerror
        ) from None
    return tuple(paths)


def _starter(rubric: Rubric) -> dict[str, str]:
    folder = data_folder("rubrics") / "starter" / rubric.id
    files = {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.py"))}
    if not files:
        raise CourseConfigError("this rubric has no starter code", file=str(folder))
    return files


# YAML


def yaml_template(rubric: Rubric) -> str:
    """Return the empty YAML sheet."""
    lines = [f"# {rubric.sheet.title}", 'student: {id: "", name: ""}']
    for section in rubric.sheet.sections:
        lines.append(f"{section.key}:")
        lines += _yaml_section(section)
    return "\n".join(lines) + "\n"


def _yaml_section(section: Section) -> Iterator[str]:
    group = ""
    for field in section.fields:
        path = field.key.removeprefix(section.key).lstrip(".").split(".")
        if len(path) > 1 and path[0] != group:
            yield f"  {path[0]}:"
        group = path[0] if len(path) > 1 else ""
        yield from _yaml_field(field, path[-1], "    " if group else "  ")


def _yaml_field(field: Field, name: str, indent: str) -> Iterator[str]:
    hint = f"  # {field.hint}" if field.hint else ""
    if field.kind == "pair":
        inside = ", ".join(f"{c.key}: " for c in field.columns)
        yield f"{indent}{name}: {{{inside}}}{hint}"
    elif field.kind == "rows":
        yield f"{indent}{name}:{hint}"
        for given in field.given or ({},) * field.blank_rows:
            cells = ", ".join(f"{c.key}: {_plain(given, c.key)}" for c in field.columns)
            yield f"{indent}  - {{{cells}}}"
    elif field.kind == "entries":
        for _ in range(field.blank_rows):
            for number, column in enumerate(field.columns):
                yield f"{indent}{'  ' if number else '- '}{column.key}:"
    elif field.kind == "prose":
        yield f"{indent}{name}: |{hint}"
        yield f"{indent}  "
    else:
        choices = f"  # {' | '.join(field.choices)}" if field.choices else ""
        yield f"{indent}{name}:{hint or choices}"


def _plain(given: dict[str, str], key: str) -> str:
    value = given.get(key, "")
    return f'"{value}"' if "," in value else value


# Markdown


def markdown_template(rubric: Rubric) -> str:
    """Return the empty Markdown sheet."""
    blocks = [f"# {rubric.sheet.title}", "Student:"]
    for section in rubric.sheet.sections:
        blocks.append(f"## {section.heading}")
        blocks += [_markdown_field(field) for field in section.fields]
    return "\n\n".join(blocks) + "\n"


def _markdown_field(field: Field) -> str:
    names = [column.key for column in field.columns]
    if field.kind == "rows":
        rows: list[dict[str, str]] = list(field.given) or [{}] * field.blank_rows
        cells = [[row.get(name, " ") for name in names] for row in rows]
        table = [names, ["---"] * len(names), *cells]
        return "\n".join(f"| {' | '.join(row)} |" for row in table)
    if field.kind == "entries":
        return "\n".join(_markdown_entry(n, names) for n in range(1, field.blank_rows + 1))
    if field.heading:
        return f"### {field.label}"
    return f"{field.label}:{'  /' if field.kind == 'pair' else ''}"


def _markdown_entry(number: int, names: list[str]) -> str:
    lines = [f"**{name.capitalize()}:**" for name in names]
    return "\n   ".join([f"{number}. {lines[0]}", *lines[1:]])
