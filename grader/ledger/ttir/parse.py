"""Read the text form of a Triton IR module.

The printed form is line-oriented: one operation a line, regions in braces. Only what Triton's
front end produces is read; anything else raises IRError, which becomes "not measured".
"""

from __future__ import annotations

import re

from grader.ledger.ttir.ir import (
    Block,
    Function,
    IRError,
    Module,
    Op,
    Type,
    read_type,
    read_types,
    split_top,
)

MAX_CHARACTERS = 4_000_000
MAX_DEPTH = 64

_LOCATION_LINE = re.compile(r"#(loc\d*) = loc\((.*)\)$")
_PLACE = re.compile(r'"[^"]*":(\d+):\d+')
_REFERENCE = re.compile(r"#(loc\d*)")
_FUNCTION = re.compile(r'tt\.func (public |private )?@(?:"([^"]*)"|([\w.$-]+))(\(.*)\{$')
_NAME = r"%[\w.$-]+"
_OPERAND = re.compile(rf"{_NAME}(?:#\d+)?")
_RESULTS = re.compile(rf"((?:{_NAME}(?::\d+)?(?:, )?)+) = (.*)$")
_FOR = re.compile(
    rf"(?:unsigned )?({_NAME}) = ({_NAME}(?:#\d+)?) to ({_NAME}(?:#\d+)?) step ({_NAME}(?:#\d+)?)"
    r"(?:\s+iter_args\((.*?)\) -> \((.*)\))?\s*(?:: \w+)?$"
)
_BLOCK = re.compile(r"\^(\w+)(?:\((.*)\))?:")
_BRANCH = re.compile(r"\^(\w+)(?:\(([^)]*)\))?")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')


def parse(text: str) -> Module:
    """Return the module that ``text`` prints. Raises IRError if it cannot be followed."""
    if len(text) > MAX_CHARACTERS:
        raise IRError(f"the IR has {len(text):,} characters; at most {MAX_CHARACTERS:,} are read")
    try:
        return _Reader(text).module()
    except (IndexError, KeyError, ValueError, RecursionError) as error:
        raise IRError(f"the IR cannot be read: {error!r:.80}") from None


class _Reader:
    def __init__(self, text: str) -> None:
        self.lines: list[tuple[str, int | None]] = []
        raw = text.split("\n")
        places = _places(raw)
        for line in raw:
            code, location = _strip_location(line.strip())
            if code and not code.startswith(("#", "//", "module", "{-#")):
                self.lines.append((code, places.get(location)))
        self.at = 0

    def module(self) -> Module:
        functions: dict[str, Function] = {}
        entry: Function | None = None
        while self.at < len(self.lines):
            code, _ = self.lines[self.at]
            if match := _FUNCTION.match(code):
                function = self._function(match)
                functions[function.name] = function
                if entry is None and match[1] != "private ":
                    entry = function
            else:
                self.at += 1
        if entry is None:
            raise IRError("the IR holds no kernel")
        return Module(entry, functions)

    def _function(self, match: re.Match[str]) -> Function:
        self.at += 1
        names, types = [], []
        for argument in split_top(_in_parentheses(match[4]), ","):
            if argument:
                name, _, rest = argument.partition(":")
                names.append(name.strip())
                types.append(read_type(rest.split("{")[0].split(" loc(")[0]))
        name = match[2] or match[3]
        return Function(name, tuple(names), tuple(types), self._blocks(1))

    def _blocks(self, depth: int) -> list[Block]:
        """Read blocks until the brace that closes their region, which stays unread."""
        if depth > MAX_DEPTH:
            raise IRError("the IR is nested too deeply")
        blocks = [Block("entry")]
        while not self.lines[self.at][0].startswith("}"):
            code, line = self.lines[self.at]
            if match := _BLOCK.match(code):
                block = Block(match[1], _argument_names(match[2] or ""))
                if blocks[-1].label == "entry" and not blocks[-1].ops:
                    blocks.pop()
                blocks.append(block)
                self.at += 1
            else:
                blocks[-1].ops.append(self._op(code, line, depth))
        return blocks

    def _op(self, code: str, line: int | None, depth: int) -> Op:
        self.at += 1
        results: tuple[str, ...] = ()
        if match := _RESULTS.match(code):
            results, code = _result_names(match[1]), match[2]
        op = _special(code) or _plain(code)
        op.results, op.line = results, line
        if code.endswith("{"):
            self._regions(op, depth)
        return op

    def _regions(self, op: Op, depth: int) -> None:
        while True:
            op.regions.append(self._blocks(depth + 1))
            closing, _ = self.lines[self.at]
            self.at += 1
            if closing.endswith("{"):  # "} else {", "} do {"
                continue
            if closing.startswith("}) : "):
                op.inputs, op.outputs = _signature(closing[5:])
            return


def _in_parentheses(text: str) -> str:
    """Return what stands between the first parenthesis and the one that closes it."""
    depth = 0
    for i, char in enumerate(_STRING.sub(lambda m: "x" * len(m[0]), text)):
        depth += (char == "(") - (char == ")")
        if depth == 0:
            return text[1:i]
    raise IRError("parentheses do not match")


def _places(lines: list[str]) -> dict[str, int]:
    """Return the source line of each location, following names and call sites to the callee."""
    texts = {m[1]: m[2] for line in lines if (m := _LOCATION_LINE.match(line.strip()))}
    found: dict[str, int] = {}

    def line_of(text: str, depth: int) -> int | None:
        if match := _PLACE.search(text):
            return int(match[1])
        references = _REFERENCE.findall(text)
        if references and depth < MAX_DEPTH:
            return line_of(texts.get(references[-1], ""), depth + 1)
        return None

    for name, text in texts.items():
        line = line_of(text, 0)
        if line is not None:
            found[name] = line
    return found


