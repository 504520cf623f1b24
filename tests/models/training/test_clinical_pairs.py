"""The generated pairs: balanced, repeatable, apart from validation and from everything that a model is judged by."""

import csv
import gzip
import tomllib
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from models.training.clinical_pairs import Amounts, Tables, generate, part, read_all
from models.training.pairs import Pair, normalized

ROOT = Path(__file__).parents[3]
FEW = Amounts(
    facts=2, steps=3, evidence=3, measures=4, trends=2, combinations=4, contrasts=4, findings=2, times=20, diseases=3
)


@pytest.fixture(scope="module")
def tables() -> Tables:
    return read_all(None)


@pytest.fixture(scope="module")
def pairs(tables: Tables) -> list[Pair]:
    return generate(part(tables, validation=False), FEW, seed=1)


def test_every_pattern_has_all_three_labels_in_balance(pairs: list[Pair]) -> None:
    counts = Counter((pair.pattern, pair.label) for pair in pairs)
    for pattern in {pair.pattern for pair in pairs}:
        per_label = [counts[pattern, label] for label in ("contradiction", "entailment", "neutral")]
        assert min(per_label) > 0
        assert max(per_label) <= 1.06 * min(per_label), f"{pattern}: {per_label}"


def test_the_same_seed_gives_the_same_pairs_and_another_one_others(tables: Tables, pairs: list[Pair]) -> None:
    training = part(tables, validation=False)
    assert generate(training, FEW, seed=1) == pairs
    assert generate(training, FEW, seed=2) != pairs


def test_no_text_pair_occurs_twice_or_with_two_labels(pairs: list[Pair]) -> None:
    texts = [(normalized(pair.premise), normalized(pair.hypothesis)) for pair in pairs]
    assert len(texts) == len(set(texts))
    assert all(premise != hypothesis for premise, hypothesis in texts)


def test_training_and_validation_share_no_topic(tables: Tables, pairs: list[Pair]) -> None:
    validation = generate(part(tables, validation=True), msgspec.structs.replace(FEW, times=0), seed=1)
    assert validation
    assert {pair.topic for pair in validation}.isdisjoint({pair.topic for pair in pairs})


def test_a_negation_betrays_no_label(pairs: list[Pair]) -> None:
    """With a negation in one of the two sentences, contradiction must stay far from certain."""
    negated = [pair for pair in pairs if {"no", "not", "denies", "without", "absent"} & set(pair.hypothesis.split())]
    share = sum(pair.label == "contradiction" for pair in negated) / len(negated)
    assert 0.2 < share < 0.5


def test_no_sentence_is_left_unfinished(pairs: list[Pair]) -> None:
    for pair in pairs:
        for text in (pair.premise, pair.hypothesis):
            first = text.split()[0]
            assert not (first.isalpha() and first.islower()), "small letters begin only names such as hCG or del(5q)"
            assert text.endswith(".")
            assert not any(odd in text for odd in ("  ", "..", "{"))


def judged_by() -> set[frozenset[str]]:
    """The pairs of the packaged probes and of the bench, wherever they are at hand."""
    found: set[frozenset[str]] = set()
    probes = ROOT / "models" / "scoring" / "probes.toml"
    if probes.exists():
        tree = tomllib.loads(probes.read_text("utf-8"))
        rows = [row for rows in tree.values() if isinstance(rows, list) for row in rows if isinstance(row, dict)]
        found |= {frozenset(normalized(text) for text in row.values() if isinstance(text, str)) for row in rows}
    bench = ROOT / "tests" / "bench" / "clinical_pairs.tsv"
    if bench.exists():
        with bench.open(encoding="utf-8") as lines:
            found |= {
                frozenset(map(normalized, row)) for row in csv.reader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
            }
    return found


def test_no_pair_that_a_model_is_judged_by_is_learned(tables: Tables) -> None:
    judged = judged_by()
    learned = [*generate(tables, FEW, seed=1), *generate(tables, FEW, seed=20)]
    both = {frozenset((normalized(pair.premise), normalized(pair.hypothesis))) for pair in learned}
    singles = {text for texts in both for text in texts}
    for texts in judged:
        assert not any(pair <= texts for pair in both if pair & texts)
        long = {text for text in texts if len(text.split()) >= 8}
        assert long.isdisjoint(singles)


def test_names_of_one_disease_come_from_a_table_of_terms(tmp_path: Path) -> None:
    table = tmp_path / "terms.tsv.gz"
    rows = ["term\tnorm\tconcept_id", "heart attack\t\t1", "myocardial infarction\t\t1", "gout\t\t2", "XYZ12\t\t2"]
    table.write_bytes(gzip.compress("\n".join(rows).encode()))
    assert read_all(table).names == [("heart attack", "myocardial infarction")]
