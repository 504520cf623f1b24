"""Report -> documents. Everything a document says is in `document()`; the writers only say how it looks."""

from core.render.as_json import ReportFile, read_report_file, render_json
from core.render.contents import Issued
from core.render.document import document
from core.render.html import render_html
from core.render.markdown import render_markdown

__all__ = ["Issued", "ReportFile", "document", "read_report_file", "render_html", "render_json", "render_markdown"]
