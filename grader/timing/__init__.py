"""Strict timing: one protocol, three devices (CUDA, CPU, virtual)."""
