"""Who may be recognised on a class page: ids by default, names on request, or nobody.

On an anonymous page ids are pseudonyms, nothing leads to a student's page, and a text that a
student or a path may have shaped is shown only where at least five students share it.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import quote

LEAST_SHARED = 5
_LETTERS = 8


@dataclass(frozen=True)
class Privacy:
    """How much the page tells about its students.

    ``links`` gives the path of each student's page, relative to the class page. Pseudonyms depend
    on the id and ``secret`` alone, so they stay the same from run to run; without a secret,
    whoever has the list of ids can work them out.
    """

    anonymous: bool = False
    names: bool = False
    secret: str = ""
    links: Mapping[str, str] = field(default_factory=dict)

    def label(self, student: str) -> str:
        """Return what stands for a student on the page."""
        return pseudonym(student, self.secret) if self.anonymous else student

    def name(self, name: str) -> str:
        """Return a student's name where the page shows names, else nothing."""
        return name if self.names and not self.anonymous else ""

    def text(self, text: str, students: int = 1) -> str:
        """Return a text that may point to a student, or nothing where it may not be shown."""
        return text if self.tells(students) else ""

    def tells(self, students: int) -> bool:
        """Return True if what so many students share may be shown."""
        return not self.anonymous or students >= LEAST_SHARED

    def address(self, student: str, anchor: str = "") -> str:
        """Return the address of a student's page, or nothing."""
        path = self.links.get(student, "")
        if self.anonymous or not path:
            return ""
        return relative_address(path) + (f"#{anchor}" if anchor else "")


def pseudonym(student: str, secret: str = "") -> str:
    """Return a stable stand-in for a student id, for example ``p-k3xw7q2a``."""
    key = hashlib.sha256(_bytes(secret)).digest()
    digest = hashlib.blake2b(_bytes(student), key=key, digest_size=5).digest()
    return f"p-{base64.b32encode(digest).decode('ascii').lower()[:_LETTERS]}"


def relative_address(path: str) -> str:
    """Return a path as an address that cannot leave for another scheme or host."""
    return f"./{quote(_bytes(path), safe='/')}"


def _bytes(text: str) -> bytes:
    """Return a text as bytes; half a surrogate pair, as file names may hold, is no obstacle."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
