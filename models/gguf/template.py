"""The chat template of a model, cut into the parts around the texts, so that no text can ever end a turn.

The template is rendered once with markers in place of the texts. Its own parts may contain special tokens; texts never do.
"""

from collections.abc import Callable

import jinja2
from jinja2.sandbox import ImmutableSandboxedEnvironment
from msgspec import Struct

SYSTEM = "\ue000system\ue001"
USER = "\ue000user\ue001"
PLAIN = f"{SYSTEM}\n\n{USER}\n\nFilled-in form:\n"
"""For models without a chat template."""


class Frame(Struct, frozen=True, kw_only=True):
    """Template parts around the system text and the user text."""

    before: str
    between: str
    """Between system and user text."""
    after: str
    notes: tuple[str, ...] = ()


def frame(template: str | None, bos: str, eos: str) -> Frame:
    """The frame of a chat template; a plain one, said so, where there is none or it cannot be used."""
    if not template:
        return _cut(PLAIN, ("This model file has no chat template: a plain one is used.",))
    render = _renderer(template, bos, eos)
    both = _attempt(render, [{"role": "system", "content": SYSTEM}, {"role": "user", "content": USER}])
    if both is not None:
        return _cut(both, ())
    merged = _attempt(render, [{"role": "user", "content": f"{SYSTEM}\n\n{USER}"}])
    if merged is not None:
        return _cut(merged, ("This model's chat template knows no system role: the rules stand in the user's turn.",))
    return _cut(PLAIN, ("This model's chat template could not be used: a plain one is used.",))


def _renderer(template: str, bos: str, eos: str) -> Callable[[list[dict[str, str]]], str]:
    def refuse(message: str) -> None:
        raise jinja2.TemplateError(message)

    def render(messages: list[dict[str, str]]) -> str:
        environment = ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
        )
        environment.globals.update(raise_exception=refuse, strftime_now=lambda form: "")
        return environment.from_string(template).render(
            messages=messages, add_generation_prompt=True, bos_token=bos, eos_token=eos, tools=None
        )

    return render


def _attempt(render: Callable[[list[dict[str, str]]], str], messages: list[dict[str, str]]) -> str | None:
    """The rendered text where both markers came through exactly once and in order, else None."""
    try:
        text = render(messages)
    except (jinja2.TemplateError, TypeError, ValueError, LookupError, AttributeError, ArithmeticError):
        return None  # a template that refuses our messages; the next shape is tried
    in_order = text.count(SYSTEM) == text.count(USER) == 1 and text.index(SYSTEM) < text.index(USER)
    return text if in_order else None


def _cut(text: str, notes: tuple[str, ...]) -> Frame:
    before, rest = text.split(SYSTEM)
    between, after = rest.split(USER)
    return Frame(before=before, between=between, after=after, notes=notes)
