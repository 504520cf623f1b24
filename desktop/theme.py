"""Light and dark, following the system. Contrast of text on its ground is at least 4.5 to 1 (WCAG AA) in both."""

from msgspec import Struct
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QApplication

LEAST_POINTS = 11
"""Smallest size of the font, in points; a larger one of the system is kept."""


class Colors(Struct, frozen=True):
    """One scheme, as #rrggbb."""

    ground: str
    """Behind pages."""
    surface: str
    """Behind texts and lists."""
    text: str
    quiet: str
    """Text of less weight."""
    faint: str
    """Text of controls that cannot be used now."""
    line: str
    accent: str
    on_accent: str
    notice: str
    warning: str
    warning_line: str


LIGHT = Colors(
    ground="#f3f5f7", surface="#ffffff", text="#1b2329", quiet="#4a5660", faint="#6b7680", line="#c3ccd3",
    accent="#14506f", on_accent="#ffffff", notice="#e4eef4", warning="#fdf1e1", warning_line="#9a5200",
)  # fmt: skip
DARK = Colors(
    ground="#14191d", surface="#1c2329", text="#e4e9ec", quiet="#a9b5bd", faint="#86929b", line="#3c4750",
    accent="#8cc4e2", on_accent="#0f2430", notice="#1a2b36", warning="#372811", warning_line="#e0a04c",
)  # fmt: skip


def colors() -> Colors:
    """The scheme that the application shows now."""
    return DARK if QApplication.palette().color(QPalette.ColorRole.Window).lightnessF() < 0.5 else LIGHT


def follow_system(app: QApplication) -> None:
    """Set font, style and palette, and change the palette whenever the system changes between light and dark."""
    app.setStyle("Fusion")
    font = app.font()
    if 0 <= font.pointSizeF() < LEAST_POINTS:
        font.setPointSizeF(LEAST_POINTS)
        app.setFont(font)
    hints = app.styleHints()
    hints.colorSchemeChanged.connect(lambda scheme: show_scheme(app, scheme))
    show_scheme(app, hints.colorScheme())


def show_scheme(app: QApplication, scheme: Qt.ColorScheme) -> None:
    """Unknown is shown as light."""
    shown = DARK if scheme == Qt.ColorScheme.Dark else LIGHT
    app.setPalette(_palette(shown))
    app.setStyleSheet(_style_sheet(shown))


def _palette(shown: Colors) -> QPalette:
    role, group = QPalette.ColorRole, QPalette.ColorGroup
    palette = QPalette()
    for name, color in (
        (role.Window, shown.ground), (role.WindowText, shown.text), (role.Base, shown.surface),
        (role.AlternateBase, shown.ground), (role.Text, shown.text), (role.PlaceholderText, shown.faint),
        (role.Button, shown.surface), (role.ButtonText, shown.text), (role.BrightText, shown.warning_line),
        (role.Highlight, shown.accent), (role.HighlightedText, shown.on_accent), (role.Link, shown.accent),
        (role.LinkVisited, shown.accent), (role.ToolTipBase, shown.surface), (role.ToolTipText, shown.text),
        (role.Accent, shown.accent), (role.Mid, shown.line), (role.Midlight, shown.line), (role.Light, shown.surface),
        (role.Dark, shown.line), (role.Shadow, shown.line),
    ):  # fmt: skip
        palette.setColor(name, QColor(color))
    for name in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(group.Disabled, name, QColor(shown.faint))
    return palette


def _style_sheet(shown: Colors) -> str:
    return f"""
    QPlainTextEdit, QTextBrowser, QListWidget, QTreeWidget, QLineEdit {{
        background: {shown.surface}; color: {shown.text}; padding: 4px;
        border: 1px solid {shown.line}; border-radius: 4px;
        selection-background-color: {shown.accent}; selection-color: {shown.on_accent};
    }}
    QPlainTextEdit:focus, QTextBrowser:focus, QListWidget:focus, QTreeWidget:focus, QLineEdit:focus {{
        border: 2px solid {shown.accent}; padding: 3px;
    }}
    QListWidget::item {{ padding: 8px 6px; border-bottom: 1px solid {shown.line}; color: {shown.text}; }}
    QTreeWidget::item {{ padding: 4px 2px; color: {shown.text}; }}
    QListWidget::item:disabled {{ color: {shown.faint}; }}
    QListWidget::item:selected, QTreeWidget::item:selected {{ background: {shown.accent}; color: {shown.on_accent}; }}
    QPushButton {{
        background: {shown.surface}; color: {shown.text}; border: 1px solid {shown.line}; border-radius: 4px;
        padding: 6px 14px;
    }}
    QPushButton:hover {{ border-color: {shown.accent}; }}
    QPushButton:focus {{ border: 2px solid {shown.accent}; padding: 5px 13px; }}
    QPushButton:disabled {{ color: {shown.faint}; }}
    QPushButton#primary {{ background: {shown.accent}; color: {shown.on_accent}; border-color: {shown.accent}; }}
    QPushButton#primary:focus {{ border: 2px solid {shown.text}; }}
    QPushButton#primary:disabled {{ background: {shown.ground}; color: {shown.faint}; border-color: {shown.line}; }}
    QLabel#heading {{ font-size: 15pt; font-weight: 600; }}
    QLabel#name {{ font-weight: 600; }}
    QLabel#quiet {{ color: {shown.quiet}; }}
    QFrame#notice {{ background: {shown.notice}; border: none; border-left: 4px solid {shown.accent}; }}
    QFrame#warning {{ background: {shown.warning}; border: none; border-left: 4px solid {shown.warning_line}; }}
    QToolBar {{
        background: {shown.surface}; border: none; border-bottom: 1px solid {shown.line}; spacing: 4px; padding: 4px;
    }}
    QToolButton {{ color: {shown.text}; padding: 5px 12px; border: 1px solid transparent; border-radius: 4px; }}
    QToolButton:hover {{ border-color: {shown.line}; }}
    QToolButton:focus {{ border-color: {shown.accent}; }}
    QToolButton:checked {{ background: {shown.notice}; border-color: {shown.accent}; font-weight: 600; }}
    QToolButton:disabled {{ color: {shown.faint}; }}
    QTabBar {{ background: transparent; }}
    QTabBar::tab {{ color: {shown.quiet}; padding: 6px 12px; border: none; border-bottom: 3px solid {shown.line}; }}
    QTabBar::tab:selected {{ color: {shown.text}; border-bottom-color: {shown.accent}; font-weight: 600; }}
    QTabBar::tab:focus {{ background: {shown.notice}; }}
    QTabBar::tab:disabled {{ color: {shown.faint}; }}
    """
