"""Which field each key of a YAML sheet belongs to, wherever it was put."""

from __future__ import annotations

from collections.abc import Iterator

from grader.intake.markdown_text import Passage, joined
from grader.intake.running_text import figures_in
from grader.intake.sheet import match_place, match_section, normalise
from grader.intake.yaml_fields import Fields
from grader.intake.yaml_found import Found, Row
from grader.intake.yaml_keys import STUDENT_KEYS, Keys
from grader.intake.yaml_nodes import Mapping, Node, Scalar, Sequence
from grader.rubric.schema import Column, Field, Section, Sheet

_MERGE = "<<"


class Placement:
    """Goes through the keys of a sheet and puts what stands under them into ``found``."""

    def __init__(self, sheet: Sheet, keys: Keys, found: Found) -> None:
        self._sheet = sheet
        self._keys = keys
        self._found = found
        self._fields = Fields(found)

    def place(self, root: Mapping) -> None:
        """Place everything below the top of the sheet."""
        for key, value in self._pairs(root):
            self._top(key, value)

    def _top(self, key: Scalar, value: Node) -> None:
        label = key.body.text
        section = match_section(self._sheet, label)
        if normalise(label) in STUDENT_KEYS:
            self._student(normalise(label), value)
        elif section is not None:
            if not self._keys.is_template(label):
                self._found.log.note("other-key", key.body, read=section.key)
            self._section(section, value)
        elif self._anywhere(key, value):
            self._found.log.note("other-place", key.body)
        elif isinstance(value, Mapping) and self._wraps(value):
            self.place(value)
        else:
            self._unknown(key, value)

    def _wraps(self, value: Mapping) -> bool:
        """Return True if a key of the student's own stands around the sheet (``answers:``)."""
        return any(match_section(self._sheet, key.body.text) for key, _ in value.pairs)

    def _student(self, label: str, value: Node) -> None:
        match value:
            case Mapping():
                for key, inner in self._pairs(value):
                    inner_label = normalise(key.body.text)
                    if inner_label in STUDENT_KEYS:
                        self._student(inner_label, inner)
                    else:
                        self._unknown(key, inner)
            case Scalar() if not value.blank:
                if label == "name":
                    self._found.name = self._found.name or value.body.text.strip()
                else:
                    self._found.student = self._found.student or value.body.text.strip()
            case Sequence():
                self._found.remark(value)

    # A part of the sheet

    def _section(self, section: Section, value: Node) -> None:
        whole = next((f for f in section.fields if f.key == section.key), None)
        if whole is not None:
            self._fields.put(whole, value, self._elsewhere(section))
            return
        match value:
            case Mapping():
                for key, inner in self._pairs(value):
                    self._in_section(section, key, inner)
            case Sequence():
                self._found.log.note("other-shape", value.source)
                for item in value.items:
                    self._section(section, item)
            case Scalar() if not value.blank:
                self._part_as_text(section, value)

    def _part_as_text(self, section: Section, value: Scalar) -> None:
        """Take a part that is one text as its last prose answer, for a person to look at."""
        self._found.log.note("part-as-text", value.source, keys=[section.key])
        self._figures(section, value.body)
        prose = [field for field in section.fields if field.kind == "prose"]
        if prose:
            self._found.put(prose[-1].key, self._found.text(value, prose=True))
        else:
            self._found.remark(value)

    def _figures(self, section: Section, body: Passage) -> None:
        """Fill places with the figures that the text gives for them."""
        nothing = dict.fromkeys((field.key for field in section.fields), False)
        rows: dict[str, Row] = {}
        for key, value in figures_in(section, body, nothing):
            row, bracket, column = key.partition("].")
            if bracket:
                rows.setdefault(row, {})[column] = value
            else:
                self._found.put(key, value, weak=True)
        for row, cells in rows.items():
            self._found.rows.setdefault(row.partition("[")[0], []).append(cells)

    def _in_section(self, section: Section, key: Scalar, value: Node) -> None:
        label = key.body.text
        group = _group(section, label)
        if group is not None and not isinstance(value, Scalar):
            self._section(group, value)
            return
        place = match_place(self._sheet, section, label)
        if place is not None:
            self._put(section, place, key, value)
        elif self._anywhere(key, value):
            self._found.log.note("other-place", key.body)
        else:
            self._unknown(key, value)

    def _put(
        self, section: Section, place: tuple[Field, Column | None], key: Scalar, value: Node
    ) -> None:
        field, column = place
        if not self._keys.is_template(key.body.text):
            self._found.log.note("other-key", key.body, read=field.key)
        if column is not None and isinstance(value, Scalar):
            self._found.put(f"{field.key}.{column.key}", self._found.text(value, prose=False))
        else:
            self._fields.put(field, value, self._elsewhere(section))

    # Keys in another place

    def _elsewhere(self, section: Section) -> Elsewhere:
        return Elsewhere(self, section)

    def belongs(self, section: Section, key: Scalar, value: Node) -> bool:
        """Place a key of the template that stands inside another field; False if it is none."""
        label = key.body.text
        if not self._keys.is_template(label):
            return False
        own = match_section(self._sheet, label)
        if own is not None:
            self._section(own, value)
        elif _group(section, label) is not None or match_place(self._sheet, section, label):
            self._in_section(section, key, value)
        elif not self._anywhere(key, value):
            return False
        self._found.log.note("other-place", key.body)
        return True

    def _anywhere(self, key: Scalar, value: Node) -> bool:
        """Place a key that names one field of the whole sheet, or one group of fields."""
        label = key.body.text
        for section in self._sheet.sections:
            group = _group(section, label)
            if group is not None and isinstance(value, Mapping):
                self._section(group, value)
                return True
        place = match_place(self._sheet, None, label)
        if place is None:
            return False
        section = next(s for s in self._sheet.sections if place[0] in s.fields)
        self._put(section, place, key, value)
        return True

    def _unknown(self, key: Scalar, value: Node) -> None:
        if value.blank:
            self._found.remark(key.body)
            return
        self._found.log.note("unknown-key", key.body)
        self._found.remark(joined([key.body, value.source], ": "))

    def _pairs(self, node: Mapping) -> Iterator[tuple[Scalar, Node]]:
        """Yield the pairs of a mapping, merge keys replaced by what they stand for."""
        written = {key.body.text for key, _ in node.pairs}
        for key, value in node.pairs:
            if key.body.text != _MERGE:
                yield key, value
                continue
            self._found.log.note("merge-key", key.source)
            sources = value.items if isinstance(value, Sequence) else (value,)
            for source in sources:
                if isinstance(source, Mapping):
                    yield from (p for p in source.pairs if p[0].body.text not in written)


class Elsewhere:
    """Places keys that were written inside a field of ``section`` but belong to another."""

    def __init__(self, placement: Placement, section: Section) -> None:
        self._placement = placement
        self._section = section

    def __call__(self, key: Scalar, value: Node) -> bool:
        return self._placement.belongs(self._section, key, value)


def _group(section: Section, label: str) -> Section | None:
    """Return the fields that share an inner key (``overhead_bound``) as a section of their own."""
    start = f"{section.key}."
    squeezed = normalise(label).replace(" ", "")
    names = {
        f.key[len(start) :].partition(".")[0]
        for f in section.fields
        if f.key.startswith(start) and "." in f.key[len(start) :]
    }
    name = next((n for n in sorted(names) if normalise(n).replace(" ", "") == squeezed), None)
    if name is None:
        return None
    key = f"{start}{name}"
    fields = tuple(f for f in section.fields if f.key.startswith(f"{key}."))
    return Section(key=key, heading=name, fields=fields)
