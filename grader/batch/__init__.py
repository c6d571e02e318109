"""Grade a class: a queue of submissions, an engine that works it off, one gradebook.

A worker reads, examines and marks one submission and writes its two files; the driver alone
writes the gradebook, one transaction for each result as it arrives. A run that is killed is
started again with the same command: what is in the gradebook is not done twice.
"""

from grader.batch.run import Progress, run_batch
from grader.batch.task import Engine, Result, Task

__all__ = ["Engine", "Progress", "Result", "Task", "run_batch"]
