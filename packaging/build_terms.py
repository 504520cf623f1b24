"""Write `core/terms/disease_terms.tsv.gz`, the table of names that may be merged without asking, from source tables.

    python packaging/build_terms.py FOLDER

FOLDER holds `disease_terms.tsv.gz` with the columns term, norm, concept_id, preferred_name, icd10, source, scope.
Kept are preferred names of the sources named in `SOURCES` and the project's own list, plus `added_terms.tsv` beside
this script. A spelling that two concepts share is left out for both: it must not merge anything.
"""

import csv
import gzip
import io
import os
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from core.terms.spelling import normal_spelling  # noqa: E402

SOURCES = {"curated": 0, "DOID": 1, "MONDO": 2, "ICD10CM": 3}
"""Sources with a stated license, in the order in which they lend the preferred name."""
TARGET = ROOT / "core" / "terms" / "disease_terms.tsv.gz"
Row = dict[str, str]


def read_rows(folder: Path) -> list[Row]:
    """The rows of the source table that may merge automatically, with `norm` computed anew."""
    with gzip.open(folder / "disease_terms.tsv.gz", "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    kept = [r for r in rows if r["source"] in SOURCES and (r["scope"] == "label" or r["source"] == "curated")]
    return [row | {"norm": normal_spelling(row["term"])} for row in kept]


def added_rows(rows: list[Row]) -> list[Row]:
    """The project's later additions: names of a disease that the table has, or of a new one that is `like` itself."""
    by_spelling = {row["norm"]: row for row in rows}
    with (Path(__file__).parent / "added_terms.tsv").open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file, delimiter="\t"):
            spelling = normal_spelling(line["term"])
            row = {"term": line["term"], "norm": spelling, "source": "curated", "scope": "exact"}
            if line["term"] == line["like"]:
                new = {"concept_id": "CUR:" + spelling.replace(" ", "-"), "preferred_name": line["term"], "icd10": ""}
                by_spelling[spelling] = row | new | {"scope": "label"}
            else:
                by_spelling[spelling] = by_spelling[normal_spelling(line["like"])] | row
    known = {row["norm"] for row in rows}
    return [row for spelling, row in by_spelling.items() if spelling not in known]


def without_shared_spellings(rows: list[Row]) -> list[Row]:
    """`rows` without spellings that belong to more than one concept; those are printed."""
    concepts: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        concepts[row["norm"]].add(row["concept_id"])
    for spelling, shared in sorted(concepts.items()):
        if len(shared) > 1:
            print(f"left out, two concepts: {spelling} ({', '.join(sorted(shared))})")
    return [row for row in rows if len(concepts[row["norm"]]) == 1]


def in_order(rows: list[Row]) -> list[Row]:
    """Rows grouped by concept, the preferred name first; one row a spelling."""

    def place(row: Row) -> tuple[str, bool, bool, int, str]:
        is_preferred = row["norm"] == normal_spelling(row["preferred_name"])
        return row["concept_id"], not is_preferred, row["scope"] != "label", SOURCES[row["source"]], row["term"]

    unique: dict[str, Row] = {}
    for row in sorted(rows, key=place):
        unique.setdefault(row["norm"], row)
    return list(unique.values())


def write_table(rows: list[Row]) -> None:
    """Write the table whole or not at all; the same rows always give the same bytes."""
    text = io.StringIO()
    print("concept_id", "norm", "term", "icd10", "source", sep="\t", file=text)
    for row in rows:
        print(row["concept_id"], row["norm"], row["term"], row["icd10"], row["source"], sep="\t", file=text)
    partial = TARGET.with_suffix(".partial")
    with partial.open("wb") as file:
        file.write(gzip.compress(text.getvalue().encode("utf-8"), 9, mtime=0))
        file.flush()
        os.fsync(file.fileno())
    os.replace(partial, TARGET)


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("Give one argument: the folder that holds disease_terms.tsv.gz.")
    rows = read_rows(Path(sys.argv[1]))
    rows = in_order(without_shared_spellings(rows + added_rows(rows)))
    write_table(rows)
    print(f"{len(rows)} names of {len({row['concept_id'] for row in rows})} concepts, {TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main()
