"""The questions that the window asks. Behind one small class, so that a script can answer them as well."""

from pathlib import Path

from PySide6.QtWidgets import QDialog, QFileDialog, QInputDialog, QLineEdit, QMessageBox, QWidget

from desktop.crash_dialog import CrashDialog
from desktop.view_models.crash import Crash


class Dialogs:
    """Each method blocks until the person has answered. None: they thought better of it."""

    def file_to_open(self, parent: QWidget) -> Path | None:
        name, _ = QFileDialog.getOpenFileName(parent, "Open a case", "", "Text (*.txt *.md);;All files (*)")
        return Path(name) if name else None

    def file_to_save(self, parent: QWidget, suggested: str) -> Path | None:
        """A file that exists already is asked for."""
        name, _ = QFileDialog.getSaveFileName(parent, "Save the report", suggested)
        return Path(name) if name else None

    def confirm(self, parent: QWidget, question: str) -> bool:
        yes, no = QMessageBox.StandardButton.Yes, QMessageBox.StandardButton.No
        return QMessageBox.question(parent, "Please confirm", question, yes | no, no) == yes

    def accepted(self, dialog: QDialog) -> bool:
        """Show a dialog that holds its answer itself; False where it was closed without one."""
        return dialog.exec() == QDialog.DialogCode.Accepted

    def passphrase(self, parent: QWidget | None, sentence: str) -> str | None:
        text, given = QInputDialog.getText(parent, "Passphrase", sentence, QLineEdit.EchoMode.Password)
        return text if given else None

    def sentence(self, parent: QWidget | None, sentence: str) -> None:
        QMessageBox.warning(parent, "Ground Rounds", sentence)

    def crash(self, parent: QWidget | None, crash: Crash) -> None:
        CrashDialog(crash, parent).exec()
