"""The autograder of one Classroom 50 assignment; lies at CLASSROOM/autograders/ASSIGNMENT/.

Installs the grader that ``requirements.txt`` beside it names into a folder of its own, then
grades the working folder, which is the student's checkout.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
OPTIONS: tuple[str, ...] = ()  # for example ("--accept-proposals",) or ("--with-code",)


def main() -> int:
    """Return 0 if the submission was graded; anything else is an infrastructure error."""
    rubric = HERE / "rubric.yaml"
    options = [*OPTIONS, *(("--rubric", str(rubric)) if rubric.is_file() else ())]
    with tempfile.TemporaryDirectory(prefix="fusion-grader-") as folder:
        python = _installed(Path(folder))
        # python -I: no file of the checkout can stand in for a module
        command = [str(python), "-I", "-m", "grader.deliver.hosts.classroom50", *options]
        return subprocess.run(command, check=False).returncode


def _installed(folder: Path) -> Path:
    python = folder / "bin" / "python"
    install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([sys.executable, "-I", "-m", "venv", str(folder)], check=True, cwd=folder)
    requirements = ["-r", str(HERE / "requirements.txt")]
    subprocess.run([str(python), "-I", *install, *requirements], check=True, cwd=folder)
    return python


if __name__ == "__main__":
    sys.exit(main())
