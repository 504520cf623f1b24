"""The report as JSON: the whole record, readable again."""

import msgspec

from core.domain.report import Report
from core.errors import BadInput
from core.render.contents import Issued

SCHEMA_VERSION = 3
"""Rises whenever a reader of the earlier files would misread a new one."""


class ReportFile(msgspec.Struct, frozen=True, kw_only=True):
    """What stands in the file."""

    schema_version: int
    issued: Issued
    report: Report


def render_json(report: Report, *, issued: Issued) -> str:
    """One JSON object with `schema_version`, `issued` and `report`, indented by two spaces, in UTF-8 text."""
    encoded = msgspec.json.encode(ReportFile(schema_version=SCHEMA_VERSION, issued=issued, report=report))
    return msgspec.json.format(encoded, indent=2).decode("utf-8") + "\n"


def read_report_file(text: str) -> ReportFile:
    """The record that `render_json` wrote. Raises `BadInput` for anything else, without words from the file."""
    try:
        file = msgspec.json.decode(text.encode("utf-8"), type=ReportFile)
    except (msgspec.DecodeError, UnicodeEncodeError):
        file = None
    # Raised outside the `except`: its context would carry words of the case into a traceback.
    if file is None:
        raise BadInput("This is no Ground Rounds report in JSON; choose a file that was exported as JSON.")
    if file.schema_version != SCHEMA_VERSION:
        raise BadInput("This report was written by another version of the program; open it with that version.")
    return file
