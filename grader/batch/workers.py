"""Pools of worker processes that end with the process that started them, however it ends."""

from __future__ import annotations

import multiprocessing
import os
import threading
from concurrent.futures import ProcessPoolExecutor

_START = "forkserver"  # a fork of the driver would share its database and its terminal
_PRELOAD = ["grader.batch.task", "grader.classroom", "grader.report.class_page"]


def worker_pool(workers: int | None = None) -> ProcessPoolExecutor:
    """Return a pool of ``workers`` processes (None: one for each core)."""
    context = multiprocessing.get_context(_START)
    context.set_forkserver_preload(_PRELOAD)
    return ProcessPoolExecutor(
        workers or os.cpu_count() or 1, mp_context=context, initializer=_end_with_the_driver
    )


def _end_with_the_driver() -> None:
    """Watch for the end of the driver: one that is killed tells its workers nothing."""
    threading.Thread(target=_leave_after_the_driver, daemon=True).start()


def _leave_after_the_driver() -> None:
    driver = multiprocessing.parent_process()
    if driver is not None:
        driver.join()
        os._exit(1)
