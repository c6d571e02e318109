"""Libraries that measure time themselves: do_bench, benchmark.Timer, timeit, profiler, tqdm."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from grader.discipline.static import calls, execute
from grader.discipline.static.library import triton_api
from grader.discipline.static.machine import Machine
from grader.discipline.static.values import (
    Lib,
    Library,
    Opaque,
    Scope,
)

Keywords = dict[str, Any]
Arguments = list[Any]


def is_bench(path: str, arguments: Arguments) -> bool:
    """True for the functions that time a callable on the device, warm-up included."""
    leaf = path.rpartition(".")[2]
    return leaf.startswith("do_bench") or (
        "benchmarker" in path.lower() and leaf in ("benchmark", "benchmark_gpu", "benchmark_many")
    )


def bench(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    """Model ``do_bench``: it runs, warms up, uses events and waits."""
    function = arguments[0] if arguments else keywords.get("fn")
    site = m.site
    calls.call(m, function, [], {})
    m.device.finish(None, sure=m.sure)
    start = m.device.tick()
    calls.call(m, function, [], {})
    m.device.finish(None, sure=m.sure)
    result = m.library(path, start, site=site)
    wanted = keywords.get("quantiles")
    if isinstance(wanted, (list, tuple)) and wanted:
        return [result] * len(wanted)
    return result


def _timer(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    names: tuple[str, ...] = ("stmt", "setup", "global_setup", "timer", "globals")
    if path.startswith("timeit."):
        names = ("stmt", "setup", "timer", "globals")
    state = dict(zip(names, arguments, strict=False)) | keywords
    kind = "timeit" if path.startswith("timeit.") else "timer"
    return Library(kind, {"given": state, "site": m.site})


def _statement(m: Machine, this: Library, part: str, scope: Scope) -> None:
    given = this.state["given"].get(part)
    if isinstance(given, (str, Opaque)):
        calls.run_text(m, given, scope)
    elif given is not None:
        calls.call(m, given, [], {})


def _scope(m: Machine, this: Library) -> Scope:
    given = this.state["given"].get("globals")
    names = dict(given) if isinstance(given, dict) else {}
    return Scope(names, None, m.site.file)


def _measure(m: Machine, this: Library, arguments: Arguments, keywords: Keywords) -> Any:
    """Model ``torch.utils.benchmark.Timer``: it warms up and its own clock waits."""
    site, scope = m.site, _scope(m, this)
    own_clock = this.state["given"].get("timer")
    waits = own_clock is None or (isinstance(own_clock, Lib) and "benchmark" in own_clock.path)
    _statement(m, this, "setup", scope)
    for _ in range(2):
        _statement(m, this, "stmt", scope)
    if waits:
        m.device.finish(None, sure=m.sure)
    pending = tuple(m.device.unfinished())
    start = m.device.tick()
    _statement(m, this, "stmt", scope)
    if waits:
        m.device.finish(None, sure=m.sure)
    api = "torch.utils.benchmark.Timer"
    m.site = site
    return m.library(
        api, start, clock="library" if waits else "host", pending=pending, waits=waits, site=site
    )


def _timeit(m: Machine, this: Library, arguments: Arguments, keywords: Keywords) -> Any:
    """Model ``timeit``: a host clock that never waits for the device."""
    site, scope = m.site, _scope(m, this)
    number = keywords.get("number", arguments[0] if arguments else None)
    _statement(m, this, "setup", scope)
    pending = tuple(m.device.unfinished())
    start = m.device.tick()
    for _ in range(1 if number == 1 else 2):
        _statement(m, this, "stmt", scope)
    m.site = site
    return m.library(
        "timeit", start, clock="host", pending=pending, waits=False, self_warming=False,
        repeats=number if isinstance(number, int) else 100, site=site,
    )  # fmt: skip


def _repeat(m: Machine, this: Library, arguments: Arguments, keywords: Keywords) -> Any:
    rounds = keywords.get("repeat", arguments[0] if arguments else 5)
    count = min(rounds, 20) if isinstance(rounds, int) else 5
    number = keywords.get("number", arguments[1] if len(arguments) > 1 else None)
    return [_timeit(m, this, [number], {}) for _ in range(max(count, 1))]


def _autorange(m: Machine, this: Library, arguments: Arguments, keywords: Keywords) -> Any:
    _timeit(m, this, [], {})
    return (Opaque(), _timeit(m, this, [], {}))


def _timeit_function(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    names: tuple[str, ...] = ("stmt", "setup", "timer", "number", "globals")
    if path.endswith("repeat"):
        names = ("stmt", "setup", "timer", "repeat", "number", "globals")
    given = dict(zip(names, arguments, strict=False)) | keywords
    this = Library("timeit", {"given": given, "site": m.site})
    rest: Keywords = {k: given[k] for k in ("number", "repeat") if k in given}
    return (_repeat if path.endswith("repeat") else _timeit)(m, this, [], rest)


def _magic_time(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    """Model IPython's ``%time`` and ``%timeit``, which print what they measure."""
    text, calibrated = arguments[0], path.endswith("timeit")
    site = m.site
    scope = m.modules[site.file] if site.file in m.modules else Scope({}, None, site.file)
    if calibrated:
        calls.run_text(m, text, scope)
        calls.run_text(m, text, scope)
    pending = tuple(m.device.unfinished())
    start = m.device.tick()
    calls.run_text(m, text, scope)
    m.site = site
    result = m.library(
        path, start, clock="host", pending=pending, waits=False, self_warming=False,
        repeats=100 if calibrated else 1, site=site,
    )  # fmt: skip
    m.report("print", result)
    return None


