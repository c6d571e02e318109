"""Methods of plain values and of unknown ones, and the calls through which results leave."""

from __future__ import annotations

import re
from typing import Any

from grader.discipline.static import calls
from grader.discipline.static.library import statistics
from grader.discipline.static.machine import Machine
from grader.discipline.static.values import Array, Opaque, samples_of, text_of

# names of methods and functions that print, write, plot or send what they are given
REPORTING = frozenset((
    "write", "writelines", "writerow", "writerows", "write_text", "dump", "to_csv", "to_json",
    "to_excel", "to_markdown", "savefig", "print", "pprint", "info", "debug", "warning", "error",
    "critical", "log", "echo", "secho", "plot", "bar", "scatter", "add_row", "add_scalar", "show",
    "append_row", "save", "savetxt", "loglog", "semilogx", "semilogy", "barh", "errorbar",
    "log_metric", "log_metrics", "put", "send", "exception", "to_string", "hist", "boxplot",
    "text", "annotate", "title", "export", "report", "print_table", "add_scalars", "dumps_to",
))  # fmt: skip
_SAFE_TEXT = frozenset((
    "strip", "lstrip", "rstrip", "lower", "upper", "title", "split", "rsplit", "splitlines",
    "startswith", "endswith", "replace", "partition", "rpartition", "removeprefix",
    "removesuffix", "isdigit", "capitalize", "find", "count", "encode", "decode", "isalnum",
    "index", "swapcase", "isidentifier", "islower", "isupper",
))  # fmt: skip
_SAFE_LIST = frozenset(("append", "extend", "pop", "insert", "reverse", "clear", "copy",
                        "index", "count"))  # fmt: skip
_WIDE = re.compile(r"\d{4,}")


def call(m: Machine, this: Any, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """Call a method of a plain or unknown value."""
    if isinstance(this, str):
        return _of_text(m, this, name, arguments, keywords)
    if isinstance(this, dict):
        return _of_dict(m, this, name, arguments, keywords)
    if isinstance(this, list):
        return _of_list(m, this, name, arguments, keywords)
    values = [this, *arguments, *keywords.values()]
    if name in REPORTING and samples_of(values):
        return report(m, name, values, {})
    if isinstance(this, int) and name == "bit_length":
        return this.bit_length()
    if isinstance(this, tuple) and name in ("index", "count") and arguments:
        return Opaque()
    from grader.discipline.static.library import registry

    return registry.unknown(m, this, arguments, keywords)


def report(m: Machine, name: str, arguments: list[Any], keywords: dict[str, Any]) -> Any:
    """What is given leaves the script."""
    values = [calls.shown(m, v) for v in [*arguments, *keywords.values()]]
    m.report("print" if name in ("print", "echo", "secho", "info", "log") else "file",
             Opaque(samples_of(values), text_of(values)))  # fmt: skip
    return Opaque(samples_of(values))


def _of_text(
    m: Machine, this: str, name: str, arguments: list[Any], keywords: dict[str, Any]
) -> Any:
    values = [calls.shown(m, v) for v in [*arguments, *keywords.values()]]
    samples = samples_of(values)
    if name == "join":
        items = calls.items_of(m, arguments[0]) if arguments else None
        if items is not None and all(isinstance(i, str) for i in items) and len(items) < 1000:
            return this.join(items)
        words = [text_of(i) for i in items or ()]
        return Opaque(samples, this.join(words)[:2000])
    if name == "format":
        return _formatted(this, arguments, keywords, samples)
    if name in _SAFE_TEXT and all(isinstance(v, (str, int, type(None), tuple)) for v in values):
        try:
            return getattr(this, name)(*arguments, **keywords)
        except Exception:
            return Opaque(samples, this)
    return Opaque(samples, this[:2000])


def _formatted(text: str, arguments: list[Any], keywords: dict[str, Any], samples: Any) -> Any:
    values = [*arguments, *keywords.values()]
    simple = all(isinstance(v, (str, int, float, bool)) for v in values)
    if simple and not _WIDE.search(text) and len(text) < 20_000 and _harmless(text):
        try:
            return text.format(*arguments, **keywords)
        except Exception:
            return Opaque(samples, text)
    return Opaque(samples, text[:2000] + " ".join(text_of(v) for v in values)[:2000])


def _harmless(text: str) -> bool:
    """Only plain fields: no attributes, items or nested widths."""
    return not re.search(
        r"\{[^{}]*[.\[][^{}:]*[\]}]|\{[^{}]*\{", text.replace("{{", "").replace("}}", "")
    )


def _of_list(
    m: Machine, this: list[Any], name: str, arguments: list[Any], keywords: dict[str, Any]
) -> Any:
    m.changes += 1
    if name == "sort":
        this[:] = statistics.in_order(this)
        if keywords.get("reverse") is True:
            this.reverse()
        return None
    if name == "remove":
        at = next((i for i, v in enumerate(this) if samples_of(v) and statistics.in_order(this)), 0)
        worst = max(range(len(this)), key=lambda i: _is_cold(this[i]), default=at)
        if this:
            del this[worst]
        return None
    if name in statistics.NAMES and isinstance(this, Array):
        return statistics.apply(m, name, [this, *arguments], keywords)
    if name == "appendleft":
        this.insert(0, *arguments[:1])
        return None
    if name == "popleft":
        return this.pop(0) if this else Opaque()
    if name == "extend" and arguments:
        this.extend(calls.items_of(m, arguments[0]) or ())
        return None
    if name in _SAFE_LIST and len(this) < 100_000:
        try:
            return getattr(this, name)(*arguments)
        except Exception:
            return Opaque(samples_of(this))
    return Opaque(samples_of(this))


def _is_cold(value: Any) -> bool:
    return any(sample.cold for sample in samples_of(value))


def _of_dict(
    m: Machine, this: dict[Any, Any], name: str, arguments: list[Any], keywords: dict[str, Any]
) -> Any:
    m.changes += 1
    key = calls.key_of(arguments[0]) if arguments else None
    if name == "get":
        return this.get(key, arguments[1] if len(arguments) > 1 else None)
    if name == "items":
        return list(this.items())
    if name in ("keys", "values", "copy"):
        return {"keys": list(this), "values": list(this.values()), "copy": dict(this)}[name]
    if name == "update":
        for other in [*arguments, keywords]:
            this.update(other if isinstance(other, dict) else {})
        return None
    if name == "setdefault":
        return this.setdefault(key, arguments[1] if len(arguments) > 1 else None)
    if name == "pop":
        return this.pop(key, arguments[1] if len(arguments) > 1 else Opaque())
    if name == "clear":
        this.clear()
        return None
    return Opaque(samples_of(this))
