"""Judge a timing script from its source, without running it.

The script is followed by a small abstract interpreter (``follow``): plain values are computed,
tensors, clocks and compiled functions are modelled. Each rule (``rules``) is a pure function of the
facts that following it yields.
"""

from __future__ import annotations

from grader.discipline.static.judge import Measurement, StaticVerdict, judge_static

__all__ = ["Measurement", "StaticVerdict", "judge_static"]
