"""The strip of rounds: shows where the case is, and lets earlier rounds be read again."""

from PySide6.QtWidgets import QTabBar

from desktop.announcement import Announcement
from desktop.view_models.rounds import ROUNDS

MARK = "\N{BLACK RIGHT-POINTING SMALL TRIANGLE} "


class RoundStrip(QTabBar):
    """Follows the current round until another one is chosen, and again once the current one is chosen."""

    def __init__(self) -> None:
        super().__init__()
        self.round_chosen = Announcement[str]()
        """Key of `ROUNDS`."""
        self.setAccessibleName("Rounds")
        self.setExpanding(False)
        self.setDrawBase(False)
        self.setUsesScrollButtons(True)
        for title in ROUNDS.values():
            self.addTab(title)
        self._ids = list(ROUNDS)
        self._current: str | None = None
        self._follows = True
        self.currentChanged.connect(self._choose)

    @property
    def shown(self) -> str:
        """Key of `ROUNDS`."""
        return self._ids[self.currentIndex()]

    def restart(self) -> None:
        """Another case: follow it."""
        self._follows = True

    def show_current(self, current: str | None) -> None:
        """Mark the round in which the case is; rounds behind it cannot be chosen."""
        reached = self._ids.index(current) if current else 0
        if current != self._current:
            for place, title in enumerate(ROUNDS.values()):
                here = place == reached and current is not None
                self.setTabText(place, f"{MARK}{title}" if here else title)
                self.setTabToolTip(place, f"{title}: the case is here" if here else title)
            self._current = current
        self.blockSignals(True)  # following is no choice
        for place in range(self.count()):
            if self.isTabEnabled(place) != (place <= reached):
                self.setTabEnabled(place, place <= reached)
        if self._follows or self.currentIndex() > reached:
            self.setCurrentIndex(reached)
        self.blockSignals(False)

    def _choose(self, place: int) -> None:
        self._follows = self._ids[place] == self._current
        self.round_chosen.emit(self._ids[place])
