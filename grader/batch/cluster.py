"""More than one machine: the same tasks on Dask distributed.

Workers see the class's and the output folder under the same paths (a shared file system, as
clusters have). A worker that is killed loses only what it was working on; Dask runs that again
on another one. The driver alone writes the gradebook.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from itertools import islice
from typing import Any

from grader.batch.task import Result, Task, grade_task
from grader.errors import CourseConfigError

IN_FLIGHT_PER_THREAD = 4
RETRIES = 2  # of a task whose worker died
CONNECT = "10s"  # how long to wait for a scheduler


class DaskEngine:
    """An engine on the scheduler at ``address``, or on local worker processes if it is None.

    Raises CourseConfigError if distributed is not installed or there is no scheduler.
    """

    def __init__(self, address: str | None = None, *, jobs: int | None = None) -> None:
        self.address = address
        self.jobs = jobs

    def run(self, tasks: Iterable[Task]) -> Iterator[Result]:
        """Yield results as they complete, with a bounded number of tasks in flight."""
        distributed = _distributed()
        with ExitStack() as opened:
            client = opened.enter_context(self._client(distributed, opened))
            yield from _work_off(client, distributed, iter(tasks))

    def _client(self, distributed: Any, opened: ExitStack) -> Any:
        if self.address is None:
            cluster = distributed.LocalCluster(
                n_workers=self.jobs, threads_per_worker=1, dashboard_address=None
            )
            return distributed.Client(opened.enter_context(cluster))
        try:
            return distributed.Client(self.address, timeout=CONNECT)
        except (OSError, TimeoutError, ValueError) as error:
            raise CourseConfigError(
                "there is no Dask scheduler at this address",
                found=self.address,
                wanted="tcp://HOST:PORT of a running scheduler",
            ) from error


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise CourseConfigError(
            "the engine dask needs the package distributed",
            wanted="pip install 'fusion-grader[cluster]'",
        ) from None
    return distributed


def _work_off(client: Any, distributed: Any, queue: Iterator[Task]) -> Iterator[Result]:
    threads = sum(client.nthreads().values()) or 1
    submitted: dict[Any, Task] = {}

    def submit(task: Task) -> Any:
        future = client.submit(grade_task, task, pure=False, retries=RETRIES)
        submitted[future] = task
        return future

    first = [submit(task) for task in islice(queue, threads * IN_FLIGHT_PER_THREAD)]
    arriving = distributed.as_completed(first)
    for future in arriving:
        task = submitted.pop(future)
        yield _result(future, task)
        following = next(queue, None)
        if following is not None:
            arriving.add(submit(following))


def _result(future: Any, task: Task) -> Result:
    if future.status == "finished":
        result = future.result()
        assert isinstance(result, Result)
        return result
    reason = f"the cluster could not run this task: {future.exception()!r}"
    return Result(student=task.student, digest=task.digest, fault=reason)