def _profile(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    return Library("profile", {"schedule": keywords.get("schedule"),
                               "ready": keywords.get("on_trace_ready"), "steps": []})  # fmt: skip


def _schedule(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    return Library("schedule", dict(keywords))


def _enter_profile(m: Machine, this: Library, inside: Callable[[Any], None]) -> None:
    site, start = m.site, m.device.tick()
    this.state["start"], this.state["site"] = start, site
    this.state["steps"] = []
    inside(this)
    _leave_profile(m, this)


def _leave_profile(m: Machine, this: Library) -> None:
    m.device.finish(None, sure=m.sure)
    start = this.state.get("start", m.device.index)
    launches = m.device.between(start, m.device.index)
    schedule, steps = this.state["schedule"], this.state["steps"]
    if isinstance(schedule, Library) and steps:
        skipped = sum(
            v for k in ("skip_first", "wait", "warmup")
            if isinstance(v := schedule.state.get(k, 0), int)
        )  # fmt: skip
        begin = steps[min(skipped, len(steps)) - 1] if skipped else start
        launches = tuple(w for w in launches if w.index > begin)
    result = m.library("torch.profiler", start, launches=launches, self_warming=False,
                       site=this.state.get("site"))  # fmt: skip
    this.state["result"] = result
    if this.state.get("ready") is not None:
        calls.call(m, this.state["ready"], [this], {})


def _step(m: Machine, this: Library, arguments: Arguments, keywords: Keywords) -> None:
    this.state["steps"].append(m.device.tick())


def _profiled(m: Machine, this: Library, arguments: Arguments, keywords: Keywords) -> Any:
    return this.state.get("result", Opaque())


def _start(m: Machine, this: Library, arguments: Arguments, keywords: Keywords) -> Any:
    this.state["start"], this.state["site"] = m.device.tick(), m.site
    return this


def _stop(m: Machine, this: Library, arguments: Arguments, keywords: Keywords) -> Any:
    _leave_profile(m, this)


def _exported(m: Machine, this: Library, arguments: Arguments, keywords: Keywords) -> None:
    m.report("file", this.state.get("result", Opaque()))


def _tqdm(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    state: dict[str, Any] = {"start": m.read_clock("tqdm")}
    first = arguments[0] if arguments else keywords.get("iterable")
    if path.endswith("trange"):
        first = range(*[a for a in arguments if isinstance(a, int)])
    if first is not None:
        state["iterable"] = first
    return Library("tqdm", state)


def _host_work(m: Machine, this: Library, arguments: Arguments, keywords: Keywords) -> None:
    m.device.note(m.site, "host_work", "a progress bar")


def _enter_self(m: Machine, this: Library, inside: Callable[[Any], None]) -> None:
    inside(this)


def _report_factory(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    return Library("perf_report", {"plans": arguments[0] if arguments else None})


def _plan(m: Machine, path: str, arguments: Arguments, keywords: Keywords) -> Any:
    return Library("plan", dict(keywords))


def _decorate(m: Machine, this: Library, arguments: Arguments, keywords: Keywords) -> Any:
    return Library("report", {"plans": this.state["plans"], "function": arguments[0]})


def _run_report(m: Machine, this: Library, arguments: Arguments, keywords: Keywords) -> Any:
    """Run ``perf_report``: the function is called for each row and line, and the table printed."""
    plans = this.state["plans"]
    for plan in plans if isinstance(plans, (list, tuple)) else [plans]:
        if not isinstance(plan, Library):
            continue
        given = plan.state
        names = given.get("x_names", ())
        extra = given.get("args", {})

        def each(x: Any, plan_names: Any = names, args: Any = extra, state: Any = given) -> None:
            values = x if isinstance(x, (list, tuple)) else [x] * len(plan_names or ())
            row = dict(zip(plan_names, values, strict=False))
            for line in calls.items_of(m, state.get("line_vals", ())) or ():
                fixed = dict(args) if isinstance(args, dict) else {}
                call_with = {**row, str(state.get("line_arg")): line, **fixed}
                m.report("print", calls.call(m, this.state["function"], [], call_with))

        execute.loop(m, given.get("x_vals", ()), each)
    return Opaque()


TABLE: Mapping[str, Callable[..., Any]] = {
    "torch.utils.benchmark.Timer": _timer,
    "torch.utils.benchmark.utils.timer.Timer": _timer,
    "timeit.Timer": _timer,
    "timeit.timeit": _timeit_function,
    "timeit.repeat": _timeit_function,
    "ipython.time": _magic_time,
    "ipython.timeit": _magic_time,
    "torch.profiler.profile": _profile,
    "torch.autograd.profiler.profile": _profile,
    "torch.profiler.schedule": _schedule,
    "tqdm.tqdm": _tqdm,
    "tqdm.trange": _tqdm,
    "tqdm.auto.tqdm": _tqdm,
    "tqdm.auto.trange": _tqdm,
    "tqdm.std.tqdm": _tqdm,
    "tqdm.notebook.tqdm": _tqdm,
    "triton.testing.perf_report": _report_factory,
    "triton.testing.Benchmark": _plan,
}

METHODS: Mapping[tuple[str, str], Callable[..., Any]] = {
    ("timer", "timeit"): _measure,
    ("timer", "blocked_autorange"): _measure,
    ("timer", "adaptive_autorange"): _measure,
    ("timer", "repeat"): _measure,
    ("timeit", "timeit"): _timeit,
    ("timeit", "repeat"): _repeat,
    ("timeit", "autorange"): _autorange,
    ("profile", "step"): _step,
    ("profile", "start"): _start,
    ("profile", "stop"): _stop,
    ("profile", "__enter__"): _start,
    ("profile", "__exit__"): _stop,
    ("profile", "key_averages"): _profiled,
    ("profile", "events"): _profiled,
    ("profile", "export_chrome_trace"): _exported,
    ("tqdm", "update"): _host_work,
    ("tqdm", "set_postfix"): _host_work,
    ("perf_report", "__call__"): _decorate,
    ("report", "run"): _run_report,
    ("autotune", "__call__"): triton_api.apply_autotune,
}

CONTEXTS: Mapping[str, Callable[[Machine, Library, Callable[[Any], None]], None]] = {
    "profile": _enter_profile,
    "tqdm": _enter_self,
}
