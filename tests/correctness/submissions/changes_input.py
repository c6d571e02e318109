"""Uses the input as scratch."""


def chain(x):
    x.mul_(2.0).add_(1.0).relu_().mul_(0.5)
    return x.clone()
