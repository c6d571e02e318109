"""Computes in a thread that the caller does not see."""

import threading

import torch


def chain(x):
    found = []
    worker = threading.Thread(target=lambda: found.append(torch.relu(x * 2.0 + 1.0) * 0.5))
    worker.start()
    worker.join()
    return found[0]
