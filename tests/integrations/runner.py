"""Runs steps of an action as the runner of GitHub Actions does: expressions, files, log commands."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "submissions_example"
ANSWERS_SECONDS = 60
_EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")
# both forms that the runner obeys, at the start of a line and behind blanks
_COMMAND = re.compile(
    r"\s*(?:::|##\[)(?P<name>[\w-]+)(?P<properties>[^\]:]*|.*?)(?:::|\])(?P<data>.*)"
)


@dataclass(frozen=True)
class Command:
    """A workflow command that the runner obeyed."""

    name: str
    properties: dict[str, str]
    data: str


@dataclass(frozen=True)
class Step:
    """What a step left behind: its status, its log, what the runner took from it."""

    status: int
    log: str
    commands: tuple[Command, ...]
    outputs: dict[str, str]
    summary: str

    def named(self, name: str) -> list[Command]:
        return [command for command in self.commands if command.name == name]


@dataclass
class Runner:
    """One job: a checkout, a temporary folder and the outputs of the steps so far."""

    workspace: Path
    temp: Path
    inputs: dict[str, str] = field(default_factory=dict)
    steps: dict[str, dict[str, str]] = field(default_factory=dict)

    def run(self, step: Mapping[str, Any], **environment: str) -> Step:
        """Run one ``run:`` step of the action with the variables that a runner sets."""
        output, summary = self.temp / "_output", self.temp / "_summary"
        output.write_text("")
        summary.write_text("")
        told = {name: self.expand(str(value)) for name, value in step.get("env", {}).items()}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", self.expand(step["run"])],
            cwd=self.workspace,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(self.temp),
                "CI": "true",
                "GITHUB_ACTIONS": "true",
                "GITHUB_WORKSPACE": str(self.workspace),
                "GITHUB_OUTPUT": str(output),
                "GITHUB_STEP_SUMMARY": str(summary),
                "GITHUB_TOKEN": "a secret",
                "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "a secret",
                "RUNNER_TEMP": str(self.temp),
                **{n: v for n, v in os.environ.items() if n.startswith("PIP_")},
                **told,
                **environment,
            },
            capture_output=True,
            timeout=ANSWERS_SECONDS * 10,
            check=False,
        )
        log = done.stdout.decode()
        outputs = parse_outputs(output.read_text())
        self.steps[step.get("id", "")] = outputs
        return Step(
            done.returncode,
            log + done.stderr.decode(),
            tuple(obeyed(log)),
            outputs,
            summary.read_text(),
        )

    def expand(self, text: str) -> str:
        """Return ``text`` with the expressions that the action uses put in."""
        return _EXPRESSION.sub(lambda match: self._value(match[1]), text)

    def _value(self, expression: str) -> str:
        first, _, otherwise = expression.partition(" || ")
        if first.startswith("inputs."):
            return self.inputs[first.removeprefix("inputs.")]
        if first == "github.action_path":
            return str(ROOT)
        scope, step, kind, name = first.split(".", 3)
        assert (scope, kind) == ("steps", "outputs"), expression
        return self.steps.get(step, {}).get(name, "") or otherwise.strip("'")


def action() -> dict[str, Any]:
    """Return ``action.yml``."""
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
    return loaded


def grade_step(workspace: Path, temp: Path, **inputs: str) -> Step:
    """Run the action's grading step with this very Python and the defaults of its inputs."""
    interpreter = temp / "fusion-grader" / "bin" / "python"
    interpreter.parent.mkdir(parents=True, exist_ok=True)
    interpreter.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    interpreter.chmod(0o755)
    told = {name: str(one.get("default", "")) for name, one in action()["inputs"].items()}
    given = {name.replace("_", "-"): value for name, value in inputs.items()}
    assert given.keys() <= told.keys()
    runner = Runner(workspace, temp, told | given)
    return runner.run(next(s for s in action()["runs"]["steps"] if s.get("id") == "grade"))


def parse_outputs(text: str) -> dict[str, str]:
    """Return the outputs as the runner parses the file, refusing what it refuses."""
    outputs, lines = {}, iter(text.split("\n"))
    for line in lines:
        if "<<" in line and "=" not in line.split("<<")[0]:
            name, mark = line.split("<<", 1)
            held = []
            while (one := next(lines)) != mark:  # no such line: StopIteration, the file is refused
                held.append(one)
            outputs[name] = "\n".join(held)
        elif line:
            name, equals, value = line.partition("=")
            assert equals, line
            outputs[name] = value
    return outputs


def obeyed(log: str) -> list[Command]:
    """Return the commands that the runner would obey, minding ``stop-commands``."""
    found, token = [], None
    for line in log.splitlines():
        if token is not None:
            token = None if line.strip() == f"::{token}::" else token
            continue
        match = _COMMAND.match(line)
        if match is None:
            continue
        command = Command(match["name"], _properties(match["properties"]), _decoded(match["data"]))
        if command.name == "stop-commands":
            token = command.data
        else:
            found.append(command)
    assert token is None, "commands are never resumed"
    return found


def _properties(text: str) -> dict[str, str]:
    pairs = (pair.partition("=") for pair in text.strip().split(",") if pair)
    return {name: _decoded(value) for name, _, value in pairs}


def _decoded(text: str) -> str:
    for escaped, plain in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(escaped, plain)
    return text
