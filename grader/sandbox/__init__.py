"""Run code that may be hostile, and get back nothing but bytes.

    judge       owns hidden inputs, expected values and the clock; compares
      └─ zygote   trusted code, torch loaded once, empty environment, knows no secret
           └─ child  one submission, forked, locked in, killed with everything it started

What a child returns is raw bytes in memory of the judge's own size, or JSON text. Neither is ever
unpickled, and no statement in it is believed: whoever calls this computes the verdict.
"""
