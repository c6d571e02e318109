"""Archives of strangers: traps are refused by name, the rest is taken in, nothing lands outside."""

from __future__ import annotations

import io
import os
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.classroom.archive import unpack
from grader.classroom.limits import CLASS_ARCHIVE, MIB, STUDENT_ARCHIVE, ArchiveLimits
from grader.classroom.manifest import Unpacked
from grader.errors import CourseConfigError, SubmissionProblem
from tests.classroom.builders import (
    SHEET,
    by_id,
    files_of,
    lines,
    names_of,
    outcome,
    take_in,
    write_tree,
    write_zip,
    zip_bytes,
)


def unpacked(data: bytes, tmp_path: Path, limits: ArchiveLimits = STUDENT_ARCHIVE) -> Unpacked:
    """Unpack the archive ``data``."""
    path = tmp_path / "it.zip"
    path.write_bytes(data)
    return unpack(path, tmp_path / "store", limits)


def members(done: Unpacked) -> dict[str, str]:
    """Return each member's text, or why it was not taken."""
    read = {}
    for member in done.members:
        path = done.path(member)
        read[member.name] = member.reason if path is None else path.read_text("utf-8")
    return read


def everything_below(folder: Path) -> set[Path]:
    return {path.relative_to(folder) for path in folder.rglob("*")}


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("../evil", "its name leads out of the archive (..)"),
        ("a/../../evil", "its name leads out of the archive (..)"),
        ("..\\evil", "its name leads out of the archive (..)"),
        ("/etc/evil", "its name is an absolute path"),
        ("\\\\server\\evil", "its name is an absolute path"),
        ("C:\\evil", "its name is an absolute path"),
        ("c:evil", "its name is an absolute path"),
    ],
)
def test_names_that_lead_out_are_refused(name: str, reason: str, tmp_path: Path):
    """The bad member is refused with its reason, its neighbour is taken in."""
    done = unpacked(zip_bytes({name: "x", "answers.yaml": SHEET}), tmp_path)
    read = members(done)
    assert read.pop("answers.yaml") == SHEET
    assert list(read.values()) == [reason]
    assert everything_below(tmp_path) == {
        Path("it.zip"),
        Path("store"),
        done.home.relative_to(tmp_path),
        (done.home / "manifest.json").relative_to(tmp_path),
        (done.home / "000001").relative_to(tmp_path),
    }


def test_links_in_an_archive_are_refused(tmp_path: Path):
    """A symbolic link is neither made nor followed."""
    done = unpacked(zip_bytes({"a": "1"}, link={"answers.yaml": "/etc/passwd"}), tmp_path)
    assert members(done) == {"a": "1", "answers.yaml": "a link; links are never followed"}
    assert not any(path.is_symlink() for path in tmp_path.rglob("*"))


