"""Right for the first calls, then stale."""

import torch

calls = []


def chain(x):
    calls.append(torch.relu(x * 2.0 + 1.0) * 0.5)
    if len(calls) > 10:
        return torch.zeros_like(x)
    return calls[-1]
