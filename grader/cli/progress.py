"""How a run is shown while it goes: a live line in a terminal, one plain line each when piped."""

from __future__ import annotations

from types import TracebackType
from typing import IO

from rich.progress import BarColumn, TaskID, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar
from rich.text import Text

from grader.batch.run import Progress
from grader.report.clean import clean
from grader.report.terminal import console_for


class Reporter:
    """Shows count, rate, time left and who was graded last, as long as it is open."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self._live = stream.isatty()
        self._bar = Bar(
            TextColumn("{task.completed}/{task.total}"),
            BarColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            TextColumn("{task.description}", markup=False),
            console=console_for(stream),
            disable=not self._live,
        )
        self._task: TaskID | None = None

    def __enter__(self) -> Reporter:
        self._bar.start()
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def say(self, line: str) -> None:
        """Show one line about the class as a whole."""
        if self._live:
            self._bar.console.print(Text(clean(line)))
        else:
            self._stream.write(f"{clean(line)}\n")

    def tell(self, progress: Progress) -> None:
        """Show that one more submission is done."""
        last = f"{clean(progress.student, limit=40)} {progress.state} {progress.points}".rstrip()
        if not self._live:
            self._stream.write(f"{progress.done}/{progress.total} {last}\n")
            return
        rate = f"{progress.done / progress.seconds:.1f}/s" if progress.seconds else ""
        if self._task is None:
            self._task = self._bar.add_task(last, total=progress.total, rate=rate)
        self._bar.update(self._task, completed=progress.done, description=last, rate=rate)
