"""Marking: rubric item + answers + evidence -> mark. Pure; sees data, never runs code."""
