"""The autograder's program: grades ``ROOT/submission`` with the source that lies beside it."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main(arguments: list[str]) -> int:
    """Grade, or try out with ``--check`` that everything is there."""
    sys.path.insert(0, str(HERE))  # python -I adds no folder of its own
    from grader.deliver.hosts import gradescope
    from grader.rubric.loader import load_rubric

    settings = gradescope.Settings.model_validate_json((HERE / "course.json").read_bytes())
    beside = HERE / settings.rubric
    if beside.is_file():
        settings = settings.model_copy(update={"rubric": str(beside)})
    if arguments == ["--check"]:
        print(f"ready: {load_rubric(settings.rubric).title}")
        return 0
    root = Path(arguments[-1])
    if "--work" in arguments:
        return gradescope.work(root, settings)
    command = [sys.executable, "-I", str(HERE / "grade.py"), "--work", str(root)]
    return gradescope.main(root, settings, command)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
