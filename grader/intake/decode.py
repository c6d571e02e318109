"""From bytes to text: encodings, line ends, control characters, exported documents.

Every repair is a finding or a line of the receipt. Lines and columns count in the text that
comes out; repairs keep one character for one, except in documents of a word processor.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from grader.intake.findings import finding
from grader.intake.limits import ANSWER_BYTES, ANSWER_LINES
from grader.intake.rtf import looks_like_rtf, rtf_text
from grader.model import Finding

_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it starts with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_BINARY = (
    (b"%PDF", "a PDF document"),
    (b"PK\x03\x04", "a zip archive, as .docx, .odt and .pages files are"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Word or Excel document"),
    (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"BM", "a bitmap picture"),
    (b"RIFF", "a picture, sound or film"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"SQLite format 3\x00", "a database"),
    (b"\x7fELF", "a program"),
    (b"bplist00", "a binary property list"),
)
_LFS = b"version https://git-lfs.github.com/spec/"
_MOST_CONTROL = 0.08  # of the characters of a text; a pasted terminal log has less, noise has more
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff\ud800-\udfff]")
_OTHER_BREAKS = re.compile("[\x85\u2028\u2029]")
# UTF-8 of Latin letters, signs and dashes, read as cp1252
_GARBLED = re.compile(
    "[\u00c2\u00c3\u00ce\u00cf][\u0080-\u00bf\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192"
    "\u02c6\u02dc\u2013-\u203a\u20ac\u2122]|\u00e2(?:\u20ac|\u2030|\u2020|\u02c6)."
)
_WIDE_SAMPLE = 2_000


@dataclass
class Decoded:
    """A file's text, with what was mended. ``readable`` is False if it is no text at all."""

    text: str = ""
    repairs: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    readable: bool = True


def decode(data: bytes, file: str) -> Decoded:
    """Return the text of an answer file; never raises. Of a long file the beginning is read."""
    refused = _refusal(data, file)
    if refused is not None:
        return Decoded(readable=False, findings=[refused])
    decoded = Decoded()
    cut = len(data) > ANSWER_BYTES
    text = _unified_breaks(_characters(data[:ANSWER_BYTES], file, decoded), decoded)
    if looks_like_rtf(text):
        text = rtf_text(text)
        decoded.repairs.append("read as plain text from RTF")
        decoded.findings.append(finding("exported-document", file, line=1, column=1))
    if _is_noise(text):
        return Decoded(readable=False, findings=[finding("not-text", file)])
    text = _without_controls(_ungarbled(text, file, decoded), file, decoded)
    decoded.text = _first_lines(text, cut, file, decoded)
    return decoded


def code_text(data: bytes) -> str | None:
    """Return the text of a program file, or None if it is no text."""
    if b"\x00" in data and not any(data.startswith(bom) for bom, _ in _BOMS):
        return None
    scratch = Decoded()
    return _unified_breaks(_characters(data, "", scratch), scratch)


def _refusal(data: bytes, file: str) -> Finding | None:
    if not data.strip(b"\x00 \t\r\n\f\xef\xbb\xbf\xff\xfe"):
        return finding("empty-file", file)
    if data.startswith(_LFS):
        return finding("file-pointer", file, line=1, column=1)
    kind = next((name for magic, name in _BINARY if data.startswith(magic)), None)
    if kind is None or (data[:2] == b"BM" and b"\x00" not in data[:64]):
        return None
    return finding("not-text", file, found=f"it is {kind}")


def _characters(data: bytes, file: str, decoded: Decoded) -> str:
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            if encoding != "utf-8":
                _note_encoding(decoded, file, encoding.upper(), 1, 1)
            return data[len(mark) :].decode(encoding, errors="replace")
    if wide := _wide_encoding(data):
        _note_encoding(decoded, file, f"{wide.upper()} without a byte order mark", 1, 1)
        return data.decode(wide, errors="replace")
    try:
        return codecs.getincrementaldecoder("utf-8")().decode(data)  # a cut last character is fine
    except UnicodeDecodeError as error:
        before = data[: error.start]
        column = len(before.rpartition(b"\n")[2].decode(errors="replace")) + 1
        _note_encoding(decoded, file, "Windows-1252", before.count(b"\n") + 1, column)
        return "\n".join(_line_text(line) for line in data.split(b"\n"))


