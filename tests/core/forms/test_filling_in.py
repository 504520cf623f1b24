"""Whatever a grammar lets through parses and is written back to the letter."""

import random
import re

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.forms import Filled, Form, NotFilled, Picked, Repeated, Value, Written
from tests.core.forms.gbnf import Gbnf
from tests.core.forms.random_forms import accepts, forms, grown_stepwise, grown_whole

some = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
seeds = st.integers(0, 2**32)


@some
@given(forms(), seeds)
def test_what_the_whole_grammar_accepts_parses_and_is_written_back(form: Form, seed: int) -> None:
    text = grown_whole(form, seed)
    assert form.write(form.parse(text)) == text
    assert len(text) <= form.most_chars()


@some
@given(form=forms(), seed=seeds)
def test_what_is_filled_in_step_by_step_parses_and_fits_both_grammars(form: Form, seed: int, gbnf: Gbnf) -> None:
    text, filled = grown_stepwise(form, seed)
    assert form.parse(text) == filled
    assert form.write(filled) == text
    assert len(text) <= form.most_chars()
    assert accepts(form, text)
    assert gbnf.accepts(form.gbnf(), text)


@some
@given(forms(), seeds)
def test_a_text_cut_off_anywhere_is_no_filled_in_form(form: Form, seed: int) -> None:
    text, _ = grown_stepwise(form, seed)
    for length in range(len(text)):
        with pytest.raises(NotFilled) as refused:
            form.parse(text[:length])
        _says_nothing(refused.value, text)


@some
@given(forms(), seeds, st.sampled_from(["\n", " ", "x", "END\n", "L1: x\n"]))
def test_a_text_behind_the_form_is_refused(form: Form, seed: int, more: str) -> None:
    text, _ = grown_stepwise(form, seed)
    with pytest.raises(NotFilled) as refused:
        form.parse(text + more)
    _says_nothing(refused.value, text)


@some
@given(forms(), seeds)
def test_a_changed_label_is_refused(form: Form, seed: int) -> None:
    text, _ = grown_stepwise(form, seed)
    lines = text.splitlines(keepends=True)
    number = random.Random(seed).randrange(len(lines))
    changed = "".join([*lines[:number], "?" + lines[number], *lines[number + 1 :]])
    with pytest.raises(NotFilled) as refused:
        form.parse(changed)
    _says_nothing(refused.value, text)


def _says_nothing(error: NotFilled, text: str) -> None:
    """None of the lines stands in the message, nor does a chained error carry them."""
    assert error.__cause__ is None
    assert error.__context__ is None or error.__suppress_context__
    for line in text.splitlines():
        said = line.partition(": ")[2].strip()
        assert len(said) < 6 or said not in str(error)


@some
@given(forms(), seeds)
def test_cut_marks_exactly_what_reached_its_bound(form: Form, seed: int) -> None:
    _, filled = grown_stepwise(form, seed)
    bounds = {field.label: field for field in _all_fields(form.fields)}
    for label, value in _all_values(filled):
        if isinstance(value, Written):
            field = bounds[label]
            full = (
                len(value.text) == field.max_chars
                if hasattr(field, "max_chars")
                else len(value.text.split(" ")) == field.max_words
                or max(map(len, value.text.split(" "))) == field.max_word_chars
            )
            assert value.cut == full
            assert (label in filled.cut) or not full


def _all_fields(fields: tuple[object, ...]) -> list[object]:
    found: list[object] = []
    for field in fields:
        found += [field, *_all_fields(getattr(field, "fields", ()))]
        for option in getattr(field, "options", ()):
            found += _all_fields(getattr(option, "then", ()))
    return found


def _all_values(filled: Filled) -> list[tuple[str, Value]]:
    found: list[tuple[str, Value]] = []
    for label, value in filled.entries:
        found.append((label, value))
        for item in value.items if isinstance(value, Repeated) else ():
            found += _all_values(item)
    return found


@some
@given(forms(), seeds)
def test_first_agrees_with_the_whole_form_and_reads_a_text_that_stops_there(form: Form, seed: int) -> None:
    text, filled = grown_stepwise(form, seed)
    seen: set[str] = set()
    for label, value in _all_values(filled):
        if label in seen or isinstance(value, Repeated):
            continue
        seen.add(label)
        said = form.first(text, label)
        if isinstance(value, Written):
            assert said == value.text.strip()
        elif isinstance(value, Picked):
            assert said == (value.options[0] if value.options else "none")
        else:
            assert said == str(value)
        stops = text.index("\n", text.index(f"{label}:")) + 1
        assert form.first(text[:stops], label) == said


@some
@given(forms())
def test_forms_survive_json(form: Form) -> None:
    assert msgspec.json.decode(msgspec.json.encode(form), type=Form) == form


def _lies_in_a_range(name: str, told: str) -> bool:
    """Four or more ids in a row are told as `S1 to S4`."""
    letters = name.rstrip("0123456789")
    ranges = re.findall(rf"\b{re.escape(letters)}(\d+) to {re.escape(letters)}(\d+)\b", told)
    return any(int(low) <= int(name[len(letters) :]) <= int(high) for low, high in ranges)


@some
@given(forms())
def test_instructions_name_every_label_and_every_option(form: Form) -> None:
    told = form.instructions()
    for field in _all_fields(form.fields):
        if not hasattr(field, "fields"):
            assert field.label in told
        for option in getattr(field, "options", ()):
            name = getattr(option, "name", option)
            assert name in told or _lies_in_a_range(name, told)


@pytest.fixture(scope="session")
def gbnf(tmp_path_factory: pytest.TempPathFactory) -> Gbnf:
    return Gbnf(tmp_path_factory.mktemp("gbnf"))
