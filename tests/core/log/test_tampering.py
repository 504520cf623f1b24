"""Whoever holds the decrypted file but not the program's chain key cannot change it unnoticed."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.domain.case import CaseId
from core.errors import DamagedLibrary
from core.log.audit import Damage, HeadRow, Row, Walk
from core.log.casebook import add_note
from core.log.chain import CHAIN_START, Sealer
from core.log.store import Library

COPY = "insert into event select {to}, case_id, at, kind, body, body_mac, chain from event where seq = {seq}"
SWAP = ("update event set seq = -1 where seq = {0}", "update event set seq = {0} where seq = {1}",
        "update event set seq = {1} where seq = -1")  # fmt: skip
MOVE_UP = ("update event set seq = -seq where seq > {0}", "update event set seq = -seq - 1 where seq < 0")
MOVE_DOWN = ("update event set seq = -seq where seq >= {0}", "update event set seq = -seq + 1 where seq < 0")


@pytest.fixture
def written(library: Library, new_case) -> tuple[CaseId, CaseId]:
    """Rows 1 to 8: two cases with three notes each, in turn. The library is closed."""
    cases = new_case("first"), new_case("second")
    for number in range(3):
        for case_id in cases:
            add_note(library, case_id, f"note {number}", "Dr. Ruiz")
    assert library.verify().count == 8
    library.close()
    return cases


@pytest.mark.parametrize(
    ("statements", "seq", "kind"),
    [
        (["update event set body = replace(body, 'note', 'vote') where seq = 5"], 5, "body_changed"),
        (["update event set body = null where seq = 5"], 5, "body_removed"),
        (["update event set at = '2020-01-01T00:00:00.000+00:00' where seq = 4"], 4, "out_of_place"),
        (["update event set kind = 'SignedOff' where seq = 4"], 4, "out_of_place"),
        (["update event set case_id = (select case_id from event where seq = 2) where seq = 3"], 3, "out_of_place"),
        (["update event set case_id = null where seq = 3"], 3, "out_of_place"),
        (["update event set body_mac = (select body_mac from event where seq = 7), "
          "body = (select body from event where seq = 7) where seq = 5"], 5, "out_of_place"),
        (["delete from event where seq = 1"], 1, "missing"),
        (["delete from event where seq = 6"], 6, "missing"),
        (["delete from event where seq = 6", *(line.format(6) for line in MOVE_UP)], 6, "out_of_place"),
        ([line.format(4, 6) for line in SWAP], 4, "out_of_place"),
        ([line.format(1, 2) for line in SWAP], 1, "out_of_place"),
        ([*(line.format(5) for line in MOVE_DOWN), COPY.format(seq=3, to=5)], 5, "out_of_place"),
        ([COPY.format(seq=3, to=9)], 9, "out_of_place"),
        (["delete from event where seq = 8"], 8, "cut_off"),
        (["delete from event where seq > 2"], 3, "cut_off"),
        (["delete from event"], 1, "cut_off"),
        (["delete from event where case_id = (select case_id from event where seq = 2)"], 2, "missing"),
        (["delete from event where case_id = (select case_id from event where seq = 1)",
          "update event set seq = seq / 2"], 1, "out_of_place"),
        ([COPY.format(seq=3, to=-4)], -4, "out_of_place"),
        (["insert into event values (9, null, 'a', 'CaseErased', 'no json', 'm', 'c')"], 9, "body_changed"),
        (["delete from head"], 8, "head_changed"),
        (["delete from event where seq = 8",
          "update head set count = 7, chain = (select chain from event where seq = 7)"], 7, "head_changed"),
        (["delete from event", "update head set count = 0, chain = ''"], 0, "head_changed"),
        (["insert into event values (9, null, 'a', 'CaseErased', '{}', 'm', 'c')"], 9, "body_changed"),
    ],
)  # fmt: skip
def test_tampering_is_found_with_its_row(path, key, written, tamper, statements, seq, kind):
    tamper(*statements)
    with Library(path, key) as library:
        assert library.find_damage() == Damage(seq=seq, kind=kind)
        with pytest.raises(
            DamagedLibrary, match=rf"(?i)row {seq}\b" if kind != "head_changed" else "where the log ends"
        ):
            library.verify()


def test_forged_erasure_is_found(path, key, written, tamper):
    first, _ = written
    tamper(
        f"update event set body = null where case_id = '{first}'",
        "insert into event values (9, null, 'a', 'CaseErased', "
        f"json_object('type', 'CaseErased', 'case_id', '{first}', 'by', 'x'), 'm', 'c')",
    )
    with Library(path, key) as library:
        assert library.find_damage() == Damage(seq=9, kind="body_changed")


SEALER = Sealer(b"k" * 32)


def sealed_rows(count: int) -> list[Row]:
    rows, chain = [], CHAIN_START
    for seq in range(1, count + 1):
        fields = {"case_id": f"case {seq % 2}", "at": f"day {seq}", "kind": "NoteAdded", "body": f'"note {seq}"'}
        body_mac = SEALER.seal_body(fields["body"])
        chain = SEALER.link(chain, fields["case_id"], fields["at"], fields["kind"], body_mac)
        rows.append(Row(seq=seq, **fields, body_mac=body_mac, chain=chain))
    return rows


def first_damage(rows: list[Row], original: list[Row]) -> Damage | None:
    chain = original[-1].chain
    walk = Walk(SEALER)
    found = (walk.step(row, frozenset()) for row in rows)
    head = HeadRow(count=len(original), chain=chain, mac=SEALER.seal_head(len(original), chain))
    return next((damage for damage in found if damage), None) or walk.finish(head)


@given(st.integers(1, 7), st.data())
def test_whatever_is_removed_repeated_or_reordered_the_first_such_row_is_named(count, data):
    original = sealed_rows(count)
    order = data.draw(st.lists(st.integers(0, count - 1), max_size=9) | st.permutations(range(count)))
    # Numbered without a gap, as somebody would who covers his tracks.
    rows = [msgspec.structs.replace(original[index], seq=seq) for seq, index in enumerate(order, start=1)]
    intact = next((place for place, index in enumerate(order) if index != place), len(order))
    damage = first_damage(rows, original)
    assert damage == (None if intact == len(order) == count else Damage(seq=intact + 1, kind=damage.kind))


@given(st.integers(1, 7), st.data())
def test_whatever_is_changed_in_a_row_that_row_is_named(count, data):
    original = sealed_rows(count)
    place = data.draw(st.integers(0, count - 1))
    column = data.draw(st.sampled_from(["case_id", "at", "kind", "body", "body_mac", "chain"]))
    value = data.draw(st.text(max_size=5) | (st.none() if column in ("case_id", "body") else st.nothing()))
    rows = [*original]
    rows[place] = msgspec.structs.replace(rows[place], **{column: value})
    damage = first_damage(rows, original)
    assert damage is not None
    assert damage.seq == place + 1


def test_changed_content_is_never_shown_as_the_clinicians(path, key, written, tamper):
    tamper("update event set body = replace(body, 'note', 'vote') where seq = 5")
    with Library(path, key) as library, pytest.raises(DamagedLibrary, match="row 5"):
        library.events(written[0])


def test_log_is_checked_while_others_write(path, key, written):
    with Library(path, key) as library:

        def write(done: int, total: int) -> None:
            if total < 12:
                add_note(library, written[0], "meanwhile", "Dr. Ruiz")
            elif total == 12:
                library.erase(written[1], "Dr. Ruiz")

        assert library.verify(write).count == 13


@pytest.mark.parametrize("statement", ["delete from event where seq = 8", "delete from head"])
def test_nothing_is_appended_behind_damage(path, key, written, tamper, statement):
    tamper(statement)
    with Library(path, key) as library, pytest.raises(DamagedLibrary, match="row 8"):
        add_note(library, written[0], "more", "Dr. Ruiz")


def test_intact_log_passes_and_tells_its_progress(path, key, written):
    told: list[tuple[int, int]] = []
    with Library(path, key) as library:
        assert library.find_damage() is None
        assert library.verify(lambda done, total: told.append((done, total))) == library.head()
    assert told[-1] == (8, 8)


def test_log_longer_than_one_read_is_checked_to_its_end(library, path, key, case_id, tamper):
    for number in range(450):
        add_note(library, case_id, f"{number}", "Dr. Ruiz")
    assert library.verify().count == 451
    library.close()
    tamper("update event set at = 'x' where seq = 450")
    with Library(path, key) as again:
        assert again.find_damage() == Damage(seq=450, kind="out_of_place")
