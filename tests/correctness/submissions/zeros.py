"""Returns zeros."""

import torch


def chain(x):
    return torch.zeros_like(x)
