"""Menus, tool bar and shortcuts. Everything that can be done with the mouse has a key."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMainWindow

from desktop.widgets.banner import spacer


class Actions:
    """The actions of the window. What may be done now is enabled by `MainWindow`."""

    def __init__(self, window: QMainWindow) -> None:
        self._window = window
        self.new = self._action("&New case", "Ctrl+N")
        self.open = self._action("&Open file …", "Ctrl+O")
        self.run = self._action("&Run", "Ctrl+Return", "Ctrl+Enter")
        self.stop = self._action("&Stop", "Esc")
        self.resume = self._action("R&esume", "F5")
        self.save = self._action("S&ave report …", "Ctrl+S")
        self.leave_out = self._action("Lea&ve out findings …", "Ctrl+Shift+E")
        self.names = self._action("&Join or split names …", "Ctrl+J")
        self.compare = self._action("Compare &with …", "Ctrl+Shift+C")
        self.quit = self._action("&Quit", "Ctrl+Q")
        self.cases = self._action("&Cases", "Ctrl+L")
        self.running = self._action("R&unning case", "Ctrl+R")
        self.find = self._action("&Find a case", "Ctrl+F")
        self._fill_menus()
        self._fill_tool_bar()

    def connect(self, what: dict[QAction, Callable[[], object]]) -> None:
        for action, do in what.items():
            action.triggered.connect(lambda _=False, do=do: do())

    def _action(self, text: str, *keys: str) -> QAction:
        action = QAction(text, self._window)
        action.setShortcuts([QKeySequence(key) for key in keys])
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        self._window.addAction(action)
        return action

    def _fill_menus(self) -> None:
        case = self._window.menuBar().addMenu("&Case")
        case.addActions([self.new, self.open])
        case.addSeparator()
        case.addActions([self.run, self.stop, self.resume])
        case.addSeparator()
        case.addActions([self.save])
        case.addSeparator()
        case.addActions([self.leave_out, self.names, self.compare])
        case.addSeparator()
        case.addActions([self.quit])
        go = self._window.menuBar().addMenu("&Go")
        go.addActions([self.cases, self.running, self.find])
        self._window.menuBar().setAccessibleName("Menus")

    def _fill_tool_bar(self) -> None:
        bar = self._window.addToolBar("Pages")
        bar.setMovable(False)
        bar.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        bar.addActions([self.cases, self.new])
        bar.addWidget(spacer())
        bar.addActions([self.running])
        for action in (self.cases, self.new, self.running):
            button = bar.widgetForAction(action)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.setAccessibleName(action.text().replace("&", ""))
