"""Returns one half everywhere."""

import torch


def chain(x):
    return torch.full_like(x, 0.5)
