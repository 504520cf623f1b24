"""Names of diseases that are the same by a vetted table: preferred names of public ontologies and our own list.

The table is read once, when the first name is looked up. Sources and licenses: `SOURCES.md`.
"""

import gzip
from functools import cache
from importlib import resources

from msgspec import Struct


class Concept(Struct, frozen=True, kw_only=True):
    """One disease of the table."""

    concept_id: str
    """With the prefix of its source, for instance `DOID:9477`; `CUR:` for our own list."""
    name: str
    """Preferred name, as its source writes it."""
    canonical: str
    """Normal spelling of the preferred name; no two concepts share it."""
    icd10: str | None
    """ICD-10-CM code, or None where the table has none."""


def find_concept(spelling: str) -> Concept | None:
    """The concept with this name, or None.

    `spelling` as given by `core.terms.spelling.normal_spelling`.
    """
    return _concepts_by_spelling().get(spelling)


@cache
def _concepts_by_spelling() -> dict[str, Concept]:
    packed = resources.files("core.terms").joinpath("disease_terms.tsv.gz").read_bytes()
    concepts: dict[str, Concept] = {}
    by_spelling: dict[str, Concept] = {}
    for line in gzip.decompress(packed).decode("utf-8").splitlines()[1:]:
        concept_id, spelling, term, icd10, _source = line.split("\t")
        # The first row of a concept is its preferred name.
        concept = concepts.get(concept_id)
        if concept is None:
            concept = Concept(concept_id=concept_id, name=term, canonical=spelling, icd10=icd10 or None)
            concepts[concept_id] = concept
        by_spelling[spelling] = concept
    return by_spelling
