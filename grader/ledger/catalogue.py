"""Every finding about a kernel: code, name, severity, what it means and what to do.

The only table of KN codes. ``finding`` fills one in with its facts.
"""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from grader.model import Finding, Record, Severity


class Entry(Record):
    """One kind of finding. ``message`` holds ``{facts}``, ``help`` is the remedy."""

    name: str
    severity: Severity
    message: str
    help: str


CATALOGUE: Mapping[str, Entry] = {
    "KN101": Entry(
        name="does-not-load",
        severity="error",
        message="{file} could not be loaded: {error}",
        help="Import the file in a fresh interpreter; hand in every file that it imports.",
    ),
    "KN102": Entry(
        name="no-function",
        severity="error",
        message="{file} does not define the function that is called: {error}",
        help="Define it with one argument, the input tensor, and return the result.",
    ),
    "KN103": Entry(
        name="call-fails",
        severity="error",
        message="the call fails for {case}: {error}",
        help="Call the function with this shape and layout yourself; the line is where it stops.",
    ),
    "KN104": Entry(
        name="not-a-tensor",
        severity="error",
        message="the function returns {got} for {case}",
        help="Return a plain tensor: no subclass, tuple or None.",
    ),
    "KN105": Entry(
        name="wrong-shape-or-type",
        severity="error",
        message="the result has {got} for {case}",
        help="Give the output the shape and element type of the input.",
    ),
    "KN106": Entry(
        name="left-the-device",
        severity="error",
        message="the result for {case} is on the host",
        help="Keep the output on the device of the input.",
    ),
    "KN110": Entry(
        name="wrong-result",
        severity="error",
        message="{wrong} of {elements} elements are wrong for {case}",
        help="Compare with a float64 evaluation at the element that is shown.",
    ),
    "KN111": Entry(
        name="nan-is-lost",
        severity="error",
        message="{wrong} elements that must be NaN are not, for {case}",
        help="Use a maximum that propagates NaN, or a comparison that is false for NaN.",
    ),
    "KN112": Entry(
        name="stale-result",
        severity="error",
        message="the result for {case} belongs to an earlier call",
        help="Compute from the input of this call; do not keep results by shape or address.",
    ),
    "KN113": Entry(
        name="unwritten-output",
        severity="error",
        message="{count} elements of the output are never written for {case}",
        help="Launch enough programs to cover every element, the last block included.",
    ),
    "KN114": Entry(
        name="input-changed",
        severity="error",
        message="the input holds other values after the call ({case})",
        help="Write to a new tensor; the caller still needs the input.",
    ),
    "KN115": Entry(
        name="aliases-input",
        severity="error",
        message="the result shares the memory of the input ({case})",
        help="Return memory of its own.",
    ),
    "KN116": Entry(
        name="not-repeatable",
        severity="error",
        message="the same input gives different results",
        help="Look for programs that race, random numbers, or state that is kept between calls.",
    ),
    "KN117": Entry(
        name="differs-on-device",
        severity="error",
        message="{wrong} of {elements} elements are wrong on {device} for {case}",
        help="The replay was right: look for a race, or for what only the device's compiler does.",
    ),
    "KN120": Entry(
        name="reads-outside",
        severity="error",
        message="{kernel} reads {count} elements outside {tensor} for {case}",
        help="Mask the load by the number of elements; use strides where the input has them.",
    ),
    "KN121": Entry(
        name="writes-outside",
        severity="error",
        message="{kernel} writes {count} elements outside {tensor} for {case}",
        help="Mask the store by the number of elements.",
    ),
    "KN122": Entry(
        name="reads-unwritten",
        severity="error",
        message="{kernel} reads {count} elements of {tensor} that nothing has written ({case})",
        help="Initialise the buffer, or load only what was stored before.",
    ),
    "KN123": Entry(
        name="two-writers",
        severity="error",
        message="{count} elements of {tensor} are stored by two programs of {kernel} ({case})",
        help="Give each element one program, or use an atomic operation.",
    ),
    "KN124": Entry(
        name="race",
        severity="error",
        message="a program of {kernel} reads {tensor} where another writes it ({case})",
        help="Programs of one launch have no order: split the work into two launches.",
    ),
    "KN125": Entry(
        name="misaligned",
        severity="error",
        message="{kernel} makes {count} accesses to {tensor} at addresses that do not fit ({case})",
        help="Compute offsets in elements of the pointer's own type.",
    ),
    "KN130": Entry(
        name="moves-too-much",
        severity="error",
        message="one call moves {got} of |x|, {wanted} would do",
        help="Every intermediate tensor is written once and read once: keep it in registers.",
    ),
    "KN131": Entry(
        name="kernel-not-used",
        severity="error",
        message="a kernel is launched, but the result does not come from it",
        help="Return what the kernel wrote.",
    ),
    "KN132": Entry(
        name="scattered-access",
        severity="note",
        message="{kernel} touches {got} sectors of 32 bytes in {tensor} where {wanted} would do",
        help="Let neighbouring lanes access neighbouring elements.",
    ),
    "KN133": Entry(
        name="reads-again",
        severity="note",
        message="{kernel} reads {tensor} {got} times over",
        help="Load once and keep the value, where registers allow.",
    ),
    "KN134": Entry(
        name="graph-breaks",
        severity="note",
        message="the compiled graph breaks: {error}",
        help="Each break ends one kernel and starts another; its values go through memory.",
    ),
    "KN135": Entry(
        name="moves-too-little",
        severity="review",
        message="one call moves {got} of |x|; one read and one write are {wanted}",
        help="A result that does not depend on all of its input was not expected here.",
    ),
    "KN136": Entry(
        name="graph-not-traced",
        severity="note",
        message="whether the compiled graph breaks is not known: {error}",
        help="One unbroken graph was assumed; its inputs and outputs are what is counted.",
    ),
    "KN140": Entry(
        name="does-not-build",
        severity="error",
        message="{kernel} does not build for {target}: {error}",
        help="The compiler's message names the construct.",
    ),
    "KN141": Entry(
        name="spills",
        severity="note",
        message="{kernel} spills {got} bytes a thread for {target}",
        help="Use a smaller block or more warps.",
    ),
    "KN142": Entry(
        name="narrow-access",
        severity="note",
        message="{kernel} moves {got} bytes per access for {target}, up to 16 are possible",
        help="Contiguous, aligned blocks let each thread move 16 bytes at once.",
    ),
    "KN150": Entry(
        name="looks-at-data",
        severity="review",
        message="the host looks at tensor contents, which stops the device ({case})",
        help="Decide on the device, or from shapes alone.",
    ),
    "KN151": Entry(
        name="not-followed",
        severity="review",
        message="the call cannot be followed here for {case}: {error}",
        help="A person, or a machine with a device, has to look at it.",
    ),
    "KN160": Entry(
        name="stopped",
        severity="error",
        message="running {file} gave no answer: {error}",
        help="Loading the file and calling the function must end in seconds and within memory.",
    ),
    "KN161": Entry(
        name="tampered",
        severity="error",
        message="what came back from running {file} is not a recording: {error}",
        help="Leave the process that the function runs in alone.",
    ),
    "KN170": Entry(
        name="timed-result-wrong",
        severity="error",
        message="a call that was timed gave a wrong result: {error}",
        help="Compute from the input of each call, before the call is over on the stream.",
    ),
    "KN171": Entry(
        name="below-the-floor",
        severity="error",
        message="the measured time is impossible: {error}",
        help="Do the work of each call in that call, on the current stream.",
    ),
    "KN172": Entry(
        name="clocks-disagree",
        severity="review",
        message="the device's clock says {got} a call, a batch timed from outside {wanted}",
        help="Keep to the current stream; a person decides which clock is right.",
    ),
}


def finding(
    code: str,
    *,
    file: str,
    text: str | None = None,
    line: int | None = None,
    got: str | None = None,
    expected: str | None = None,
    data: dict[str, JsonValue] | None = None,
    **facts: object,
) -> Finding:
    """Return the finding ``code`` with its facts; ``text`` is the file, for the excerpt."""
    entry = CATALOGUE[code]
    lines = (text or "").splitlines()
    known = line is not None and 1 <= line <= len(lines)
    filled = {key: " ".join(str(value).split())[:400] for key, value in facts.items()}
    return Finding(
        code=code,
        name=entry.name,
        severity=entry.severity,
        message=entry.message.format(file=file, got=got, wanted=expected, **filled),
        help=entry.help,
        file=file,
        line=line if known else None,
        column=1 if known else None,
        excerpt=lines[line - 1] if known and line is not None else None,
        got=got,
        expected=expected,
        data=data or {},
    )
