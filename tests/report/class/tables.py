"""Reads the tables of a page as a person would: by caption, row by row."""

from __future__ import annotations

from html.parser import HTMLParser


class Tables(HTMLParser):
    """Every table's rows of cell texts, by caption, and all other text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.rows: list[list[str]] = []
        self.by_caption: dict[str, list[list[str]]] = {}
        self.text = ""
        self.hrefs: list[str] = []
        self._caption = ""
        self._in = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.hrefs += [value or "" for name, value in attrs if name == "href"]
        if tag == "table":
            self.rows, self._caption = [], ""
        elif tag == "tr":
            self.rows.append([])
        elif tag in ("th", "td"):
            self.rows[-1].append("")
        elif tag == "br":
            self.handle_data(" ")
        if tag in ("th", "td", "caption", "style", "script"):
            self._in = tag

    def handle_endtag(self, tag: str) -> None:
        if tag in ("th", "td", "caption", "style", "script"):
            self._in = ""
        if tag == "table":
            self.by_caption[self._caption] = self.rows[1:]

    def handle_data(self, data: str) -> None:
        if self._in in ("th", "td"):
            self.rows[-1][-1] += data
        elif self._in == "caption":
            self._caption += data
        elif not self._in:
            self.text += data


def read(html: str) -> Tables:
    """Return the tables and the text of a page."""
    parser = Tables()
    parser.feed(html)
    parser.close()
    parser.text = " ".join(parser.text.split())
    return parser


def table(html: str, caption: str) -> list[list[str]]:
    """Return the body of the table whose caption starts with ``caption``."""
    tables = read(html).by_caption
    return next(rows for told, rows in tables.items() if told.startswith(caption))
