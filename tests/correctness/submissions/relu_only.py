"""Leaves out everything but relu."""

import torch


def chain(x):
    return torch.relu(x)
