"""Run the command line as ``python -m grader``."""

from grader.cli import main

main()
