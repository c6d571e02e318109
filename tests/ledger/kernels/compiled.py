"""Functions under torch.compile: one graph, a graph in the middle, a broken graph."""

import torch


@torch.compile
def whole(x):
    return torch.relu(x * 2.0 + 1.0) * 0.5


@torch.compile
def half_step(x):
    return x * 2.0 + 1.0


def partly(x):
    return torch.relu(half_step(x)) * 0.5


@torch.compile
def broken(x):
    y = torch.relu(x * 2.0 + 1.0)
    torch._dynamo.graph_break()
    return y * 0.5


def two_outputs(x):
    a, b = _two(x)
    return a + b


@torch.compile
def _two(x):
    return x + 1, x * 2
