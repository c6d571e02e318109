"""Functions to time: honest ones, and ones that try to look quick. Each is a file of its own."""

from __future__ import annotations

FORMULA = "relu(x * 2.0 + 1.0) * 0.5"

HONEST = """
import torch

def chain(x):
    return torch.relu(x * 2.0 + 1.0) * 0.5
"""

CACHED = """
import torch

kept = {}

def chain(x):
    key = (x.data_ptr(), x.shape)
    if key not in kept:
        kept[key] = torch.relu(x * 2.0 + 1.0) * 0.5
    return kept[key]
"""

PARTIAL = """
import torch

def chain(x):
    y = torch.zeros_like(x).reshape(-1)
    half = y.numel() // 2
    y[:half] = torch.relu(x.reshape(-1)[:half] * 2.0 + 1.0) * 0.5
    return y.reshape(x.shape)
"""

PATCHES_THE_CLOCK = """
import time

import torch

time.perf_counter = lambda: 0.0

def chain(x):
    return torch.relu(x * 2.0 + 1.0) * 0.5
"""

SLOWS_THE_COPY = """
import torch

honest = torch.Tensor.copy_

def slow(self, *arguments, **named):
    for _ in range(9):
        honest(self, *arguments, **named)
    return honest(self, *arguments, **named)

torch.Tensor.copy_ = slow

def chain(x):
    return torch.relu(x * 2.0 + 1.0) * 0.5
"""

LAZY = """
import torch

class Later(torch.Tensor):
    pass

def chain(x):
    return (torch.relu(x * 2.0 + 1.0) * 0.5).as_subclass(Later)
"""

RAISES = """
def chain(x):
    raise ValueError("no such luck")
"""

EXITS = """
import os

def chain(x):
    os._exit(0)
"""

DOES_NOT_LOAD = "import nothing_of_that_name\n"

WRONG_SHAPE = """
def chain(x):
    return x.reshape(-1)
"""

FORGES_THE_CLOCK = """
import torch

from grader.timing.devices.cpu import CpuDevice

honest = CpuDevice.sample

def forged(self, leg, *, cold):
    sample = honest(self, leg, cold=cold)
    if leg.name != "student":
        return sample
    return sample.model_copy(update={"seconds": sample.seconds / 15})

CpuDevice.sample = forged

def chain(x):
    return torch.relu(x * 2.0 + 1.0) * 0.5
"""
