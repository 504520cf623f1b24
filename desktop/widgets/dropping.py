"""Files that are dragged onto the window."""

from PySide6.QtCore import QMimeData


def dropped_file(mime: QMimeData) -> str | None:
    """Path of the first file on this computer; None where text or something else is dragged."""
    return next((url.toLocalFile() for url in mime.urls() if url.isLocalFile()), None)
