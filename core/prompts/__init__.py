"""The prompts, one file each, filled in strictly."""

import functools
import string
from importlib import resources


@functools.cache
def _template(name: str) -> string.Template:
    text = resources.files(__package__).joinpath(f"{name}.md").read_text(encoding="utf-8")
    return string.Template(text)


def fill(name: str, **values: str) -> str:
    """The prompt `name` with its `$places` filled in. Raises `KeyError` for a place without a value or the reverse."""
    template = _template(name)
    places = set(template.get_identifiers())
    if places != set(values):
        raise KeyError(f"prompt {name}: places {sorted(places)}, values {sorted(values)}")
    return template.substitute(values)
