"""Returns NaN everywhere."""

import torch


def chain(x):
    return torch.full_like(x, float("nan"))
