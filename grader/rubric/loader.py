"""Find and load a rubric by id or by path, with errors that name the line to mend."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

import yaml
from pydantic import JsonValue, TypeAdapter, ValidationError

from grader.errors import CourseConfigError
from grader.rubric.lexicon import Lexicon
from grader.rubric.schema import Rubric

DEFAULT = "fusion-byte-ledger"
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def data_folder(name: str) -> Path:
    """Return the folder ``rubrics`` or ``reference``, in a checkout or in an installed wheel."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "_data" / name
    return installed if installed.is_dir() else package.parent / name


def available() -> dict[str, Path]:
    """Return the rubric files that come with the grader, by id."""
    return {p.stem.replace("_", "-"): p for p in sorted(data_folder("rubrics").glob("*.yaml"))}


def load_rubric(name: str = DEFAULT) -> Rubric:
    """Load a rubric by id or by path.

    Raises CourseConfigError if there is no such rubric or its file is not sound.
    """
    path = available().get(name, Path(name))
    if not path.is_file():
        raise CourseConfigError(
            "no such rubric", found=name, wanted=f"a file or one of {', '.join(available())}"
        )
    sources = (path.resolve(), *_lexicons())
    return _load(sources, tuple(source.stat().st_mtime_ns for source in sources))


def _lexicons() -> list[Path]:
    return sorted((data_folder("rubrics") / "lexicon").glob("*.yaml"))


@lru_cache(maxsize=8)
def _load(sources: tuple[Path, ...], _changed: tuple[int, ...]) -> Rubric:
    path, *lexicons = sources
    source = path.read_bytes()
    data = read_yaml_config(source.decode(), str(path))
    digest = hashlib.sha256(source)
    for lexicon in lexicons:
        digest.update(lexicon.read_bytes())
    try:
        rubric = Rubric.model_validate_json(TypeAdapter(JsonValue).dump_json(data))
    except ValidationError as error:
        raise _in_own_words(error, str(path), source.decode()) from None
    return rubric.model_copy(update={"hash": digest.hexdigest()[:12]})


def load_lexicon(rubric: Rubric) -> Lexicon:
    """Load the wordings that a rubric names, from the ``lexicon`` folder beside the rubrics."""
    return _load_lexicon(rubric.lexicon, rubric.hash)


@lru_cache(maxsize=8)
def _load_lexicon(names: tuple[str, ...], _hash: str) -> Lexicon:
    folder = data_folder("rubrics") / "lexicon"
    return Lexicon.load([folder / f"{name}.yaml" for name in names])


def read_yaml_config(text: str, file: str) -> JsonValue:
    """Return an instructor's YAML file as plain data; raises CourseConfigError with the line."""
    try:
        loaded = yaml.load(text, Loader=_Loader)
        return TypeAdapter(JsonValue).validate_python(loaded)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        raise CourseConfigError(
            f"not valid YAML: {error.problem}",
            file=file,
            line=mark.line + 1 if mark else None,
            column=mark.column + 1 if mark else None,
        ) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise CourseConfigError(f"not a plain YAML file: {error}", file=file) from None


def _in_own_words(error: ValidationError, file: str, source: str) -> CourseConfigError:
    first = error.errors()[0]
    path = tuple(first["loc"])
    return CourseConfigError(
        f"{'.'.join(str(p) for p in path)}: {first['msg'].lower()}",
        file=file,
        line=_line_of(yaml.compose(source, Loader=_Loader), path),
        found=repr(first["input"])[:80],
    )


def _line_of(node: yaml.Node | None, path: tuple[int | str, ...]) -> int | None:
    """Return the line of the deepest node that ``path`` reaches."""
    line = node.start_mark.line + 1 if node is not None else None
    for step in path:
        if isinstance(node, yaml.MappingNode):
            node = next((v for k, v in node.value if k.value == str(step)), None)
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int):
            node = node.value[step] if step < len(node.value) else None
        else:
            node = None
        if node is None:
            return line
        line = node.start_mark.line + 1
    return line
