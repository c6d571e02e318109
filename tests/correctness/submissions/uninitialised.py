"""Returns whatever was in memory."""

import torch


def chain(x):
    return torch.empty_like(x)
