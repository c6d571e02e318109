"""Every finding about a timing script: code, name, severity, meaning, reason and remedy.

The only table of GT codes. Both views, from source and from a virtual run, take their names and
texts from here; ``finding`` fills one in with its facts.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import JsonValue

from grader.model import Finding, Record, Severity

Source = Literal["trace", "static", "both"]


class Entry(Record):
    """One kind of finding. ``message`` holds ``{facts}``; ``why`` says what is wrong with the
    number, ``help`` is the remedy. ``pattern`` is the label of corpora, if there is one."""

    name: str
    severity: Severity
    message: str
    why: str
    help: str
    pattern: str = ""

    def docs(self, code: str) -> str:
        """Return the path of the documentation page."""
        return f"docs/timing/{code}.md"


CATALOGUE: Mapping[str, Entry] = {
    "GT101": Entry(
        name="first-call-timed",
        severity="error",
        message="the compilation of {name} (line {line}) lies inside this duration",
        why="The first call of a compiled function or Triton kernel builds its code, which takes "
        "from milliseconds to minutes; the call itself takes microseconds.",
        help="Call the function with the same arguments once before the clock starts.",
        pattern="first_call",
    ),
    "GT102": Entry(
        name="missing-warmup",
        severity="error",
        message="{name} (line {line}) first runs inside this duration",
        why="First executions load code, allocate memory and find the device in its idle state; "
        "they say little about the calls that follow.",
        help="Run the same work untimed several times, at the same size, then start the clock.",
        pattern="no_warmup",
    ),
    "GT103": Entry(
        name="missing-sync",
        severity="error",
        message="the clock is {where} while device work may be unfinished",
        why="Launching returns before the device is done. A clock read without waiting counts the "
        "submission of the work, or the rest of earlier work, and not the work.",
        help="Call torch.cuda.synchronize() before each reading of the clock.",
        pattern="no_sync",
    ),
    "GT104": Entry(
        name="host-clock",
        severity="error",
        message="{api} is a clock of the host, around work of the device",
        why="A host clock adds launch cost, the wait for the device and whatever the host does in "
        "between; for short kernels that is most of the number.",
        help="Use two torch.cuda.Event(enable_timing=True), or triton.testing.do_bench.",
        pattern="cpu_timer",
    ),
    "GT201": Entry(
        name="single-sample",
        severity="note",
        message="the number rests on one call, timed once",
        why="One sample shows neither spread nor outliers.",
        help="Repeat the measurement and report the median and a spread.",
        pattern="single_sample",
    ),
    "GT203": Entry(
        name="allocation-in-region",
        severity="note",
        message="a tensor is created and filled inside the duration ({what})",
        why="Drawing an input costs a kernel and an allocation of its own.",
        help="Create inputs before the clock starts.",
        pattern="alloc_in_region",
    ),
    "GT204": Entry(
        name="host-copy-in-region",
        severity="note",
        message="data moves between host and device inside the duration ({what})",
        why="The bus is slower than device memory by one to two orders of magnitude.",
        help="Move inputs before the clock starts and results after it stops.",
        pattern="transfer_in_region",
    ),
    "GT205": Entry(
        name="warm-cache-small-buffer",
        severity="note",
        message="the same small buffer ({size}) is used again and again",
        why="A buffer that fits the cache is not read from memory after the first call, so bytes "
        "over time is not the bandwidth of the memory.",
        help="Use a size several times the cache, or overwrite the cache between calls.",
        pattern="cache_hot",
    ),
    "GT206": Entry(
        name="shape-change-recompile",
        severity="note",
        message="{name} is compiled again inside this duration {why}",
        why="Compiled code is valid for the shapes, strides, types and modes that it was built "
        "for; a call with others builds it anew.",
        help="Warm up with every shape and mode that is timed.",
        pattern="recompile",
    ),
    "GT208": Entry(
        name="wrong-stream",
        severity="note",
        message="the work between the two events runs on another stream",
        why="An event marks a place in one stream; work of another stream may run before, between "
        "or after the two.",
        help="Record both events in the stream that runs the work.",
        pattern="wrong_stream",
    ),
    "GT209": Entry(
        name="host-work-in-region",
        severity="note",
        message="the host does other work inside the duration: {what}",
        why="While the host prints or draws, the device may run dry.",
        help="Print after the clock has stopped.",
        pattern="host_work_in_region",
    ),
    "GT210": Entry(
        name="dead-work",
        severity="note",
        message="no device work was found between the two events",
        why="The number is the time between two markers with nothing to measure.",
        help="Make sure the call that is meant to be timed stands between the two events.",
        pattern="dead_work",
    ),
    "GT211": Entry(
        name="zeros-input",
        severity="note",
        message="the timed work reads a tensor of zeros",
        why="Zeros draw less power and compress well, so a device may run them at a higher clock.",
        help="Draw random inputs.",
        pattern="zeros_input",
    ),
    "GT212": Entry(
        name="flush-counted",
        severity="note",
        message="the overwriting of a buffer is part of the duration",
        why="Clearing the cache is work as well; between the two readings it is counted.",
        help="Clear the cache before the first reading.",
        pattern="flush_counted",
    ),
    "GT213": Entry(
        name="warm-up-too-short",
        severity="note",
        message="the work ran fewer than three times before the clock started",
        why="Clocks rise and allocators settle over the first calls.",
        help="Warm up for at least some tens of milliseconds.",
        pattern="short_warmup",
    ),
    "GT301": Entry(
        name="unparsable",
        severity="error",
        message="the file is not Python 3 ({problem}); {outcome}",
        why="A script that does not run measures nothing.",
        help="Run the file with a current Python before handing it in.",
    ),
    "GT302": Entry(
        name="undecidable",
        severity="review",
        message="the source cannot be followed from here: {why}",
        why="Not every program can be judged without running it.",
        help="A person looks at the script.",
    ),
    "GT303": Entry(
        name="nothing-reported",
        severity="note",
        message="no duration is printed, stored or returned",
        why="Only a duration that leaves the script can mislead its reader.",
        help="Print the durations that the script measures.",
    ),
    "GT304": Entry(
        name="not-run",
        severity="note",
        message="the script was judged from its source alone: {why}",
        why="On the virtual device a script shows how wrong its numbers are; this one did not "
        "run to its end there.",
        help="Make the script run without arguments and without further packages.",
    ),
    "GT401": Entry(
        name="timer-replaced",
        severity="review",
        message="the script replaces {what}",
        why="A clock or a library call that was replaced proves nothing.",
        help="Leave clocks and libraries as they are.",
    ),
    "GT402": Entry(
        name="harness-inspected",
        severity="review",
        message="the script looks for what measures it: {what}",
        why="A measuring script has no need to know what runs it.",
        help="Leave the process that runs the script alone.",
    ),
    "GT901": Entry(
        name="unused-allow",
        severity="note",
        message="nothing is found on this line that {what} would allow",
        why="A remark that silences nothing misleads its reader.",
        help="Remove the comment.",
    ),
    "GT902": Entry(
        name="allow-without-effect",
        severity="note",
        message="{what} cannot be allowed in this way",
        why="Only notes can be silenced, one code each, with a reason behind the bracket.",
        help="Write # grader: allow[GT203] and the reason, on the line of the note.",
    ),
}


def finding(
    code: str,
    *,
    file: str,
    text: str | None = None,
    line: int | None = None,
    severity: Severity | None = None,
    source: Source = "static",
    help: str = "",
    data: dict[str, JsonValue] | None = None,
    facts: Mapping[str, str] | None = None,
) -> Finding:
    """Return the finding ``code`` with its facts; ``text`` is the file, for the excerpt."""
    entry = CATALOGUE[code]
    lines = (text or "").splitlines()
    known = line is not None and 1 <= line <= len(lines)
    filled = {key: " ".join(str(value).split())[:200] for key, value in (facts or {}).items()}
    message = " ".join(entry.message.format_map(_Known(filled)).split())
    return Finding(
        code=code,
        name=entry.name,
        severity=severity or entry.severity,
        message=message,
        help=help or entry.help,
        file=file,
        line=line if known else None,
        column=1 if known else None,
        excerpt=lines[line - 1][:400] if known and line is not None else None,
        source=source,
        data=data or {},
    )


class _Known(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return "…"
