"""What every scorer expects of the texts it is given."""

from collections.abc import Iterable


def require_words(texts: Iterable[str]) -> None:
    """Raises `ValueError` for a text without words: measuring nothing is a mistake of the caller."""
    if not all(text.strip() for text in texts):
        raise ValueError("a scorer was given a text without words")
