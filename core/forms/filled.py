"""What a filled-in form holds, by label."""

from collections.abc import Iterator

from msgspec import Struct

CUT = "[cut]"
"""Stands behind a text that reached its bound."""


class Written(Struct, frozen=True):
    """A text or name. `cut` is true where it reached its bound."""

    text: str
    cut: bool = False


class Picked(Struct, frozen=True):
    """One or several choices or ids, in the order in which they were given."""

    options: tuple[str, ...]


class Repeated(Struct, frozen=True):
    """The items of a repeated group."""

    items: tuple["Filled", ...]
    repeated: Written | None = None
    """A name that stood in the list already; the list ended there and the name is not an item."""


Value = Written | Picked | Repeated | int


class Filled(Struct, frozen=True):
    """Values by label, in the order of the form. Follow-up fields of a choice stand behind the choice."""

    entries: tuple[tuple[str, Value], ...]

    def __contains__(self, label: str) -> bool:
        return any(name == label for name, _ in self.entries)

    def __getitem__(self, label: str) -> Value:
        for name, value in self.entries:
            if name == label:
                return value
        raise KeyError(label)

    def after(self, label: str) -> "Filled":
        """The entries behind `label`: the follow-up fields of a choice whose labels occur more than once."""
        index = next(i for i, (name, _) in enumerate(self.entries) if name == label)
        return Filled(self.entries[index + 1 :])

    def text(self, label: str) -> str:
        """A text without white space at its ends; one that reached its bound says so."""
        value = self[label]
        assert isinstance(value, Written)
        return f"{value.text.strip()} {CUT}" if value.cut else value.text.strip()

    def name(self, label: str) -> str:
        """A name without white space at its ends and without a mark, so that it can be looked up."""
        value = self[label]
        assert isinstance(value, Written)
        return value.text.strip()

    def number(self, label: str) -> int:
        value = self[label]
        assert isinstance(value, int)
        return value

    def pick(self, label: str) -> str:
        (option,) = self.picks(label)
        return option

    def picks(self, label: str) -> tuple[str, ...]:
        value = self[label]
        assert isinstance(value, Picked)
        return value.options

    def items(self, label: str) -> tuple["Filled", ...]:
        value = self[label]
        assert isinstance(value, Repeated)
        return value.items

    @property
    def cut(self) -> tuple[str, ...]:
        """Labels of texts that reached their bound, also inside repeated groups."""
        return tuple(self._cut())

    def _cut(self) -> Iterator[str]:
        for label, value in self.entries:
            if isinstance(value, Written) and value.cut:
                yield label
            elif isinstance(value, Repeated):
                for item in value.items:
                    yield from item._cut()
