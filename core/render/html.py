"""A document as one HTML file: no script, nothing from outside, every text shown as text."""

import functools
from importlib import resources

import jinja2
import markupsafe

from core.domain.report import Report
from core.render.contents import Block, Document, Issued, visible
from core.render.document import document


def render_html(report: Report, *, issued: Issued) -> str:
    """The report as a complete HTML 5 document, to be written as UTF-8."""
    return write_html(document(report, issued))


def write_html(made: Document) -> str:
    """Any document, with its style sheet inside, to be written as UTF-8."""
    return _template().render(document=made, css=markupsafe.Markup(_own_file("report.css")))


@functools.cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"visible": visible, "kind": _kind}
    return environment.from_string(_own_file("report.html.jinja"))


def _kind(block: Block) -> str:
    return type(block).__name__


def _own_file(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")
