"""Expressions: names, attributes, calls, operators, containers, comprehensions."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from typing import Any

from grader.discipline.static import calls, execute, polling
from grader.discipline.static.attributes import attribute, set_attribute
from grader.discipline.static.library import tensors
from grader.discipline.static.machine import DEEP, Machine
from grader.discipline.static.operators import binary, compare, subscript, unary
from grader.discipline.static.records import Site
from grader.discipline.static.values import (
    MISSING,
    Instance,
    Lib,
    Library,
    Opaque,
    Reading,
    Scope,
    Tensor,
    samples_of,
    text_of,
)


def evaluate(m: Machine, node: ast.expr | None, scope: Scope) -> Any:
    """Return what an expression stands for; what is not known is Opaque."""
    if node is None:
        return None
    m.step()
    m.depth += 1
    try:
        handler = _EXPRESSIONS.get(type(node))
        if handler is None or m.depth > DEEP * 10:
            return Opaque()
        return handler(m, node, scope)
    finally:
        m.depth -= 1


def truth(m: Machine, value: Any) -> bool | None:
    """Return whether a value is true, or None; looking into a tensor waits for the device."""
    if isinstance(value, Tensor):
        tensors.block(m, value)
        return None
    if isinstance(value, (Opaque, Reading)):
        return None
    if isinstance(value, Instance):
        for name in ("__bool__", "__len__"):
            found = value.cls.lookup(name)
            if found is not MISSING:
                inner = calls.call(m, calls.bind(found, value), [], {})
                return truth(m, inner) if not isinstance(inner, Instance) else None
        return True
    if isinstance(value, (Lib, Library)):
        return None if polling.is_answer(value) else True
    try:
        return bool(value)
    except Exception:
        return None


def _constant(m: Machine, node: ast.Constant, scope: Scope) -> Any:
    return node.value


def _name(m: Machine, node: ast.Name, scope: Scope) -> Any:
    return lookup(m, node.id, scope)


def lookup(m: Machine, name: str, scope: Scope) -> Any:
    """Resolve a name: local, enclosing, global, star imports, builtins."""
    if name in scope.declared_global:
        return _outermost(name, scope.top())
    here: Scope | None = scope
    first = True
    while here is not None:
        if (first or not here.is_class) and name in here.names:
            return here.names[name]
        here, first = here.parent, False
    return _outermost(name, scope.top())


def _outermost(name: str, top: Scope) -> Any:
    if name in top.names:
        return top.names[name]
    if top.stars and not hasattr(builtins, name):
        return Lib(f"{top.stars[-1]}.{name}")
    if hasattr(builtins, name):
        return Lib(f"builtins.{name}")
    return Opaque()


def assign(m: Machine, target: ast.expr, value: Any, scope: Scope) -> None:
    """Bind a value to a target of any shape."""
    if isinstance(target, ast.Name):
        _bind(target.id, value, scope)
    elif isinstance(target, (ast.Tuple, ast.List)):
        _unpack(m, target.elts, value, scope)
    elif isinstance(target, ast.Starred):
        assign(m, target.value, value, scope)
    elif isinstance(target, ast.Attribute):
        set_attribute(m, evaluate(m, target.value, scope), target.attr, value)
    elif isinstance(target, ast.Subscript):
        _store(m, evaluate(m, target.value, scope), evaluate(m, target.slice, scope), value)


def _bind(name: str, value: Any, scope: Scope) -> None:
    if name in scope.declared_global:
        scope.top().names[name] = value
        return
    if name in scope.declared_nonlocal:
        outer = scope.parent
        while outer is not None:
            if name in outer.names and not outer.is_class:
                outer.names[name] = value
                return
            outer = outer.parent
    scope.names[name] = value


def _unpack(m: Machine, targets: list[ast.expr], value: Any, scope: Scope) -> None:
    items = calls.items_of(m, value)
    star = next((i for i, t in enumerate(targets) if isinstance(t, ast.Starred)), None)
    if items is None or (star is None and len(items) != len(targets)):
        for target in targets:
            assign(m, target, calls.element_of(value), scope)
        return
    if star is None:
        for target, item in zip(targets, items, strict=True):
            assign(m, target, item, scope)
        return
    after = len(targets) - star - 1
    middle = list(items[star : len(items) - after])
    parts = [*items[:star], middle, *items[len(items) - after :]]
    for target, item in zip(targets, parts, strict=False):
        assign(m, target, item, scope)


def _store(m: Machine, box: Any, key: Any, value: Any) -> None:
    m.changes += 1
    if isinstance(box, dict):
        box[calls.key_of(key)] = value
    elif isinstance(box, list):
        index = key if isinstance(key, (int, slice)) else None
        try:
            if index is None:
                box.append(value)
            else:
                box[index] = value
        except (IndexError, TypeError, ValueError):
            box.append(value)
    elif isinstance(box, Library):
        box.state[str(calls.key_of(key))] = value
    elif isinstance(box, Tensor):
        tensors.write(m, box, value)
    elif isinstance(box, Instance) and box.cls.lookup("__setitem__") is not MISSING:
        calls.call(m, calls.bind(box.cls.lookup("__setitem__"), box), [key, value], {})


def _attribute(m: Machine, node: ast.Attribute, scope: Scope) -> Any:
    return attribute(m, evaluate(m, node.value, scope), node.attr)


def _call(m: Machine, node: ast.Call, scope: Scope) -> Any:
    site = Site(scope.file, m.line_of.get(id(node), node.lineno))
    if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
        return _super(scope)
    function = evaluate(m, node.func, scope)
    arguments: list[Any] = []
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            items = calls.items_of(m, evaluate(m, argument.value, scope))
            arguments += list(items or ())
        else:
            arguments.append(evaluate(m, argument, scope))
    keywords: dict[str, Any] = {}
    for keyword in node.keywords:
        value = evaluate(m, keyword.value, scope)
        if keyword.arg is not None:
            keywords[keyword.arg] = value
        elif isinstance(value, dict):
            keywords |= {str(k): v for k, v in value.items()}
    m.site = site
    if isinstance(function, Lib) and function.path in _SCOPED:
        return _scoped(m, function.path, arguments, scope)
    return calls.call(m, function, arguments, keywords)


_SCOPED = ("builtins.globals", "builtins.locals", "builtins.eval", "builtins.exec")


def _scoped(m: Machine, path: str, arguments: list[Any], scope: Scope) -> Any:
    if path == "builtins.globals":
        return scope.top().names
    if path == "builtins.locals":
        return scope.names
    return calls.run_text(m, arguments[0] if arguments else None, scope)


def _super(scope: Scope) -> Any:
    here: Scope | None = scope
    while here is not None and here.this is None:
        here = here.parent
    if here is None:
        return Opaque()
    return Library("super", {"this": here.this, "owner": here.owner})


def _binary(m: Machine, node: ast.BinOp, scope: Scope) -> Any:
    # long chains of one operator lean to the left: walk them without recursion
    spine: list[ast.BinOp] = []
    left: ast.expr = node
    while isinstance(left, ast.BinOp):
        spine.append(left)
        left = left.left
    value = evaluate(m, left, scope)
    for link in reversed(spine):
        m.step()
        right = evaluate(m, link.right, scope)
        value = binary(m, type(link.op), value, right)
    return value


def _unary(m: Machine, node: ast.UnaryOp, scope: Scope) -> Any:
    value = evaluate(m, node.operand, scope)
    if isinstance(node.op, ast.Not) and polling.is_answer(value):
        return polling.inverted(value)
    if isinstance(node.op, ast.Not):
        decided = truth(m, value)
        return Opaque(samples_of(value)) if decided is None else not decided
    return unary(m, type(node.op), value)


def _boolean(m: Machine, node: ast.BoolOp, scope: Scope) -> Any:
    wants = isinstance(node.op, ast.Or)
    unknown: list[Any] = []
    value: Any = None
    for part in node.values:
        value = evaluate(m, part, scope)
        decided = truth(m, value)
        if decided is wants:
            return value if not unknown else (value if wants is False else unknown[0])
        if decided is None:
            unknown.append(value)
    if any(polling.is_answer(v) for v in unknown):
        return unknown[0] if len(unknown) == 1 else polling.joined(unknown, every=not wants)
    return value if not unknown else unknown[0]


def _compare(m: Machine, node: ast.Compare, scope: Scope) -> Any:
    left = evaluate(m, node.left, scope)
    result: Any = True
    for operator, part in zip(node.ops, node.comparators, strict=True):
        right = evaluate(m, part, scope)
        result = compare(m, type(operator), left, right)
        if result is False:
            return False
        left = right
    return result


def _conditional(m: Machine, node: ast.IfExp, scope: Scope) -> Any:
    decided = truth(m, evaluate(m, node.test, scope))
    if decided is not None:
        return evaluate(m, node.body if decided else node.orelse, scope)
    with m.maybe():
        one, other = evaluate(m, node.body, scope), evaluate(m, node.orelse, scope)
    return calls.join(m, [one, other])


def _list(m: Machine, node: ast.List, scope: Scope) -> Any:
    return list(_elements(m, node.elts, scope))


def _tuple(m: Machine, node: ast.Tuple, scope: Scope) -> Any:
    return tuple(_elements(m, node.elts, scope))


def _set(m: Machine, node: ast.Set, scope: Scope) -> Any:
    return list(dict.fromkeys(calls.key_of(v) for v in _elements(m, node.elts, scope)))


def _elements(m: Machine, nodes: list[ast.expr], scope: Scope) -> list[Any]:
    found: list[Any] = []
    for node in nodes:
        if isinstance(node, ast.Starred):
            found += list(calls.items_of(m, evaluate(m, node.value, scope)) or ())
        else:
            found.append(evaluate(m, node, scope))
    return found


def _dict(m: Machine, node: ast.Dict, scope: Scope) -> Any:
    made: dict[Any, Any] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            inner = evaluate(m, value, scope)
            made |= inner if isinstance(inner, dict) else {}
        else:
            made[calls.key_of(evaluate(m, key, scope))] = evaluate(m, value, scope)
    return made


def _comprehension(m: Machine, node: Any, scope: Scope) -> Any:
    found: list[Any] = []
    inner = Scope({}, scope, scope.file, this=scope.this, owner=scope.owner)
    inner.on_yield = scope.on_yield

    def each(generators: list[ast.comprehension]) -> None:
        if not generators:
            if isinstance(node, ast.DictComp):
                found.append((evaluate(m, node.key, inner), evaluate(m, node.value, inner)))
            else:
                found.append(evaluate(m, node.elt, inner))
            return
        first, rest = generators[0], generators[1:]

        def body(value: Any) -> None:
            assign(m, first.target, value, inner)
            for test in first.ifs:
                if truth(m, evaluate(m, test, inner)) is False:
                    return
            each(rest)

        execute.loop(m, evaluate(m, first.iter, inner), body)

    each(list(node.generators))
    if isinstance(node, ast.DictComp):
        return {calls.key_of(k): v for k, v in found}
    return found


def _subscript(m: Machine, node: ast.Subscript, scope: Scope) -> Any:
    box = evaluate(m, node.value, scope)
    return subscript(m, box, evaluate(m, node.slice, scope))


def _slice(m: Machine, node: ast.Slice, scope: Scope) -> Any:
    parts = [evaluate(m, p, scope) for p in (node.lower, node.upper, node.step)]
    if all(p is None or (isinstance(p, int) and not isinstance(p, bool)) for p in parts):
        return slice(*parts)
    return Opaque()


def _lambda(m: Machine, node: ast.Lambda, scope: Scope) -> Any:
    return calls.function_of(m, node, scope)


def _joined(m: Machine, node: ast.JoinedStr, scope: Scope) -> Any:
    text, samples = "", Opaque().samples
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            value = evaluate(m, part.value, scope)
            value = calls.shown(m, value)
            text += text_of(value)[:400]
            samples |= samples_of(value)
            if part.format_spec is not None:
                evaluate(m, part.format_spec, scope)
        else:
            text += str(getattr(part, "value", ""))
    known = not any(isinstance(p, ast.FormattedValue) for p in node.values)
    if known or (not samples and _all_plain(m, node)):
        return text
    return Opaque(samples, text[:2000])


def _all_plain(m: Machine, node: ast.JoinedStr) -> bool:
    return all(
        isinstance(p, ast.Constant)
        or (isinstance(p, ast.FormattedValue) and p.format_spec is None and p.conversion == -1)
        for p in node.values
    )


def _named(m: Machine, node: ast.NamedExpr, scope: Scope) -> Any:
    value = evaluate(m, node.value, scope)
    assign(m, node.target, value, scope)
    return value


def _starred(m: Machine, node: ast.Starred, scope: Scope) -> Any:
    return evaluate(m, node.value, scope)


def _await(m: Machine, node: ast.Await, scope: Scope) -> Any:
    return evaluate(m, node.value, scope)


def _yield(m: Machine, node: ast.Yield, scope: Scope) -> Any:
    value = evaluate(m, node.value, scope)
    if scope.on_yield is not None:
        scope.on_yield(value)
    return None


def _yield_from(m: Machine, node: ast.YieldFrom, scope: Scope) -> Any:
    value = evaluate(m, node.value, scope)
    if scope.on_yield is not None:
        execute.loop(m, value, scope.on_yield)
    return None


_EXPRESSIONS: dict[type[ast.expr], Callable[[Machine, Any, Scope], Any]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.Call: _call,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _boolean,
    ast.Compare: _compare,
    ast.IfExp: _conditional,
    ast.List: _list,
    ast.Tuple: _tuple,
    ast.Set: _set,
    ast.Dict: _dict,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _comprehension,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.Lambda: _lambda,
    ast.JoinedStr: _joined,
    ast.NamedExpr: _named,
    ast.Starred: _starred,
    ast.Await: _await,
    ast.Yield: _yield,
    ast.YieldFrom: _yield_from,
}
