"""Tables of facts: read as written, refused with the line where they are not."""

from pathlib import Path
from random import Random

import pytest

import models.training
from models.training.fact_pairs import FactPairs
from models.training.facts import read_facts, read_tables, said_of

FOLDER = Path(models.training.__file__).parent


def write(folder: Path, text: str) -> Path:
    path = folder / "table.txt"
    path.write_text(text, "utf-8")
    return path


def test_a_fact_has_wordings_of_what_is_true_and_of_what_excludes_it(tmp_path: Path) -> None:
    facts = read_facts(
        write(tmp_path, "# note\n@ iron / Fe\n= is a metal / ^ a metal is what iron is\n! is a gas\n! is salt\n")
    )
    assert [fact.topic for fact in facts] == ["table/0"]
    assert facts[0].subject == ("iron", "Fe")
    assert facts[0].false == (("is a gas",), ("is salt",))
    assert [said_of("iron", wording) for wording in facts[0].true] == ["iron is a metal", "a metal is what iron is"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("@ iron\n= is a metal\n", "at least one true and one false"),
        ("@ iron\n! is a gas\n", "line 2"),
        ("@ iron\n= is a metal\nis a gas\n", "line 3"),
        ("~ beside\n", "line 1"),
    ],
)
def test_a_table_that_cannot_be_read_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_facts(write(tmp_path, text))


def test_the_tables_are_broad_and_no_wording_is_both_true_and_false() -> None:
    facts, steps = read_tables(FOLDER, "facts_"), read_tables(FOLDER, "steps_")
    assert len(facts) >= 400
    assert len(steps) >= 100
    for fact in [*facts, *steps]:
        excluded = {wording for wordings in fact.false for wording in wordings}
        assert excluded.isdisjoint(fact.true), fact.topic
        assert len(set(fact.true)) == len(fact.true) >= 2, fact.topic


def test_contradictions_set_what_is_true_against_what_excludes_it(tmp_path: Path) -> None:
    text = "@ iron\n= is a metal / is metallic\n! is a gas\n@ salt\n= is white / has no color\n! is black\n"
    facts = read_facts(write(tmp_path, text))
    pairs = FactPairs(facts, Random(3)).single(facts[0], 2)
    for pair in pairs:
        gas = ["gas" in text for text in (pair.premise, pair.hypothesis)]
        salt = ["salt" in text.lower() for text in (pair.premise, pair.hypothesis)]
        assert (pair.label == "contradiction") == (sum(gas) == 1 and not any(salt))
        assert (pair.label == "neutral") == any(salt)
