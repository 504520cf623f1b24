"""The generated part of the training data: every pattern in all three labels, with topics kept back for validation.

`python -m models.training.clinical_pairs --terms disease_terms_cc0.tsv.gz --out FOLDER` writes both parts.
"""

import argparse
from hashlib import blake2b
from pathlib import Path
from random import Random

import msgspec
from msgspec import Struct

from models.training.evidence_pairs import Evidence, EvidencePairs, read_evidence
from models.training.fact_pairs import FactPairs
from models.training.facts import Fact, read_tables
from models.training.measure_pairs import MeasurePairs
from models.training.measures import Combination, Measure, read_combinations, read_measures
from models.training.pairs import Pair, consistent, shuffled
from models.training.quality_pairs import (
    Contrast,
    Findings,
    QualityPairs,
    read_contrasts,
    read_findings,
    read_names,
    siblings,
)
from models.training.synonyms import Synonyms, read_synonyms

_FOLDER = Path(__file__).parent
_REWORDED = frozenset({"facts", "compound", "stance", "denied", "steps", "evidence"})


class Tables(Struct, frozen=True, kw_only=True):
    """Everything the pairs are made of."""

    facts: list[Fact]
    steps: list[Fact]
    evidence: list[Evidence]
    measures: list[Measure]
    combinations: list[Combination]
    contrasts: list[Contrast]
    findings: Findings
    synonyms: Synonyms
    names: list[tuple[str, ...]]
    """Of one disease each. May be empty."""


class Amounts(Struct, frozen=True, kw_only=True):
    """Pairs of each label per topic; `times`, `diseases` and `siblings` in all."""

    facts: int = 6
    compounds: int = 1
    stances: int = 1
    denials: int = 1
    steps: int = 14
    evidence: int = 8
    measures: int = 22
    trends: int = 6
    combinations: int = 40
    contrasts: int = 16
    findings: int = 7
    times: int = 300
    diseases: int = 250
    siblings: int = 1200


def read_all(terms: Path | None) -> Tables:
    """The tables of this package, and disease names from `terms` if given."""
    return Tables(
        facts=read_tables(_FOLDER, "facts_"),
        steps=read_tables(_FOLDER, "steps_"),
        evidence=read_evidence(_FOLDER / "evidence.txt"),
        measures=read_measures(_FOLDER / "measures.toml"),
        combinations=read_combinations(_FOLDER / "combinations.toml"),
        contrasts=read_contrasts(_FOLDER / "contrasts.toml"),
        findings=read_findings(_FOLDER / "findings.toml"),
        synonyms=read_synonyms(_FOLDER / "synonyms.toml"),
        names=read_names(terms) if terms else [],
    )


def kept_back(topic: str, one_in: int) -> bool:
    """Whether a topic belongs to validation: by its name, so that the answer stays when a table grows."""
    return int.from_bytes(blake2b(topic.encode(), digest_size=4).digest(), "big") % one_in == 0


def part(tables: Tables, validation: bool) -> Tables:
    """The topics of one side. No topic is on both."""

    def mine(topic: str, one_in: int) -> bool:
        return kept_back(topic, one_in) == validation

    # A subject goes to one side with all its facts: else its names alone would be familiar.
    findings = tuple(found for found in tables.findings.findings if mine(found[0], 10))
    return Tables(
        facts=[fact for fact in tables.facts if mine(fact.subject[0], 12)],
        steps=[step for step in tables.steps if mine(step.true[0], 9)],
        evidence=[found for found in tables.evidence if mine(found.topic, 9)],
        measures=[measure for measure in tables.measures if mine(measure.topic, 18)],
        combinations=[found for found in tables.combinations if mine(found.topic, 3)],
        contrasts=[contrast for contrast in tables.contrasts if mine(contrast.topic, 9)],
        findings=msgspec.structs.replace(tables.findings, findings=findings),
        synonyms=tables.synonyms,
        names=[names for names in tables.names if mine(names[0], 12)],
    )


def generate(tables: Tables, amounts: Amounts, seed: int) -> list[Pair]:
    """Pairs in random order, the same for the same seed."""
    rng = Random(seed)
    pairs = [
        *_from_facts(tables, amounts, rng),
        *_from_numbers(tables, amounts, rng),
        *_from_qualities(tables, amounts, rng),
    ]
    pairs = [tables.synonyms.reworded(pair, rng) if pair.pattern in _REWORDED else pair for pair in pairs]
    return shuffled(consistent(pairs), rng)


def _from_facts(tables: Tables, amounts: Amounts, rng: Random) -> list[Pair]:
    facts, steps = FactPairs(tables.facts, rng), FactPairs(tables.steps, rng)
    diagnoses = [fact.subject[0] for fact in tables.facts if not fact.topic.startswith("facts_drugs")]
    pairs: list[Pair] = []
    for fact in tables.facts:
        pairs += facts.single(fact, amounts.facts)
        pairs += facts.compound(fact, amounts.compounds)
        pairs += facts.stance(fact, diagnoses, amounts.stances)
        pairs += facts.denied(fact, amounts.denials)
    for step in tables.steps:
        pairs += steps.step(step, amounts.steps)
    if len(tables.evidence) > 1:
        grounds = EvidencePairs(tables.evidence, rng)
        for evidence in tables.evidence:
            pairs += grounds.grounds(evidence, amounts.evidence)
    return pairs


def _from_numbers(tables: Tables, amounts: Amounts, rng: Random) -> list[Pair]:
    numbers = MeasurePairs(tables.measures, tables.combinations, rng)
    pairs: list[Pair] = []
    if len(tables.measures) > 1:
        for measure in tables.measures:
            pairs += numbers.levels(measure, amounts.measures)
            pairs += numbers.trends(measure, amounts.trends)
    if len(tables.combinations) > 1:
        for combination in tables.combinations:
            pairs += numbers.readings(combination, amounts.combinations)
    return pairs


def _from_qualities(tables: Tables, amounts: Amounts, rng: Random) -> list[Pair]:
    qualities = QualityPairs(tables.findings, tables.names, rng)
    pairs = qualities.times(amounts.times)
    for contrast in tables.contrasts:
        pairs += qualities.contrasts(contrast, amounts.contrasts)
    if len(tables.findings.findings) > 2:
        for finding in tables.findings.findings:
            pairs += qualities.presence(finding, amounts.findings)
    for names in rng.sample(tables.names, min(amounts.diseases, len(tables.names))):
        pairs += qualities.diseases(names, 1)
    alike = siblings(tables.names)
    for one, other in rng.sample(alike, min(amounts.siblings, len(alike))):
        pairs += qualities.told_apart(one, other, 1)
    return pairs


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--terms", type=Path, help="table of disease names, compressed")
    options.add_argument("--seed", type=int, default=20)
    options.add_argument("--out", type=Path, required=True, help="folder for training.jsonl and validation.jsonl")
    chosen = options.parse_args()
    tables = read_all(chosen.terms)
    chosen.out.mkdir(parents=True, exist_ok=True)
    for name, validation in (("training", False), ("validation", True)):
        amounts = Amounts(times=0) if validation else Amounts()
        pairs = generate(part(tables, validation), amounts, chosen.seed)
        (chosen.out / f"{name}.jsonl").write_bytes(msgspec.json.Encoder().encode_lines(pairs))
        print(f"{name}: {len(pairs)} pairs")


if __name__ == "__main__":
    main()
