"""One public function under another name is found."""

import torch


def my_fused_version(x):
    return torch.relu(x * 2.0 + 1.0) * 0.5


def _helper(x):
    return x
