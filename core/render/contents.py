"""What a document consists of, as a small tree. Made once from a report; every writer shows the same tree."""

import re
from typing import Literal

from msgspec import Struct

Tone = Literal["plain", "notice", "warning"]


class Issued(Struct, frozen=True, kw_only=True):
    """What a document says about itself. Renderers know no clock and no library."""

    product_version: str
    issued_at: str
    """UTC, ISO 8601."""
    chain_head: str | None = None
    """Head of the library's chain when the document was made, hex digits; None outside a library."""
    library_note: str | None = None
    """Sentence about the library, for instance that its chain was verified."""


class Paragraph(Struct, frozen=True, kw_only=True):
    text: str
    """A line break stays a line break, here and in every other text of the tree."""
    tone: Tone = "plain"
    """The text itself says what matters: a tone is never the only sign."""


class Items(Struct, frozen=True, kw_only=True):
    """A list without numbers."""

    lines: tuple[str, ...]


class Fact(Struct, frozen=True, kw_only=True):
    label: str
    lines: tuple[str, ...]
    """One or more."""


class Facts(Struct, frozen=True, kw_only=True):
    rows: tuple[Fact, ...]


class Table(Struct, frozen=True, kw_only=True):
    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    """One or more, each as long as `head`. The first cell names the row."""


class Section(Struct, frozen=True, kw_only=True):
    title: str
    blocks: tuple["Paragraph | Items | Facts | Table | Section", ...]


Block = Paragraph | Items | Facts | Table | Section


class Document(Struct, frozen=True, kw_only=True):
    title: str
    language: str
    """BCP 47, of our own words; the case may be in any language."""
    sections: tuple[Section, ...]
    footer: str


def fact(label: str, *lines: str) -> Fact:
    """A fact; without lines it says that there is none."""
    return Fact(label=label, lines=lines or ("none",))


def table(caption: str, head: tuple[str, ...], rows: list[tuple[str, ...]], empty: str) -> Table | Paragraph:
    """A table, or the sentence `empty` where it would have no rows."""
    return Table(caption=caption, head=head, rows=tuple(rows)) if rows else Paragraph(text=empty)


_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, and marks that turn the direction of everything after them."""


def visible(text: str) -> str:
    """`text` with characters that cannot be shown, or that reorder what stands beside them, written as [U+202E]."""
    return _UNSEEN.sub(lambda match: f"[U+{ord(match[0]):04X}]", re.sub(r"\r\n?", "\n", text))
