"""Intake of a class: what an LMS gave becomes one folder and one receipt for each student."""

from grader.classroom.intake import read_class
from grader.classroom.records import Attempt, ClassIntake, StudentEntry

__all__ = ["Attempt", "ClassIntake", "StudentEntry", "read_class"]
