"""What the runner of GitHub Actions gives a step: variables, and files that collect its output."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, MutableMapping
from pathlib import Path

RUNNER_PREFIXES = ("ACTIONS_", "GITHUB_", "INPUT_", "RUNNER_")


def take_variables(environment: MutableMapping[str, str]) -> dict[str, str]:
    """Remove the runner's variables from ``environment`` and return them.

    Whatever is started afterwards inherits no token and no path of a file that the runner reads.
    """
    names = [name for name in environment if name.upper().startswith(RUNNER_PREFIXES)]
    return {name: environment.pop(name) for name in names}


def outputs_text(outputs: Mapping[str, str]) -> str:
    """Return ``outputs`` as the runner reads them, each between lines that no value can contain."""
    told = []
    for name, value in outputs.items():
        mark = f"end-of-{name}-{secrets.token_hex(16)}"
        told.append(f"{name}<<{mark}\n{value}\n{mark}\n")
    return "".join(told)


def append(file: str | None, text: str) -> None:
    """Append ``text`` to a file of the runner; do nothing where there is no such file."""
    if file:
        with Path(file).open("a", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