def test_devices_in_an_archive_are_refused(tmp_path: Path):
    """A named pipe would block whoever opens it."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        info = zipfile.ZipInfo("pipe")
        info.external_attr = (stat.S_IFIFO | 0o644) << 16
        archive.writestr(info, "")
    assert members(unpacked(buffer.getvalue(), tmp_path)) == {
        "pipe": "not a file: a device, pipe or socket"
    }


def test_a_member_that_expands_too_far_is_refused(tmp_path: Path):
    """Ten megabytes of zeros in ten kilobytes are a trap; the sheet beside them is read."""
    done = unpacked(zip_bytes({"zeros": bytes(10 * MIB), "answers.yaml": SHEET}), tmp_path)
    assert members(done) == {
        "zeros": "it expands more than 200-fold, as only a trap does",
        "answers.yaml": SHEET,
    }


def test_an_archive_of_too_many_bytes_is_refused_before_it_is_unpacked(tmp_path: Path):
    """The sum is taken from the table of contents; nothing is written."""
    tree = {f"{n}": os.urandom(1000) for n in range(20)}
    small = ArchiveLimits(members=100, directory_bytes=MIB, total_bytes=10_000, member_bytes=5_000)
    with pytest.raises(SubmissionProblem, match="too many bytes"):
        unpacked(zip_bytes(tree), tmp_path, small)
    assert not (tmp_path / "store").exists()


def test_an_archive_of_too_many_files_is_refused(tmp_path: Path):
    """The number of members is limited."""
    tree = {f"{n}": "" for n in range(STUDENT_ARCHIVE.members + 1)}
    with pytest.raises(SubmissionProblem, match="too many files"):
        unpacked(zip_bytes(tree), tmp_path)


def test_a_huge_table_of_contents_is_refused_before_it_is_read(tmp_path: Path):
    """Its size is taken from the end record, so that no million of entries is parsed."""
    tree = {f"{'x' * 600}{n}": "" for n in range(2_000)}
    with pytest.raises(SubmissionProblem, match="table of contents"):
        unpacked(zip_bytes(tree), tmp_path)


def patched(data: bytes, name: str, *, size: int) -> bytes:
    """Return an archive whose table of contents and local header claim another expanded size."""
    out = bytearray(data)
    local = data.index(b"PK\x03\x04")
    central = data.index(b"PK\x01\x02")
    assert data[local + 30 : local + 30 + len(name)] == name.encode()
    struct.pack_into("<L", out, local + 22, size)
    struct.pack_into("<L", out, central + 24, size)
    return bytes(out)


def test_a_size_that_lies_is_found_while_unpacking(tmp_path: Path):
    """The declared size is small, the real one large: nothing beyond it is kept."""
    data = patched(zip_bytes({"bomb": bytes(40 * MIB)}), "bomb", size=1_000)
    done = unpacked(data, tmp_path)
    (member,) = done.members
    assert member.outcome == "refused"
    assert sum(p.stat().st_size for p in tmp_path.rglob("*") if p.is_file()) < MIB


def test_encrypted_members_are_refused_with_the_remedy(tmp_path: Path):
    """The message says what to do: hand in without a password."""
    data = bytearray(zip_bytes({"answers.yaml": SHEET}))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + offset] |= 1
    assert members(unpacked(bytes(data), tmp_path)) == {
        "answers.yaml": "it is encrypted; hand it in without a password"
    }


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_rare_compression_is_refused_by_name(method: int, tmp_path: Path):
    """Only what every LMS and system writes is unpacked."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        archive.writestr("a", "x")
    assert members(unpacked(buffer.getvalue(), tmp_path)) == {
        "a": f"compressed with method {method}, which is not supported"
    }


def test_a_damaged_member_is_refused_and_the_others_are_read(tmp_path: Path):
    """A wrong checksum costs one member, not the archive."""
    data = bytearray(zip_bytes({"a": os.urandom(500), "answers.yaml": SHEET}))
    data[60] ^= 0xFF
    read = members(unpacked(bytes(data), tmp_path))
    assert read == {"a": "damaged", "answers.yaml": SHEET}


@pytest.mark.parametrize("keep", [0, 10, 100])
def test_a_cut_archive_is_refused(keep: int, tmp_path: Path):
    """A download that broke off is named as damaged."""
    with pytest.raises(SubmissionProblem, match="damaged or no zip"):
        unpacked(zip_bytes({"answers.yaml": SHEET})[:keep], tmp_path)


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_no_damage_leads_to_another_error(data: st.DataObject, tmp_path_factory):
    """Whatever bytes are changed, the archive is unpacked or refused."""
    good = zip_bytes({"answers.yaml": SHEET, "b/c.py": "x = 1\n" * 50})
    edits = data.draw(
        st.lists(st.tuples(st.integers(0, len(good) - 1), st.integers(0, 255)), max_size=6)
    )
    changed = bytearray(good)
    for place, value in edits:
        changed[place] = value
    folder = tmp_path_factory.mktemp("damage")
    try:
        done = unpacked(bytes(changed), folder)
    except SubmissionProblem:
        return
    assert all(p.is_relative_to(done.home) for m in done.members if (p := done.path(m)))


NASTY = st.text(
    st.one_of(
        st.sampled_from("./\\:~-_ \t\n\x00\x1b\u202e\u200b\ufeff%$\"'<>|*?"),
        st.characters(exclude_categories=["Cs"]),
        st.sampled_from(["..", "CON", "nul.txt", "__MACOSX", ".git"]).map(lambda s: s[0]),
    ),
    min_size=1,
    max_size=40,
)
NAMES = st.one_of(
    NASTY,
    st.lists(st.sampled_from(["..", ".", "", "a", "CON", "A", "-rf", "x" * 300, ".git"])).map(
        "/".join
    ),
)


