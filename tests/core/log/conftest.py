"""A library in a temporary folder, with a clock that can be read."""

import secrets
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlcipher3 import dbapi2

from core.domain.case import CaseId, Finding, FindingId, Vignette
from core.domain.panel import Panel, Specialist, SpecialistId
from core.log.casebook import open_case
from core.log.store import Library
from core.settings import ConsultSettings

KEY = secrets.token_bytes(32)
SALT = secrets.token_bytes(16)


class TickingClock:
    """Every look at it is one second later."""

    def __init__(self) -> None:
        self.time = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.time += timedelta(seconds=1)
        return self.time


@pytest.fixture
def key() -> bytes:
    return KEY


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "library.ground-rounds"


@pytest.fixture
def library(path: Path) -> Iterator[Library]:
    with Library.create(path, KEY, SALT, TickingClock()) as library:
        yield library


@pytest.fixture
def vignette() -> Vignette:
    text = "A 61-year-old man with tearing chest pain. No fever."
    sentences = text.split(". ")
    return Vignette(
        text=text,
        findings=tuple(
            Finding(finding_id=FindingId(f"S{number}"), text=sentence, present=number == 1)
            for number, sentence in enumerate(sentences, start=1)
        ),
    )


@pytest.fixture
def panel() -> Panel:
    return Panel(
        specialists=tuple(
            Specialist(
                specialist_id=SpecialistId(specialty),
                specialty=specialty,
                persona="Looks twice.",
                temperament="conservative",
                temperature=0.3,
            )
            for specialty in ("cardiology", "neurology")
        )
    )


OpenCase = Callable[..., CaseId]


@pytest.fixture
def new_case(library: Library, vignette: Vignette) -> OpenCase:
    def make(title: str = "Chest pain", vignette: Vignette = vignette, continues: CaseId | None = None) -> CaseId:
        return open_case(library, vignette, ConsultSettings(), 7, "tiny", title, continues)

    return make


@pytest.fixture
def case_id(new_case: OpenCase) -> CaseId:
    return new_case()


Tamper = Callable[..., None]


@pytest.fixture
def tamper(path: Path) -> Tamper:
    """Run SQL on the decrypted file as somebody who holds its key but not the program would, triggers removed."""

    def run(*statements: str, triggers: bool = False) -> None:
        connection = dbapi2.connect(str(path), isolation_level=None)
        connection.execute(f"pragma key = \"x'{KEY.hex()}'\"")
        if not triggers:
            for name in ("event_follows", "event_stays", "event_keeps"):
                connection.execute(f"drop trigger {name}")
        try:
            for statement in statements:
                connection.execute(statement)
        finally:
            connection.close()

    return run
