"""A list whose texts are never cut, each takes as many lines as it needs, and whose check boxes are seen in the dark."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QListWidget, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from desktop.theme import colors

_PADDING = 16
"""Left and right of a text, in pixels. Qt leaves the padding of a style sheet out when it wraps lines."""
_Index = QModelIndex | QPersistentModelIndex


class WrappingList(QListWidget):
    def __init__(self) -> None:
        super().__init__()
        self.setWordWrap(True)
        self.setResizeMode(QListWidget.ResizeMode.Adjust)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setItemDelegate(_Wrapping(self))


class _Wrapping(QStyledItemDelegate):
    def __init__(self, shown: QListWidget) -> None:
        super().__init__(shown)
        self._shown = shown

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        narrower = QStyleOptionViewItem(option)
        narrower.rect.setWidth(option.rect.width() - _PADDING)
        return super().sizeHint(narrower, index)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        super().paint(painter, option, index)
        if index.data(Qt.ItemDataRole.CheckStateRole) is None:
            return
        # The style draws the box as a shade of the ground, which cannot be seen where that is dark.
        whole = QStyleOptionViewItem(option)
        self.initStyleOption(whole, index)
        box = QStyle.SubElement.SE_ItemViewItemCheckIndicator
        painter.setPen(QColor(colors().quiet))
        painter.drawRect(self._shown.style().subElementRect(box, whole, self._shown).adjusted(0, 0, -1, -1))
