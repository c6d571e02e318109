"""``tqdm`` on the virtual clock: its elapsed time and rates are durations like any other."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from types import ModuleType
from typing import Any

from grader.virtual_gpu.patches import Patches
from grader.virtual_gpu.recorder import Recorder

_NAMES = ("tqdm", "tqdm.auto", "tqdm.std", "tqdm.notebook", "tqdm.autonotebook", "tqdm.asyncio",
          "tqdm.rich", "tqdm.contrib")  # fmt: skip


def install(recorder: Recorder, patches: Patches) -> None:
    """Put modules of these names where an import finds them."""
    bar = _bar_class(recorder)

    def trange(*args: Any, **options: Any) -> Any:
        return bar(range(*args), **options)

    for name in _NAMES:
        module: Any = ModuleType(name)
        module.__path__ = []
        module.tqdm = module.tqdm_notebook = bar
        module.trange = module.tnrange = trange
        patches.entry(sys.modules, name, module)


def _bar_class(recorder: Recorder) -> Any:
    class Bar:
        """A progress bar that draws nothing."""

        def __init__(
            self, iterable: Iterable[Any] | None = None, desc: str = "", total: Any = None,
            initial: int = 0, **options: Any,
        ) -> None:  # fmt: skip
            self.iterable, self.desc, self.total, self.n = iterable, desc, total, initial
            if total is None and hasattr(iterable, "__len__"):
                self.total = len(iterable)  # type: ignore[arg-type]
            self.initial = initial
            self.disable = False
            self.start_t = recorder.read_clock("tqdm")

        def __iter__(self) -> Iterator[Any]:
            for item in self.iterable or ():
                yield item
                self.n += 1

        def __enter__(self) -> Any:
            return self

        def __exit__(self, *error: object) -> None:
            return None

        def __len__(self) -> int:
            return int(self.total or 0)

        @property
        def format_dict(self) -> dict[str, Any]:
            elapsed = recorder.read_clock("tqdm") - self.start_t
            return {"n": self.n, "total": self.total, "elapsed": elapsed, "prefix": self.desc,
                    "initial": self.initial, "rate": None, "unit": "it"}  # fmt: skip

        def update(self, n: float = 1) -> None:
            self.n += n  # type: ignore[assignment]

        def set_postfix(self, values: Any = None, refresh: bool = True, **named: Any) -> None:
            text = ", ".join(f"{k}={v}" for k, v in {**(values or {}), **named}.items())
            recorder.output("call", f"{text}\n", recorder.frames.place())

        def set_postfix_str(self, text: str = "", refresh: bool = True) -> None:
            recorder.output("call", f"{text}\n", recorder.frames.place())

        def set_description(self, text: str = "", refresh: bool = True) -> None:
            recorder.output("call", f"{text}\n", recorder.frames.place())

        set_description_str = set_description

        @staticmethod
        def write(text: str, *args: Any, **options: Any) -> None:
            recorder.output("print", f"{text}\n", recorder.frames.place())

        def close(self) -> None:
            return None

        refresh = clear = reset = unpause = display = lambda self, *args, **options: None

    return Bar
