"""What a student's function asked the device to do, as data.

A *program* is recorded where the student's code runs and is checked and replayed where it does
not. Nothing in it is believed: a replay computes the results and counts the bytes itself, so a
forged program can only be a program that really does the work.
"""

from __future__ import annotations

import math
from typing import Annotated, Literal

from pydantic import Field, JsonValue, ValidationError

from grader.model import Record

Size = Annotated[int, Field(ge=0, le=1 << 40)]
Sizes = Annotated[tuple[Size, ...], Field(max_length=16)]
Line = int | None


class TensorRef(Record):
    """A strided view of a storage: element type, sizes, strides and offset in elements."""

    storage: Annotated[int, Field(ge=0, le=1_000_000)]
    dtype: Annotated[str, Field(max_length=32)]
    shape: Sizes
    stride: Sizes
    offset: Size = 0

    @property
    def numel(self) -> int:
        return math.prod(self.shape)

    @property
    def span(self) -> int:
        """Elements from the first to the last that the view can touch, both included."""
        if self.numel == 0:
            return 0
        return 1 + sum((n - 1) * s for n, s in zip(self.shape, self.stride, strict=True))


class Constant(Record):
    """A host tensor with its contents: raw bytes in base64."""

    dtype: Annotated[str, Field(max_length=32)]
    shape: Sizes
    base64: Annotated[str, Field(max_length=2_000_000)]


class Operator(Record):
    """A torch operator. Arguments are JSON with tensors as ``{"tensor": …}`` and so on."""

    kind: Literal["operator"] = "operator"
    op: Annotated[str, Field(max_length=200)]
    args: tuple[JsonValue, ...] = ()
    kwargs: dict[str, JsonValue] = Field(default_factory=dict)
    outs: tuple[TensorRef | None, ...] = ()
    line: Line = None


class Launch(Record):
    """A launch of kernel ``kernel`` (an index into the program's kernels)."""

    kind: Literal["launch"] = "launch"
    kernel: Annotated[int, Field(ge=0, le=10_000)]
    grid: tuple[Size, Size, Size]
    args: tuple[JsonValue, ...] = ()
    line: Line = None


class Graph(Record):
    """The start or end of a ``torch.compile`` region, with what breaks its graph; ``untraced``
    says why that is not known."""

    kind: Literal["graph"] = "graph"
    starts: bool
    breaks: tuple[str, ...] = ()
    boundary_bytes: tuple[Size, ...] = ()
    untraced: Annotated[str, Field(max_length=1000)] = ""
    line: Line = None


Step = Annotated[Operator | Launch | Graph, Field(discriminator="kind")]


class Kernel(Record):
    """A kernel as compiled for one signature: IR as written and after Triton's clean-up."""

    name: Annotated[str, Field(max_length=300)]
    arguments: tuple[str, ...]
    written: Annotated[str, Field(max_length=4_000_000)]
    cleaned: Annotated[str, Field(max_length=4_000_000)]
    num_warps: int = 4
    line: Line = None


class Fault(Record):
    """Why a call gave no result: the error's type, its text, and the student's line."""

    kind: Annotated[str, Field(max_length=200)]
    message: Annotated[str, Field(max_length=4000)]
    line: Line = None


class Result(Record):
    """What a call returned: a tensor, or the name of another type."""

    tensor: TensorRef | None = None
    type_name: Annotated[str, Field(max_length=200)] = ""


class Call(Record):
    """One call of the student's function: its steps, and a result or a fault."""

    inputs: tuple[TensorRef, ...]
    steps: Annotated[tuple[Step, ...], Field(max_length=20_000)] = ()
    result: Result | None = None
    fault: Fault | None = None


class Program(Record):
    """Everything that was recorded: steps of the import, then one entry for each call.

    ``storages`` gives the bytes of each storage by number; those of the inputs come from the
    judge's own list. ``fault`` is set if the file could not be loaded at all.
    """

    function: Annotated[str, Field(max_length=200)] = ""
    storages: dict[str, Size] = Field(default_factory=dict)
    on_host: tuple[int, ...] = ()
    constants: dict[str, Constant] = Field(default_factory=dict)
    kernels: Annotated[tuple[Kernel, ...], Field(max_length=500)] = ()
    prologue: Annotated[tuple[Step, ...], Field(max_length=20_000)] = ()
    calls: tuple[Call, ...] = ()
    fault: Fault | None = None


def read_program(value: JsonValue) -> Program:
    """Check recorded JSON and return it as a program. Raises ValueError if it is not one."""
    import json

    try:
        return Program.model_validate_json(json.dumps(value))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ValueError(f"{place}: {first['msg']}") from None