def _strip_location(line: str) -> tuple[str, str]:
    """Cut a trailing ``loc(#loc3)`` and return its name."""
    at = line.rfind(" loc(")
    if at < 0 or not line.endswith(")"):
        return line, ""
    reference = _REFERENCE.search(line, at)
    return line[:at].rstrip(), reference[1] if reference else ""


def _result_names(text: str) -> tuple[str, ...]:
    names: list[str] = []
    for part in text.split(", "):
        name, _, count = part.partition(":")
        names += [f"{name}#{i}" for i in range(int(count))] if count else [name]
    return tuple(names)


def _argument_names(text: str) -> tuple[str, ...]:
    return tuple(part.partition(":")[0].strip() for part in split_top(text, ",") if part)


def _special(code: str) -> Op | None:
    """Read the operations whose printed form is their own."""
    head, _, rest = code.partition(" ")
    match head:
        case "arith.constant":
            return _constant(rest)
        case "scf.for":
            return _for(rest.removesuffix("{").strip())
        case "scf.while":
            return _while(rest.removesuffix("{").strip())
        case "cf.br" | "cf.cond_br":
            targets = tuple((m[1], _operands(m[2] or "")) for m in _BRANCH.finditer(rest))
            return Op(head, operands=_operands(rest.partition("^")[0]), successors=targets)
    return None


def _constant(rest: str) -> Op:
    if rest in ("true", "false"):
        return Op("arith.constant", literal=rest, outputs=(Type("i1"),))
    value, _, kind = rest.rpartition(" : ")
    if value.startswith("{"):
        value = value.partition("} ")[2]
    return Op("arith.constant", literal=value, outputs=(read_type(kind),))


def _for(rest: str) -> Op:
    match = _FOR.match(rest)
    if match is None:
        raise IRError(f"loop {rest[:60]!r} cannot be followed")
    pairs = [part.split(" = ") for part in split_top(match[5] or "", ",") if part]
    return Op(
        "scf.for",
        operands=(match[2], match[3], match[4], *(start for _, start in pairs)),
        words=(match[1], *(name for name, _ in pairs)),
        outputs=read_types(match[6] or ""),
    )


def _while(rest: str) -> Op:
    inner, _, signature = rest.removeprefix("(").partition(") : ")
    if not signature:  # no carried values
        return Op("scf.while")
    pairs = [part.split(" = ") for part in split_top(inner, ",") if part]
    inputs, outputs = _signature(signature)
    return Op(
        "scf.while",
        operands=tuple(start for _, start in pairs),
        words=tuple(name for name, _ in pairs),
        inputs=inputs,
        outputs=outputs,
    )


def _plain(code: str) -> Op:
    """Read ``name words operands {attributes} : signature``, in any order of the middle parts."""
    code = code.removesuffix("({").removesuffix("{").strip()
    quoted = [m[0] for m in _STRING.finditer(code)]
    bare = _STRING.sub("“”", code)  # so that no bracket inside a string counts
    head = bare.split("(")[0].split(" ")[0]
    if head == "“”":  # generic form: "tt.reduce"(%x)
        head, bare = quoted.pop(0).strip('"'), bare[2:]
    else:
        bare = bare[len(head) :]
    body, signature = _cut_signature(bare)
    body, attributes = _attributes(body, quoted)
    inputs, outputs = _signature(signature) if signature else ((), ())
    words = re.findall(r"[@#]?[A-Za-z_][\w.$]*(?: = \w+)?", _OPERAND.sub("", body))
    if head == "tt.call" and quoted:
        words.append("@" + quoted[0].strip('"'))
    return Op(
        head,
        operands=_operands(body),
        words=tuple(words),
        attributes=attributes,
        inputs=inputs,
        outputs=outputs,
    )


def _operands(text: str) -> tuple[str, ...]:
    return tuple(_OPERAND.findall(text))


def _cut_signature(text: str) -> tuple[str, str]:
    parts = split_top(text, " : ")
    if len(parts) > 1:
        return " : ".join(parts[:-1]), parts[-1]
    before, arrow, types = text.partition(" -> ")  # scf.if %c -> (f32)
    return (before, f"-> {types}") if arrow else (text, "")


def _signature(text: str) -> tuple[tuple[Type, ...], tuple[Type, ...]]:
    """Read ``T``, ``T1, T2``, ``T1 -> T2``, ``T1 to T2``, ``A * B -> C`` or ``(T…) -> (T…)``."""
    if text.startswith("-> "):
        return (), read_types(text[3:])
    for arrow in (" -> ", " to "):
        parts = split_top(text, arrow)
        if len(parts) == 2:
            return read_types(parts[0].replace(" * ", ", ")), read_types(parts[1])
    types = read_types(text)
    return types, types[-1:]


def _attributes(body: str, quoted: list[str]) -> tuple[str, dict[str, str]]:
    """Cut every ``{…}`` or ``<{…}>`` out of ``body`` and return its entries as text."""
    attributes: dict[str, str] = {}
    strings = iter(quoted)
    while (start := body.find("{")) >= 0:
        end = body.rfind("}")
        if end < start:
            raise IRError("braces do not match")
        for entry in split_top(body[start + 1 : end], ","):
            name, _, value = entry.partition(" = ")
            if "“”" in value:
                value = value.replace("“”", next(strings, '""'))
            attributes[name.strip()] = value.split(" : ")[0].strip()
        body = body[:start].removesuffix("<") + " " + body[end + 1 :].removeprefix(">")
    return body, attributes
