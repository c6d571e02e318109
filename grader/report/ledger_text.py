"""A byte ledger as a plain table: bytes and multiples of |x| for each operator and kernel."""

from __future__ import annotations

from grader.function_ledger import FunctionLedger
from grader.ledger.records import Ledger
from grader.report.clean import clean
from grader.report.figures import passes


def ledger_text(found: FunctionLedger) -> str:
    """Return the ledger of one call; |x| is the first argument."""
    arguments = ", ".join(f"{a.dtype}[{' × '.join(map(str, a.shape))}]" for a in found.arguments)
    lines = [f"{clean(found.function)}({arguments})", "", *_table(found.ledger)]
    if found.as_written is not None:
        lines += ["", "as written, before the compiler merged accesses:", *_table(found.as_written)]
    for unsound in found.unsound:
        lines.append(f"  ! {clean(str(unsound))}")
    lines.append("")
    lines.append(f"counted in a {found.held.level.label} sandbox")
    return "\n".join(lines) + "\n"


def _table(ledger: Ledger) -> list[str]:
    head = f"{'':28} {'line':>5} {'read':>14} {'written':>14} {'moved':>10}"
    lines = [head]
    for row in ledger.rows:
        if row.free:
            continue
        name = clean(row.name, limit=28)
        multiple = passes(ledger.multiple(row.moved))
        lines.append(
            f"{name:28} {row.line or '':>5} {row.read:>14,} {row.written:>14,} {multiple:>10}"
        )
        lines += [f"    {clean(row.note, limit=90)}"] if row.note else []
    total = passes(ledger.multiple(ledger.moved))
    lines.append(
        f"{f'{ledger.launches} launches':34} {ledger.read:>14,} {ledger.written:>14,} {total:>10}"
    )
    return lines
