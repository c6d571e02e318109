"""Skips the last hundredth of the elements."""

import torch


def chain(x):
    y = torch.relu(x * 2.0 + 1.0) * 0.5
    flat = y.view(-1)
    flat[len(flat) - len(flat) // 100 - 1 :] = 0
    return y
