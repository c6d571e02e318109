"""The services that start the grader themselves, one submission at a time."""
