"""Both schemes can be read: contrast as WCAG 2.1 asks for it."""

import pytest

from desktop.theme import DARK, LIGHT, Colors


def luminance(color: str) -> float:
    """Source: WCAG 2.1, relative luminance."""
    parts = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    brighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (brighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("colors", [LIGHT, DARK])
def test_every_text_can_be_read_on_its_ground(colors: Colors) -> None:
    pairs = [(text, ground) for text in (colors.text, colors.quiet) for ground in (colors.ground, colors.surface)]
    pairs += [(colors.text, ground) for ground in (colors.notice, colors.warning)]
    pairs += [(colors.on_accent, colors.accent), (colors.accent, colors.surface), (colors.accent, colors.ground)]
    assert min(contrast(text, ground) for text, ground in pairs) >= 4.5


@pytest.mark.parametrize("colors", [LIGHT, DARK])
def test_what_cannot_be_used_now_can_still_be_made_out(colors: Colors) -> None:
    assert contrast(colors.faint, colors.surface) >= 3
    assert contrast(colors.faint, colors.ground) >= 3
