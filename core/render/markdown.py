"""The report as Markdown (CommonMark with tables). Every text is escaped, so that it appears as text."""

import re
from collections.abc import Iterator

from core.domain.report import Report
from core.render.contents import Block, Document, Facts, Issued, Items, Paragraph, Section, Table, visible
from core.render.document import document

_DEEPEST = 6
_MARKS = re.compile(r"[\\`*_{}\[\]<>#|~&$^=@!]|:(?=//|[\w+-]+:)|(?<=www)\.", re.IGNORECASE)
"""Whatever may begin a mark, an entity, a link or an address."""
_BULLETS = re.compile(r"^(?:[-+:]|\d+(?=[.)]))")
"""What begins a list, a rule or the line below a table's head, where a line begins with it."""


def render_markdown(report: Report, *, issued: Issued) -> str:
    """The same content as the HTML, in UTF-8 text that ends with a line break."""
    return write_markdown(document(report, issued))


def write_markdown(made: Document) -> str:
    """Any document as UTF-8 text that ends with a line break."""
    parts = [f"# {_in_line(made.title)}", *_sections(made.sections, 2), "---", _text(made.footer)]
    return "\n\n".join(parts) + "\n"


def _sections(sections: tuple[Section, ...], level: int) -> Iterator[str]:
    for section in sections:
        yield f"{'#' * min(level, _DEEPEST)} {_in_line(section.title)}"
        for block in section.blocks:
            yield from _block(block, level)


def _block(block: Block, level: int) -> Iterator[str]:
    match block:
        case Paragraph():
            yield _text(block.text) if block.tone == "plain" else _quoted(_text(block.text))
        case Items():
            yield "\n".join(f"- {_text(line)}" for line in block.lines)
        case Facts():
            yield "\n".join(_fact(row.label, row.lines) for row in block.rows)
        case Table():
            yield f"**{_in_line(block.caption)}**"
            yield "\n".join((_row(block.head), _row(("---",) * len(block.head), raw=True), *map(_row, block.rows)))
        case Section():
            yield from _sections((block,), level + 1)


def _fact(label: str, lines: tuple[str, ...]) -> str:
    if len(lines) == 1:
        return f"- **{_in_line(label)}:** {_text(lines[0])}"
    return "\n".join((f"- **{_in_line(label)}:**", *(f"  - {_text(line)}" for line in lines)))


def _row(cells: tuple[str, ...], raw: bool = False) -> str:
    return f"| {' | '.join(cells if raw else map(_in_line, cells))} |"


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.split("\n"))


def _text(text: str) -> str:
    """Escaped, with line breaks kept as hard line breaks."""
    return "\\\n".join(_lines(text))


def _in_line(text: str) -> str:
    """Escaped, on one line, as headings and cells of tables need it."""
    return "<br>".join(_lines(text))


def _lines(text: str) -> list[str]:
    """Escaped lines. Space around a line is left out: it would indent, and indented text is code."""
    return [_escaped(line.strip()) for line in visible(text).strip().split("\n")]


def _escaped(line: str) -> str:
    escaped = _MARKS.sub(lambda match: "\\" + match[0], line)
    start = _BULLETS.match(escaped)
    if start is None:
        return escaped
    mark = start[0]
    # A number is escaped at the dot or bracket behind it: digits take no backslash.
    return f"{mark}\\{escaped[len(mark) :]}" if mark[-1].isdigit() else f"\\{escaped}"
