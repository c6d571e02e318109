"""Count bytes: what operators and kernels move, what that costs at least, what was claimed."""
