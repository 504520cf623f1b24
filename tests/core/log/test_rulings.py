"""Rulings of the clinician on names are kept, in order, until the case is signed."""

import pytest

from core.domain.case import NameRuling
from core.errors import BadInput, NewerLibrary
from core.log.casebook import add_note, find_cases, load_case, rule_on_names, sign_off
from core.log.events import NamesRuled
from core.log.migrations import STEPS, migrate
from core.log.store import Library


def test_rulings_are_kept_in_order(library, path, key, case_id):
    rule_on_names(library, case_id, "join", ("Gout", "Pseudogout"), " Dr. Ruiz ", " Both crystals. ")
    rule_on_names(library, case_id, "split", ("Pseudogout",), "Dr. Chen")
    first, second = load_case(library, case_id).rulings
    assert (first.kind, first.names, first.by, first.reason) == (
        "join", ("Gout", "Pseudogout"), "Dr. Ruiz", "Both crystals.",
    )  # fmt: skip
    assert second == NameRuling(kind="split", names=("Pseudogout",), by="Dr. Chen", at="2026-03-01T08:00:05.000+00:00")
    library.close()
    with Library(path, key) as again:
        assert load_case(again, case_id).rulings == (first, second)
        assert again.events(case_id)[-1] == NamesRuled(ruling=second)
        again.verify()


@pytest.mark.parametrize(
    ("kind", "names"),
    [("join", ("Gout",)), ("join", ("a", "b", "c")), ("join", ("a", " ")), ("split", ("a", "b")), ("split", ())],
)
def test_two_names_are_joined_and_one_is_split(library, case_id, kind, names):
    with pytest.raises(BadInput, match="two names to join, or one to split"):
        rule_on_names(library, case_id, kind, names, "Dr. Ruiz")
    assert load_case(library, case_id).rulings == ()


def test_nobody_rules_on_nothing_and_nobody_after_the_sign_off(library, case_id):
    with pytest.raises(BadInput, match="give a name"):
        rule_on_names(library, case_id, "split", ("Gout",), " ")
    sign_off(library, case_id, "Dr. Ruiz", "attending", "I agree.")
    with pytest.raises(BadInput, match=r"signed off by Dr\. Ruiz"):
        rule_on_names(library, case_id, "split", ("Gout",), "Dr. Ruiz")


def test_a_ruling_changes_no_state_and_is_gone_with_its_case(library, case_id):
    rule_on_names(library, case_id, "split", ("Gout canary",), "Dr. Ruiz")
    assert [entry.state for entry in find_cases(library)] == ["opened"]
    library.erase(case_id, "Dr. Ruiz")
    assert {entry.event for entry in library.entries(case_id)} == {None}
    library.verify()


def test_a_library_of_the_first_format_opens_and_takes_rulings(library, path, key, case_id, tamper):
    add_note(library, case_id, "before", "Dr. Ruiz")
    head = library.head()
    library.close()
    tamper("pragma user_version = 1", triggers=True)
    with Library(path, key) as again:
        assert again.head() == head
        rule_on_names(again, case_id, "split", ("Gout",), "Dr. Ruiz")
        assert len(load_case(again, case_id).rulings) == 1
        again.verify()


def test_a_program_without_rulings_declines_the_library(library):
    with pytest.raises(NewerLibrary, match="newer version"):
        migrate(library._database, STEPS[:1])
