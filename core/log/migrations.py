"""Brings a library to the schema of this version. Steps only add; bodies of events are never rewritten."""

from collections.abc import Callable, Iterator, Sequence
from importlib.resources import files

from sqlcipher3 import dbapi2
from sqlite_utils import Database

from core.errors import NewerLibrary

Step = Callable[[Database], None]


def run_script(database: Database, name: str) -> None:
    """Run every statement of a SQL file of this package inside the transaction that is open."""
    # `executescript` would commit first, and leave half a schema behind where a statement fails.
    for statement in _statements(files("core.log").joinpath(name).read_text(encoding="utf-8")):
        database.execute(statement)


def _statements(script: str) -> Iterator[str]:
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if dbapi2.complete_statement(statement):
            yield statement
            statement = ""


def _first_schema(database: Database) -> None:
    run_script(database, "schema.sql")


def _names_are_ruled(database: Database) -> None:
    """The event `NamesRuled`: no table changes, but a program of format 1 could not read it."""


STEPS: tuple[Step, ...] = (_first_schema, _names_are_ruled)
"""Step n leads from schema version n to n + 1."""


def migrate(database: Database, steps: Sequence[Step] = STEPS) -> None:
    """Run the steps that this library has not seen, all or none.

    The version is kept in SQLite's `user_version`. Raises `NewerLibrary`.
    """
    version: int = database.execute("pragma user_version").fetchone()[0]
    if version > len(steps):
        raise NewerLibrary(
            f"This library was written by a newer version of Ground Rounds (library format {version}; this one "
            f"reads up to {len(steps)}). Nothing was changed; install the newer version to open it."
        )
    if version == len(steps):
        return
    with database.atomic():
        for step in steps[version:]:
            step(database)
        database.execute(f"pragma user_version = {len(steps)}")