@settings(max_examples=120, deadline=None)
@given(names=st.lists(NAMES.filter(bool), min_size=1, max_size=6, unique=True))
def test_nothing_lands_outside_of_the_work_folder(names: list[str], tmp_path_factory):
    """Hostile names in a student's archive: only the work folder changes, and only safely."""
    root = tmp_path_factory.mktemp("hostile")
    with io.BytesIO() as buffer:
        with zipfile.ZipFile(buffer, "w") as archive:
            for name in names:
                archive.writestr(zipfile.ZipInfo(name), "x")
        write_tree(root / "class" / "ana", {"it.zip": buffer.getvalue()})
    before = everything_below(root)
    intake = take_in(root / "class", root / "work")
    new = everything_below(root) - before
    assert all(path.parts[0] == "work" for path in new)
    (student,) = intake.students
    for path in student.folder.rglob("*"):
        parts = path.relative_to(student.folder).parts
        assert not path.is_symlink()
        assert all(part.isprintable() and not part.startswith("-") for part in parts)
        assert all(len(part.encode()) <= 120 for part in parts)
    used = [line for line in student.receipt if line.outcome in ("used", "renamed")]
    assert len(used) - 1 == len(files_of(student))  # one line is the archive's own


@settings(max_examples=60, deadline=None)
@given(names=st.lists(NAMES.filter(bool), min_size=1, max_size=6, unique=True))
def test_hostile_names_in_the_class_archive(names: list[str], tmp_path_factory):
    """The class archive itself may be hostile: nothing lands outside, no name is lost."""
    root = tmp_path_factory.mktemp("class")
    tree = {"ana/answers.yaml": SHEET, "bo/answers.yaml": SHEET}
    with zipfile.ZipFile(root / "class.zip", "w") as archive:
        for name, text in [*((n, "x") for n in names), *tree.items()]:
            archive.writestr(zipfile.ZipInfo(name), text)
    take_in(root / "class.zip", root / "work")
    assert {path.parts[0] for path in everything_below(root)} == {"class.zip", "work"}


@pytest.mark.parametrize(
    ("file", "kind"),
    [("work.rar", "a RAR archive"), ("work.7z", "a 7z archive"), ("work.tar", "a tar archive"),
     ("work.zip", "a gzip archive"), ("work.tgz", "a gzip archive")],
)  # fmt: skip
def test_other_archives_are_refused_by_kind(file: str, kind: str, tmp_path: Path):
    """RAR, 7z and tar are named, also under the name of a zip; the files beside are graded."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w" if file.endswith(".tar") else "w:gz") as archive:
        archive.addfile(tarfile.TarInfo("answers.yaml"))
    starts = {".rar": b"Rar!\x1a\x07\x00", ".7z": b"7z\xbc\xaf\x27\x1c"}
    content = starts.get(Path(file).suffix, buffer.getvalue())
    write_tree(tmp_path / "c" / "ana", {file: content, "answers.yaml": SHEET})
    (student,) = take_in(tmp_path / "c", tmp_path / "w").students
    assert files_of(student) == {"answers.yaml": SHEET}
    (line,) = [line for line in student.receipt if line.outcome == "refused"]
    assert line.reason == f"this is {kind} (wanted the files, or a .zip archive of them)"
    assert names_of(student.findings) == ["archive-refused"]


def test_a_class_in_a_tar_archive_is_refused(tmp_path: Path):
    """The instructor is told what is wanted."""
    with tarfile.open(tmp_path / "class.tar.gz", "w:gz") as archive:
        archive.addfile(tarfile.TarInfo("answers.yaml"))
    with pytest.raises(CourseConfigError, match=r"gzip archive.*wanted a \.zip archive"):
        take_in(tmp_path / "class.tar.gz", tmp_path / "w")


def test_one_bomb_does_not_stop_the_class(tmp_path: Path):
    """A student's bomb is that student's finding; the others are graded."""
    bomb = zip_bytes({f"{n}": os.urandom(20) + bytes(2 * MIB) for n in range(50)})
    write_tree(tmp_path / "c", {"ana/it.zip": bomb, "bo/answers.yaml": SHEET})
    students = by_id(take_in(tmp_path / "c", tmp_path / "w"))
    assert students["ana"].submitted is False
    assert "member-refused" in names_of(students["ana"].findings)
    assert files_of(students["bo"]) == {"answers.yaml": SHEET}


def test_archives_in_archives_stay_closed(tmp_path: Path):
    """One level is unpacked; what is deeper is named."""
    inner = zip_bytes({"answers.yaml": SHEET})
    write_tree(tmp_path / "c" / "ana", {"it.zip": zip_bytes({"in.zip": inner, "kernel.py": "x"})})
    (student,) = take_in(tmp_path / "c", tmp_path / "w").students
    assert files_of(student) == {"kernel.py": "x"}
    assert outcome(student, "ana/it.zip/in.zip") == "refused"


def raw_zip(name: bytes, *, flags: int = 0, extra: bytes = b"") -> bytes:
    """Return an archive of one empty member whose name is ``name`` byte for byte."""
    fixed = struct.pack("<HHHHHLLLHH", 20, flags, 0, 0, 0, 0, 0, 0, len(name), len(extra))
    local = b"PK\x03\x04" + fixed + name + extra
    central = b"PK\x01\x02" + struct.pack("<H", 20) + fixed + struct.pack("<HHHLL", 0, 0, 0, 0, 0)
    central += name + extra
    end = b"PK\x05\x06" + struct.pack("<HHHHLLH", 0, 0, 1, 1, len(central), len(local), 0)
    return local + central + end


def unicode_path(name: bytes, true_name: str) -> bytes:
    """Return the extra field that holds a member's true name."""
    body = struct.pack("<BL", 1, zlib.crc32(name)) + true_name.encode()
    return struct.pack("<HH", 0x7075, len(body)) + body


