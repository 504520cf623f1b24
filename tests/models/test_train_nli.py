"""What goes into the training of the small NLI model, without training one."""

import gzip
from pathlib import Path

import msgspec
import pytest

from core.errors import BadInput
from models.train_nli import GENERAL_SHARES, KEPT_BACK, general_pairs, main
from models.training.pairs import LABELS, Pair


@pytest.fixture
def general(tmp_path: Path) -> Path:
    for name in GENERAL_SHARES:
        pairs = [
            Pair(premise=f"{name} {number}.", hypothesis=f"What is {number}?", label=LABELS[number % 3])
            for number in range(900)
        ]
        (tmp_path / f"{name}.jsonl.gz").write_bytes(gzip.compress(msgspec.json.Encoder().encode_lines(pairs)))
    return tmp_path


def test_a_share_of_each_general_set_is_used_and_what_is_kept_back_is_not_learned(general: Path) -> None:
    training, validation = general_pairs(general, seed=1)
    assert {pair.pattern for pair in training} == set(GENERAL_SHARES)
    assert {pair.pattern for pair in validation} == set(KEPT_BACK)
    assert len(validation) == 300 * len(KEPT_BACK)
    assert {pair.premise for pair in training}.isdisjoint({pair.premise for pair in validation})
    assert sum(pair.pattern == "scone_train" for pair in training) == int(900 * GENERAL_SHARES["scone_train"])


def test_the_choice_is_the_same_for_the_same_seed(general: Path) -> None:
    assert general_pairs(general, seed=1) == general_pairs(general, seed=1)
    assert general_pairs(general, seed=1) != general_pairs(general, seed=2)


def test_a_missing_set_is_named(general: Path) -> None:
    (general / "med_all.jsonl.gz").unlink()
    with pytest.raises(BadInput, match=r"med_all\.jsonl\.gz"):
        general_pairs(general, seed=1)


def test_what_must_be_given_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([])
    assert "--base" in capsys.readouterr().err
