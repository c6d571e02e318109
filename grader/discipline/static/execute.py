"""Statements: blocks, branches, loops, definitions, imports, ``with`` and ``try``."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from grader.discipline.static import calls, imports, polling
from grader.discipline.static.evaluate import assign, evaluate, truth
from grader.discipline.static.machine import (
    Broken,
    Continued,
    Exit,
    Machine,
    Raised,
    Returned,
)
from grader.discipline.static.records import Site
from grader.discipline.static.values import (
    Bound,
    Class,
    Instance,
    Lib,
    Library,
    Opaque,
    Scope,
    samples_of,
)

FULL = 30_000  # steps that one loop may take before iterations are left out
HEAD, TAIL = 12, 3


def run_block(m: Machine, body: list[ast.stmt], scope: Scope) -> None:
    """Follow statements in order."""
    for statement in body:
        run(m, statement, scope)


def run(m: Machine, node: ast.stmt, scope: Scope) -> None:
    """Follow one statement; a kind that is not known is skipped."""
    m.step()
    m.site = Site(scope.file, m.line_of.get(id(node), node.lineno))
    handler = _STATEMENTS.get(type(node))
    if handler is not None:
        handler(m, node, scope)


def _expression(m: Machine, node: ast.Expr, scope: Scope) -> None:
    evaluate(m, node.value, scope)


def _assign(m: Machine, node: ast.Assign, scope: Scope) -> None:
    value = evaluate(m, node.value, scope)
    for target in node.targets:
        assign(m, target, value, scope)


def _annotated(m: Machine, node: ast.AnnAssign, scope: Scope) -> None:
    if node.value is not None:
        assign(m, node.target, evaluate(m, node.value, scope), scope)
    elif scope.is_class and isinstance(node.target, ast.Name):
        scope.names.setdefault("__fields__", []).append(node.target.id)
        return
    if scope.is_class and isinstance(node.target, ast.Name):
        scope.names.setdefault("__fields__", []).append(node.target.id)


def _augmented(m: Machine, node: ast.AugAssign, scope: Scope) -> None:
    load: ast.expr = node.target
    made = ast.BinOp(left=load, op=node.op, right=node.value)
    ast.copy_location(made, node)
    assign(m, node.target, evaluate(m, made, scope), scope)


def _if(m: Machine, node: ast.If, scope: Scope) -> None:
    value = evaluate(m, node.test, scope)
    if polling.is_answer(value):
        _if_answered(m, node, value, scope)
        return
    decided = truth(m, value)
    if decided is not None:
        run_block(m, node.body if decided else node.orelse, scope)
        return
    with m.maybe():
        for body in (node.body, node.orelse):
            _uncertain(m, body, scope)


def _if_answered(m: Machine, node: ast.If, value: Library, scope: Scope) -> None:
    """Follow the side where the device is done; in a bounded loop it may never be reached."""
    polling.believed(m, value, sure=not m.bounded)
    run_block(m, node.orelse if value.state["negated"] else node.body, scope)


def _uncertain(m: Machine, body: list[ast.stmt], scope: Scope) -> None:
    """Follow a block that may not run: what it leaves early with is only a possibility."""
    try:
        run_block(m, body, scope)
    except Returned as returned:
        scope.names.setdefault("__maybe__", []).append(returned.value)
    except Broken:
        scope.names["__maybe_break__"] = True
    except (Continued, Raised):
        pass


def _for(m: Machine, node: ast.For | ast.AsyncFor, scope: Scope) -> None:
    iterable = evaluate(m, node.iter, scope)

    def body(value: Any) -> None:
        assign(m, node.target, value, scope)
        run_block(m, node.body, scope)

    bounded = m.bounded
    used = {n.id for s in node.body for n in ast.walk(s) if isinstance(n, ast.Name)}
    named = {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)}
    m.bounded += 1
    try:
        loop(m, iterable, body, repeats=not (used & named))
    except Broken:
        return
    finally:
        m.bounded = bounded
    run_block(m, node.orelse, scope)


def loop(m: Machine, iterable: Any, body: Callable[[Any], None], *, repeats: bool = False) -> None:
    """Call ``body`` for each item; leave out the middle of long loops.

    ``repeats`` says that the body does not look at the item: it is followed until an iteration
    changes nothing that the previous one did not.
    """
    stream = calls.generator(m, iterable)
    if stream is not None:
        stream(_shielded(body))
        return
    items = calls.items_of(m, iterable)
    if items is None:
        with m.maybe():
            for _ in range(2):
                _once(body, calls.element_of(iterable))
        return
    before, index = m.steps, 0
    while index < len(items):
        changes, seen = m.changes, _cold_count(m)
        _once(body, items[index])
        index += 1
        spent = m.steps - before
        if repeats and index >= 3 and m.changes == changes and _cold_count(m) == seen:
            break
        if index >= HEAD and spent / index * len(items) > FULL and index < len(items) - TAIL:
            index = len(items) - TAIL


def _cold_count(m: Machine) -> int:
    return len(m.device.seen)


def _once(body: Callable[[Any], None], value: Any) -> None:
    try:
        body(value)
    except Continued:
        return


def _shielded(body: Callable[[Any], None]) -> Callable[[Any], None]:
    return lambda value: _once(body, value)


def _while(m: Machine, node: ast.While, scope: Scope) -> None:
    bounded, m.bounded = m.bounded, 0
    try:
        _rounds(m, node, scope)
    finally:
        m.bounded = bounded


def _rounds(m: Machine, node: ast.While, scope: Scope) -> None:
    for count in range(200):
        value = evaluate(m, node.test, scope)
        if polling.is_answer(value) and count >= 1:
            if value.state["negated"]:
                polling.believed(m, value)
            break
        decided = truth(m, value)
        if decided is False:
            break
        if decided is None and count >= 3:
            break
        scope.names.pop("__maybe_break__", None)
        try:
            run_block(m, node.body, scope)
        except Broken:
            return
        except Continued:
            pass
        if scope.names.pop("__maybe_break__", None) and count >= 3:
            return
    run_block(m, node.orelse, scope)


def _return(m: Machine, node: ast.Return, scope: Scope) -> None:
    raise Returned(None if node.value is None else evaluate(m, node.value, scope))


def _raise(m: Machine, node: ast.Raise, scope: Scope) -> None:
    value = evaluate(m, node.exc, scope) if node.exc is not None else None
    name = value.path if isinstance(value, Lib) else getattr(value, "kind", "")
    if "SystemExit" in str(name):
        raise Exit(value)
    raise Raised(value)


def _break(m: Machine, node: ast.Break, scope: Scope) -> None:
    raise Broken


def _continue(m: Machine, node: ast.Continue, scope: Scope) -> None:
    raise Continued


def _function(m: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: Scope) -> None:
    made: Any = calls.function_of(m, node, scope)
    for decorator in reversed(node.decorator_list):
        made = calls.call(m, evaluate(m, decorator, scope), [made], {})
    assign(m, ast.copy_location(ast.Name(node.name, ast.Store()), node), made, scope)


def _class(m: Machine, node: ast.ClassDef, scope: Scope) -> None:
    bases = tuple(evaluate(m, base, scope) for base in node.bases)
    inner = Scope({}, scope, scope.file, is_class=True)
    made: Any = Class(node.name, bases, inner.names)
    inner.owner = made
    run_block(m, node.body, inner)
    made.fields = tuple(dict.fromkeys(inner.names.pop("__fields__", [])))
    for value in inner.names.values():
        calls.own(value, made)
    if any(isinstance(b, Lib) and b.path.endswith("NamedTuple") for b in bases):
        made.dataclass = True
    for decorator in reversed(node.decorator_list):
        made = calls.call(m, evaluate(m, decorator, scope), [made], {})
    scope.names[node.name] = made


def _import(m: Machine, node: ast.Import, scope: Scope) -> None:
    for alias in node.names:
        imports.load(m, alias.name, alias.asname, scope)


def _import_from(m: Machine, node: ast.ImportFrom, scope: Scope) -> None:
    imports.load_from(m, node, scope)


def _with(m: Machine, node: ast.With | ast.AsyncWith, scope: Scope) -> None:
    _enter(m, list(node.items), node, scope)


def _enter(
    m: Machine, items: list[ast.withitem], node: ast.With | ast.AsyncWith, scope: Scope
) -> None:
    if not items:
        run_block(m, node.body, scope)
        return
    item, rest = items[0], items[1:]
    manager = evaluate(m, item.context_expr, scope)

    def inside(value: Any) -> None:
        if item.optional_vars is not None:
            assign(m, item.optional_vars, value, scope)
        _enter(m, rest, node, scope)

    within(m, manager, inside, Site(scope.file, node.lineno))


def within(m: Machine, manager: Any, inside: Callable[[Any], None], site: Site) -> None:
    """Run ``inside`` in a context manager."""
    stream = calls.generator(m, manager)
    if stream is not None:
        _through_generator(stream, inside)
        return
    if isinstance(manager, Instance) and not isinstance(manager.cls.lookup("__enter__"), Lib):
        enter, leave = manager.cls.lookup("__enter__"), manager.cls.lookup("__exit__")
        value = calls.call(m, Bound(enter, manager), [], {})
        _finally(lambda: inside(value), lambda: _leave(m, leave, manager, site))
        return
    calls.library_context(m, manager, inside)


def _leave(m: Machine, leave: Any, manager: Instance, site: Site) -> None:
    m.site = site
    calls.call(m, Bound(leave, manager), [None, None, None], {})


def _finally(body: Callable[[], None], after: Callable[[], None]) -> None:
    try:
        body()
    except (Returned, Broken, Continued, Raised):
        after()
        raise
    after()


def _through_generator(stream: Any, inside: Callable[[Any], None]) -> None:
    """The body runs where the manager yields; what leaves the body leaves after the manager."""
    leaving: list[Exception] = []

    def at_yield(value: Any) -> None:
        try:
            inside(value)
        except (Returned, Broken, Continued, Raised) as signal:
            leaving.append(signal)

    stream(at_yield)
    if leaving:
        raise leaving[0]


def _try(m: Machine, node: ast.Try, scope: Scope) -> None:
    try:
        try:
            run_block(m, node.body, scope)
        except Exit:
            raise
        except Raised:
            if node.handlers:
                handler = node.handlers[0]
                if handler.name:
                    scope.names[handler.name] = Opaque()
                run_block(m, handler.body, scope)
            else:
                raise
        else:
            run_block(m, node.orelse, scope)
    except (Returned, Broken, Continued, Raised):
        run_block(m, node.finalbody, scope)
        raise
    run_block(m, node.finalbody, scope)


def _assert(m: Machine, node: ast.Assert, scope: Scope) -> None:
    value = evaluate(m, node.test, scope)
    truth(m, value)
    if samples_of(value):
        m.report("assert", value)


def _global(m: Machine, node: ast.Global, scope: Scope) -> None:
    scope.declared_global.update(node.names)


def _nonlocal(m: Machine, node: ast.Nonlocal, scope: Scope) -> None:
    scope.declared_nonlocal.update(node.names)


def _delete(m: Machine, node: ast.Delete, scope: Scope) -> None:
    for target in node.targets:
        if isinstance(target, ast.Name):
            scope.names.pop(target.id, None)
        elif isinstance(target, ast.Subscript):
            box, key = evaluate(m, target.value, scope), evaluate(m, target.slice, scope)
            m.changes += 1
            try:
                del box[key]
            except Exception:
                continue


def _match(m: Machine, node: ast.Match, scope: Scope) -> None:
    subject = evaluate(m, node.subject, scope)
    for case in node.cases:
        matched = _matches(m, case.pattern, subject, scope)
        if matched and case.guard is not None:
            matched = truth(m, evaluate(m, case.guard, scope))
        if matched:
            run_block(m, case.body, scope)
            return
        if matched is None:
            with m.maybe():
                _uncertain(m, case.body, scope)


def _matches(m: Machine, pattern: ast.pattern, subject: Any, scope: Scope) -> bool | None:
    if isinstance(pattern, ast.MatchValue):
        value = evaluate(m, pattern.value, scope)
        known = isinstance(subject, (str, int, float, bool, tuple)) and not isinstance(
            value, Opaque
        )
        return bool(value == subject) if known else None
    if isinstance(pattern, ast.MatchSingleton):
        return None if isinstance(subject, Opaque) else subject is pattern.value
    if isinstance(pattern, ast.MatchOr):
        found = [_matches(m, p, subject, scope) for p in pattern.patterns]
        return True if True in found else (None if None in found else False)
    if isinstance(pattern, ast.MatchAs):
        inner = True if pattern.pattern is None else _matches(m, pattern.pattern, subject, scope)
        if inner is not False and pattern.name:
            scope.names[pattern.name] = subject
        return inner
    if isinstance(pattern, ast.MatchSequence) and isinstance(subject, (list, tuple)):
        return _matches_all(m, pattern, subject, scope)
    return None


def _matches_all(m: Machine, pattern: ast.MatchSequence, subject: Any, scope: Scope) -> bool | None:
    if len(pattern.patterns) != len(subject):
        return False
    found = [_matches(m, p, s, scope) for p, s in zip(pattern.patterns, subject, strict=True)]
    return False if False in found else (None if None in found else True)


_STATEMENTS: dict[type[ast.stmt], Callable[[Machine, Any, Scope], None]] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.If: _if,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: _while,
    ast.Return: _return,
    ast.Raise: _raise,
    ast.Break: _break,
    ast.Continue: _continue,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Try: _try,
    ast.TryStar: _try,
    ast.Assert: _assert,
    ast.Global: _global,
    ast.Nonlocal: _nonlocal,
    ast.Delete: _delete,
    ast.Match: _match,
}
