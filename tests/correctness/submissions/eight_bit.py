"""Computes in an 8-bit float."""

import torch


def chain(x):
    x = x.to(torch.float8_e4m3fn).half()
    return torch.relu(x * 2.0 + 1.0) * 0.5