@pytest.mark.parametrize(
    "data",
    [
        raw_zip("añs.yaml".encode("cp437")),
        raw_zip("añs.yaml".encode()),
        raw_zip("añs.yaml".encode(), flags=0x800),
        raw_zip(b"a\xa5s.yaml", extra=unicode_path(b"a\xa5s.yaml", "añs.yaml")),
    ],
    ids=["code page 437", "UTF-8 without flag", "UTF-8 with flag", "extra field"],
)
def test_names_in_every_encoding(data: bytes, tmp_path: Path):
    """A name with an accent comes out as it was typed."""
    assert list(members(unpacked(data, tmp_path))) == ["añs.yaml"]


def test_a_name_that_is_no_utf_8_though_it_says_so(tmp_path: Path):
    """Such an archive is refused as damaged, not with a traceback."""
    with pytest.raises(SubmissionProblem, match="damaged"):
        unpacked(raw_zip(b"a\xff.yaml", flags=0x800), tmp_path)


def test_names_with_backslashes_are_paths(tmp_path: Path):
    """Old Windows programs separate folders by a backslash."""
    assert members(unpacked(zip_bytes({"src\\a.py": "x"}), tmp_path)) == {"src/a.py": "x"}


def test_litter_in_an_archive_is_named_once(tmp_path: Path):
    """A folder of litter is one line, however much is in it; it is not even unpacked."""
    tree: Mapping[str, str] = {
        "ana/answers.yaml": SHEET,
        "__MACOSX/ana/._answers.yaml": "x",
        "__MACOSX/._ana": "x",
        "ana/.DS_Store": "x",
        "bo/answers.yaml": SHEET,
        "bo/.git/config": "x",
        "bo/.git/objects/aa/bb": "x",
    }
    intake = take_in(write_zip(tmp_path / "class.zip", tree), tmp_path / "w")
    settled = {line.path: line.outcome for line in lines(intake)}
    assert settled == {
        "ana/answers.yaml": "used",
        "ana/.DS_Store": "ignored",
        "bo/answers.yaml": "used",
        "bo/.git/": "ignored",
        "__MACOSX/": "ignored",
    }


@pytest.mark.parametrize("limit", [CLASS_ARCHIVE.directory_bytes, 100])
def test_the_64_bit_records_are_read_and_limited(
    limit: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """Large downloads use the format's 64-bit records; their table of contents is limited too."""
    monkeypatch.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 2)  # so that a small archive has them
    data = bytearray(zip_bytes({f"{n}.yaml": SHEET for n in range(10)}))
    assert b"PK\x06\x06" in data
    struct.pack_into("<L", data, data.rindex(b"PK\x05\x06") + 12, 0)  # the other record lies
    limits = ArchiveLimits(100, limit, MIB, MIB)
    if limit == 100:
        with pytest.raises(SubmissionProblem, match="table of contents"):
            unpacked(bytes(data), tmp_path, limits)
    else:
        assert len(unpacked(bytes(data), tmp_path, limits).members) == 10
