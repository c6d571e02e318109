"""The device as far as a source view needs it: queues, what is unfinished, what is warm."""

from __future__ import annotations

from typing import Any

from grader.discipline.static.records import Cold, Launch, Note, Site, Work

DEFAULT = 0


class Device:
    """Queues of launched work, in the order of one running index."""

    def __init__(self) -> None:
        self.index = 0
        self.stream = DEFAULT
        self.launches: list[Launch] = []
        self.notes: list[Note] = []
        self.pending: dict[int, list[Launch]] = {}
        # what a stream waits for, as (index, other stream, up to index)
        self.waits: dict[int, list[tuple[int, int, int]]] = {}
        # work that may have been waited for, under a condition that could not be decided
        self.maybe: set[int] = set()
        self.seen: dict[Any, Any] = {}
        self.syncs: list[int] = []
        self.streams = 0
        self.muted = 0
        self.grad_mode = "grad"

    def tick(self) -> int:
        self.index += 1
        return self.index

    def launch(
        self,
        site: Site,
        work: Work,
        name: str,
        *,
        cold: Cold = "",
        sure: bool = True,
        again: bool = False,
        why: str = "",
        nbytes: int | None = None,
    ) -> None:
        """Submit work to the current stream; nothing runs while a graph is captured."""
        if self.muted:
            return
        made = Launch(
            self.tick(), site, self.stream, work, name, cold, sure, again, why, nbytes=nbytes
        )
        self.launches.append(made)
        self.pending.setdefault(self.stream, []).append(made)

    def note(self, site: Site, kind: Any, what: str) -> None:
        if not self.muted:
            self.notes.append(Note(self.tick(), site, kind, what))

    def wait(self, stream: int, other: int, upto: int) -> None:
        """Let ``stream`` wait for the work of ``other`` up to an index."""
        self.waits.setdefault(stream, []).append((self.tick(), other, upto))

    def finish(self, stream: int | None, upto: int | None = None, *, sure: bool = True) -> None:
        """The host waits for a stream, or for all of them, up to an index."""
        limit = self.index if upto is None else upto
        self.syncs.append(self.tick())
        streams = list(self.pending) if stream is None else [stream]
        for one in streams:
            self._finish(one, limit, sure, set())

    def _finish(self, stream: int, limit: int, sure: bool, done: set[int]) -> None:
        if stream in done:
            return
        done.add(stream)
        if sure:
            left = [w for w in self.pending.get(stream, []) if w.index > limit]
            self.pending[stream] = left
        else:
            for work in self.pending.get(stream, []):
                if work.index <= limit:
                    self.maybe.add(work.index)
        for index, other, upto in self.waits.get(stream, []):
            if index <= limit:
                self._finish(other, upto, sure, done)

    def unfinished(self, stream: int | None = None, upto: int | None = None) -> list[Launch]:
        """Return the work that nobody has waited for yet."""
        streams = list(self.pending) if stream is None else [stream]
        return [
            w
            for one in streams
            for w in self.pending.get(one, [])
            if upto is None or w.index <= upto
        ]

    def between(self, start: int, stop: int) -> tuple[Launch, ...]:
        """Return the work that was submitted between two indices."""
        return tuple(w for w in self.launches if start < w.index <= stop)