def _line_text(line: bytes) -> str:
    """Decode one line, since text pasted together may mix two encodings."""
    try:
        return line.decode()
    except UnicodeDecodeError:
        return "".join(_windows_character(byte) for byte in line)


def _windows_character(byte: int) -> str:
    return bytes([byte]).decode("cp1252", errors="ignore") or chr(byte)


def _wide_encoding(data: bytes) -> str | None:
    """Tell UTF-16 without a byte order mark by where its NUL bytes stand."""
    sample = data[:_WIDE_SAMPLE]
    sample = sample[: len(sample) // 2 * 2]
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    most, few = len(sample) * 0.35, len(sample) * 0.05
    if odd > most and even < few:
        return "utf-16-le"
    if even > most and odd < few:
        return "utf-16-be"
    return None


def _note_encoding(decoded: Decoded, file: str, encoding: str, line: int, column: int) -> None:
    decoded.repairs.append(f"read as {encoding}")
    decoded.findings.append(
        finding("not-utf-8", file, line=line, column=column, found=f"it is read as {encoding}")
    )


def _unified_breaks(text: str, decoded: Decoded) -> str:
    if "\r" in text:
        decoded.repairs.append("line ends of another system were unified")
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _OTHER_BREAKS.sub("\n", text).removeprefix("\ufeff")


def _is_noise(text: str) -> bool:
    """Return True if control and undecodable characters make up more than a text ever holds."""
    bad = sum(1 for _ in _CONTROL.finditer(text)) + text.count("\ufffd")
    return bad > 8 and bad > _MOST_CONTROL * len(text)


def _ungarbled(text: str, file: str, decoded: Decoded) -> str:
    """Undo a conversion of UTF-8 read as Windows-1252, line by line where it can be undone."""
    if not _GARBLED.search(text):
        return text
    lines = text.split("\n")
    for number, line in enumerate(lines):
        found = _GARBLED.search(line)
        mended = _mended(line) if found else None
        if found and mended is not None:
            decoded.findings.append(
                finding(
                    "garbled-characters", file, line=number + 1, column=found.start() + 1,
                    found=found[0], read=_mended(found[0]),
                )
            )  # fmt: skip
            lines[number] = mended
    return "\n".join(lines)


def _mended(line: str) -> str | None:
    try:
        return bytes(b for c in line for b in _windows_bytes(c)).decode()
    except (UnicodeDecodeError, UnicodeEncodeError):
        return None


def _windows_bytes(character: str) -> bytes:
    if "\x80" <= character <= "\x9f":
        return character.encode("latin-1")
    return character.encode("cp1252")


def _without_controls(text: str, file: str, decoded: Decoded) -> str:
    first = _CONTROL.search(text)
    if first is None:
        return text
    line = text.count("\n", 0, first.start()) + 1
    column = first.start() - text.rfind("\n", 0, first.start())
    count = sum(1 for _ in _CONTROL.finditer(text))
    found = f"{count}, the first of them U+{ord(first[0]):04X}"
    decoded.findings.append(
        finding("control-characters", file, line=line, column=column, found=found)
    )
    return _CONTROL.sub(" ", text)


def _first_lines(text: str, cut: bool, file: str, decoded: Decoded) -> str:
    end = _position_of_line(text, ANSWER_LINES)
    if not cut and end is None:
        return text
    text = text[:end]
    lines = text.count("\n") + 1
    limits = f"{ANSWER_BYTES // 1024} KiB and {ANSWER_LINES} lines are the limit"
    decoded.findings.append(
        finding("too-large", file, line=lines, column=1, found=f"{limits}; read to line {lines}")
    )
    return text


def _position_of_line(text: str, number: int) -> int | None:
    """Return where line ``number`` (from 0) starts, less its line break, or None."""
    ends = _line_ends(text)
    return next((end for index, end in enumerate(ends, 1) if index == number), None)


def _line_ends(text: str) -> Iterator[int]:
    position = text.find("\n")
    while position >= 0:
        yield position
        position = text.find("\n", position + 1)
