"""Read what a student handed in: files, roles, answers with their places, and a receipt."""

from grader.intake.folder import read_submission

__all__ = ["read_submission"]
