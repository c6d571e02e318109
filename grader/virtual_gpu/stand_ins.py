"""Packages that only present results, replaced so that a script runs without them.

What is handed to them counts as reported: a duration in a plot is as public as a printed one.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from grader.virtual_gpu.patches import Patches
from grader.virtual_gpu.recorder import Recorder

ALWAYS = ("matplotlib", "seaborn", "plotly", "wandb", "tensorboard", "IPython")
IF_MISSING = ("pandas", "tabulate", "prettytable", "termcolor", "colorama", "psutil", "pynvml",
              "rich", "loguru", "texttable", "scipy")  # fmt: skip
_MOST_TEXT = 4000


class StandIn:
    """Accepts every call, attribute and operator; shows what it was given to the record."""

    def __init__(self, recorder: Recorder, name: str) -> None:
        self.__dict__["_recorder"], self.__dict__["_name"] = recorder, name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return StandIn(self._recorder, f"{self._name}.{name}")

    def __setattr__(self, name: str, value: Any) -> None:
        return None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and not kwargs and hasattr(args[0], "__code__"):
            return args[0]  # used as a decorator
        _show(self._recorder, self._name, (args, kwargs))
        return StandIn(self._recorder, f"{self._name}()")

    def __getitem__(self, key: Any) -> Any:
        return StandIn(self._recorder, f"{self._name}[]")

    def __setitem__(self, key: Any, value: Any) -> None:
        _show(self._recorder, self._name, ((key, value), {}))

    def __iter__(self) -> Iterator[Any]:
        # axes and figures come in pairs: fig, ax = plt.subplots()
        return iter([StandIn(self._recorder, f"{self._name}[{i}]") for i in range(2)])

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: object) -> None:
        return None

    def __float__(self) -> float:
        return 0.0

    def __int__(self) -> int:
        return 0

    def __len__(self) -> int:
        return 2

    def __bool__(self) -> bool:
        return True

    def __str__(self) -> str:
        return f"<{self._name}>"

    __repr__ = __str__

    def __format__(self, spec: str) -> str:
        return str(self)

    def _same(self, *others: Any) -> Any:
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = _same
    __rtruediv__ = __lt__ = __gt__ = __le__ = __ge__ = __and__ = __or__ = __neg__ = _same


class _Module(ModuleType):
    def __init__(self, recorder: Recorder, name: str) -> None:
        super().__init__(name)
        self.__dict__["_stand_in"] = StandIn(recorder, name)
        self.__path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.__dict__["_stand_in"], name)


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, recorder: Recorder, names: frozenset[str]) -> None:
        self._recorder, self._names = recorder, names

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        if name.partition(".")[0] not in self._names:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: Any) -> ModuleType:
        if spec.name not in self._recorder.stand_ins:
            self._recorder.stand_ins.append(spec.name)
        return _Module(self._recorder, spec.name)

    def exec_module(self, module: ModuleType) -> None:
        return None


def install(recorder: Recorder, patches: Patches) -> None:
    """Put the stand-ins before every other way of finding a module."""
    missing = [name for name in IF_MISSING if name not in sys.modules and not _found(name)]
    finder = _Finder(recorder, frozenset((*ALWAYS, *missing)))
    patches.set(sys, "meta_path", [finder, *sys.meta_path])
    for name in [n for n in sys.modules if n.partition(".")[0] in ALWAYS]:
        del sys.modules[name]


def _found(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def _show(recorder: Recorder, name: str, given: tuple[Any, Any]) -> None:
    """Record a call's arguments, followed into lists and dicts, as text."""
    try:
        text = f"{name} {given[0]!r} {given[1]!r}"
    except Exception:
        return
    recorder.output("call", text[:_MOST_TEXT] + "\n", recorder.frames.place())
