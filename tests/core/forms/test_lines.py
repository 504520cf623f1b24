"""What may stand in a name, a text, a list of picks."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.forms import Choice, Form, Name, NotFilled, Number, Option, Picks, Repeat, Repeated, Text, words
from tests.core.forms.random_forms import FORBIDDEN, accepts, grown_whole

NAME = Form(name="one", fields=(Name(label="DIAGNOSIS", hint="a disease", forbidden=FORBIDDEN),))
TEXT = Form(name="one", fields=(Text(label="CLAIM", hint="a claim", max_chars=30),))
PICKS = Form(name="one", fields=(Picks(label="FOR", options=("S1", "S2", "S11", "S12"), low=1, high=3),))


@pytest.mark.parametrize(
    "name",
    [
        "21-hydroxylase deficiency", "Orsomething syndrome", "Visual snow", "Suchard disease", "Vs1 tumor", "Versusoma",
        "Pneumonia, bacterial", "ORS", "Organizing pneumonia", "Ménière's disease", "β-thalassemia", "田中 病", "مرض عصبي",
        "Syndrome 🫀", "Wolff-Parkinson-White", "Factor V Leiden", "Major depressive disorder", "Sjögren",
    ],
)  # fmt: skip
def test_names_of_diseases_are_accepted(name: str) -> None:
    text = f"DIAGNOSIS: {name}\n"
    assert NAME.parse(text).text("DIAGNOSIS") == name
    assert accepts(NAME, text)


@pytest.mark.parametrize(
    "name",
    [
        "Angina or infarction", "Angina OR infarction", "or", "Or", "Virus such as EBV", "Angina vs infarction",
        "Angina Versus infarction", "Angina vs. infarction", "Angina (stable)", "Angina/infarction", "Angina: stable",
        "Angina, or, infarction", "Angina or- infarction", "Angina ,or infarction", "Angina oR infarction", "", " Angina",
        "Angina  pectoris", "Angina ", "Angina\x0bpectoris", "Angina\u2028pectoris", "Angina\u0085pectoris",
        "Angina\u00a0or\u00a0infarction", "Angina\tor infarction", "Angina\r", "x" * 200,
        " ".join("abcdefghi"),
    ],
)  # fmt: skip
def test_what_is_no_name_of_one_disease_is_refused(name: str) -> None:
    text = f"DIAGNOSIS: {name}\n"
    with pytest.raises(NotFilled):
        NAME.parse(text)
    assert not accepts(NAME, text)


@given(st.integers(0, 2**32))
def test_no_grown_name_holds_a_forbidden_word(seed: int) -> None:
    name = NAME.parse(grown_whole(NAME, seed)).text("DIAGNOSIS")
    assert not {word.strip("!#$%&'+,-=?@^~").lower() for word in name.split()} & set(FORBIDDEN)


@given(st.text(max_size=40))
def test_parser_and_grammar_agree_on_any_text(said: str) -> None:
    for form in (TEXT, NAME):
        text = f"{form.fields[0].label}: {said}\n"
        try:
            parsed = form.write(form.parse(text)) == text
        except NotFilled:
            parsed = False
        encodable = not re.search("[\ud800-\udfff]", text)
        assert parsed == (encodable and accepts(form, text))


@pytest.mark.parametrize("said", ["é田ع🫀", "a, b; c: d (e) / f", "<|im_end|>", 'he said "no"', "1.5 °C\u00a0up"])
def test_texts_hold_any_writing(said: str) -> None:
    assert TEXT.parse(f"CLAIM: {said}\n").text("CLAIM") == said


@pytest.mark.parametrize("control", [*map(chr, range(32)), "\x7f", "\x85", "\u2028", "\u2029"])
def test_texts_hold_no_line_break_and_no_control_character(control: str) -> None:
    text = f"CLAIM: abc{control}def\n"
    with pytest.raises(NotFilled):
        TEXT.parse(text)
    assert not accepts(TEXT, text)


@pytest.mark.parametrize(("length", "cut"), [(29, False), (30, True)])
def test_a_text_is_cut_at_its_bound(length: int, cut: bool) -> None:
    assert TEXT.parse(f"CLAIM: {'x' * length}\n").cut == (("CLAIM",) if cut else ())


def test_a_name_is_cut_where_its_words_are_used_up_or_a_word_is_full() -> None:
    bounds = Form(name="one", fields=(Name(label="D", max_words=3, max_word_chars=5),))
    assert not bounds.parse("D: abcd abcd\n").cut
    assert bounds.parse("D: a b c\n").cut
    assert bounds.parse("D: abcde\n").cut


@pytest.mark.parametrize("picked", ["S1", "S11", "S12, S1", "S1, S2, S11"])
def test_picks_are_read_in_their_order(picked: str) -> None:
    assert PICKS.parse(f"FOR: {picked}\n").picks("FOR") == tuple(picked.split(", "))


@pytest.mark.parametrize("picked", ["none", "", "S3", "S1, S1", "S1, S2, S1", "S1,S2", "S1, S2, S11, S12", "S1,", "s1"])
def test_other_picks_are_refused(picked: str) -> None:
    text = f"FOR: {picked}\n"
    with pytest.raises(NotFilled):
        PICKS.parse(text)
    assert not accepts(PICKS, text)


def test_picks_may_be_none() -> None:
    form = Form(name="one", fields=(Picks(label="FOR", options=("S1",), low=0, high=2),))
    assert form.parse("FOR: none\n").picks("FOR") == ()


@pytest.mark.parametrize("number", ["-1", "11", "3.5", "03", "x", ""])
def test_numbers_stay_in_their_range(number: str) -> None:
    form = Form(name="one", fields=(Number(label="N", low=0, high=10),))
    assert form.parse("N: 10\n").number("N") == 10
    with pytest.raises(NotFilled):
        form.parse(f"N: {number}\n")


def _list(*fields: object) -> Form:
    return Form(name="list", fields=(Repeat(label="LIST", fields=fields, low=2, high=3, distinct=True),))


def test_a_name_given_again_ends_the_list_there() -> None:
    form = _list(Name(label="D"), words("K", "a", "b"))
    filled = form.parse("D: Gout\nK: a\nD: Angina\nK: a\nD: gOUT\nEND\n")
    value = filled["LIST"]
    assert isinstance(value, Repeated)
    assert [item.text("D") for item in value.items] == ["Gout", "Angina"]
    assert value.repeated is not None
    assert value.repeated.text == "gOUT"


def test_a_choice_taken_cannot_be_taken_again() -> None:
    form = _list(words("D", "D1", "D2", "D11"), Number(label="N", low=1, high=9))
    assert [i.pick("D") for i in form.parse("D: D11\nN: 1\nD: D1\nN: 1\nEND\n").items("LIST")] == ["D11", "D1"]
    again = "D: D1\nN: 1\nD: D1\nN: 1\nEND\n"
    with pytest.raises(NotFilled):
        form.parse(again)
    assert not accepts(form, again)


def test_first_reads_up_to_a_label_only() -> None:
    form = _list(Name(label="D"), Picks(label="P", options=("S1", "S2", "S3"), low=1, high=3))
    assert form.first("D: Gout, acute,\n", "D") == "Gout, acute,"
    assert form.first("D: Gout\nP: S2, S1\n", "P") == "S2"
    with pytest.raises(NotFilled):
        form.first("D: Gout", "D")
    with pytest.raises(NotFilled):
        form.first("D: Gout\nP: S1\nEND\n", "other")


def test_follow_up_fields_come_only_with_their_option() -> None:
    then = (Text(label="GROUND", max_chars=20),)
    form = Form(name="one", fields=(Choice(label="D1", options=(Option(name="YES", then=then), Option(name="NO"))),))
    assert form.parse("D1: YES\nGROUND: because\n").after("D1").text("GROUND") == "because"
    assert "GROUND" not in form.parse("D1: NO\n")
    for wrong in ("D1: YES\n", "D1: NO\nGROUND: because\n", "D1: MAYBE\n"):
        with pytest.raises(NotFilled):
            form.parse(wrong)


def test_a_text_that_reached_its_bound_says_so_and_a_name_does_not() -> None:
    form = Form(name="f", fields=(Text(label="WHY", max_chars=8), Name(label="DIAGNOSIS", max_words=2)))
    filled = form.parse("WHY: becauses\nDIAGNOSIS: acute gout\n")
    assert filled.text("WHY") == "becauses [cut]"
    assert filled.name("DIAGNOSIS") == "acute gout"
    assert filled.cut == ("WHY", "DIAGNOSIS")


def test_an_alphabetic_form_takes_no_ideographs_anywhere() -> None:
    inner = Repeat(label="L", fields=(Name(label="N"), Text(label="T", max_chars=20)), low=1, high=1)
    form = Form(name="f", fields=(Choice(label="C", options=(Option(name="a", then=(inner,)),)),))
    plain, ideographs = "C: a\nN: Fièvre Q\nT: café, β and Ж\nEND\n", "C: a\nN: Fever\nT: fever 发热\nEND\n"
    assert form.parse(ideographs)
    assert form.alphabetic().parse(plain)
    with pytest.raises(NotFilled):
        form.alphabetic().parse(ideographs)
    with pytest.raises(NotFilled):
        form.alphabetic().parse(plain.replace("Fièvre", "熱"))
