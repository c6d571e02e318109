"""Worker processes on this machine. A worker that dies takes only its own task with it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool

from grader.batch.task import Result, Task, grade_task
from grader.batch.workers import worker_pool

IN_FLIGHT_PER_WORKER = 4  # keeps memory flat: what is queued is bounded, whatever the class size


class LocalPool:
    """An engine of ``jobs`` processes (None: one for each core)."""

    def __init__(self, jobs: int | None = None) -> None:
        self.jobs = jobs or os.cpu_count() or 1

    def run(self, tasks: Iterable[Task]) -> Iterator[Result]:
        """Yield results as they complete, with a bounded number of tasks in flight."""
        queue = iter(tasks)
        while True:
            lost: list[Task] = []
            with worker_pool(self.jobs) as pool:
                yield from self._run_in(pool, queue, lost)
            if not lost:
                return
            for task in lost:  # which of them broke the pool is unknown, so each is run alone
                yield self._alone(task)

    def _run_in(
        self, pool: ProcessPoolExecutor, queue: Iterator[Task], lost: list[Task]
    ) -> Iterator[Result]:
        running: dict[Future[Result], Task] = {}
        while True:
            while not lost and len(running) < self.jobs * IN_FLIGHT_PER_WORKER:
                task = next(queue, None)
                if task is None:
                    break
                try:
                    running[pool.submit(grade_task, task)] = task
                except BrokenProcessPool:
                    lost.append(task)
            if not running:
                return
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                task = running.pop(future)
                try:
                    result = future.result()
                except BrokenProcessPool:
                    lost.append(task)
                    continue
                yield result

    def _alone(self, task: Task) -> Result:
        try:
            with worker_pool(1) as pool:
                return pool.submit(grade_task, task).result()
        except BrokenProcessPool:
            reason = "the worker process died while grading this submission"
            return Result(student=task.student, digest=task.digest, fault=reason)
