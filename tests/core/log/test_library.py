"""What a clinician relies on: what was written is there, nobody reads it without the key, nothing opens it twice."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlcipher3 import dbapi2

import core
from core.domain.case import CaseId, Note, Vignette
from core.errors import (
    BadInput,
    DamagedLibrary,
    LibraryInUse,
    NewerLibrary,
    NotWritable,
    WrongKey,
)
from core.log.casebook import add_note, find_cases, load_case, open_case
from core.log.events import (
    BackupMade,
    CaseErased,
    CaseRead,
    LibraryOpened,
    NoteAdded,
    PairsScored,
)
from core.log.store import Library
from core.ports import Address, ContradictionRequest, Contradictions, ScorerIdentity
from core.settings import ConsultSettings

ROOT = Path(core.__file__).parents[1]


def note(text: str) -> NoteAdded:
    return NoteAdded(note=Note(text=text, by="Dr. Ruiz", at="2026-03-01T08:00:00+00:00"))


def test_what_was_appended_is_there_after_reopening(library, path, key, case_id):
    library.append(case_id, note("first"))
    library.append(None, CaseRead(case_id=case_id, by="ruiz"))
    library.append(case_id, note("second"))
    head = library.head()
    library.close()
    with Library(path, key) as again:
        assert [event.note.text for event in again.events(case_id)[1:]] == ["first", "second"]
        assert [entry.kind for entry in again.entries(None)] == ["CaseRead"]
        assert [entry.seq for entry in again.entries(case_id)] == [1, 2, 4]
        assert again.verify() == head
        assert head.count == 4


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(st.characters(exclude_categories=["Cs"])))
def test_every_text_comes_back_as_it_was(library, case_id, text):
    library.append(case_id, note(text))
    assert library.events(case_id)[-1] == note(text)


def test_rows_carry_the_time_of_the_clock(library, case_id):
    assert library.entries(case_id)[0].at == "2026-03-01T08:00:02.000+00:00"


def test_file_shows_nothing_of_the_case(library, path, case_id):
    library.append(case_id, note("aortic dissection canary"))
    library.close()
    for file in path.parent.iterdir():
        assert b"canary" not in file.read_bytes()
        assert b"chest" not in file.read_bytes()


def test_events_go_where_they_belong(library, case_id):
    with pytest.raises(ValueError, match="does not belong to the library"):
        library.append(None, note("x"))
    with pytest.raises(ValueError, match="does not belong to a case"):
        library.append(case_id, LibraryOpened(by="ruiz", program_version="1"))
    with pytest.raises(ValueError, match="by `erase`"):
        library.append(None, CaseErased(case_id=case_id, by="ruiz"))
    with pytest.raises(BadInput, match="holds no case"):
        library.append(CaseId("2026-01-01-nobody"), note("x"))
    assert library.head().count == 1


def test_what_would_not_read_back_is_refused(library, case_id):
    request = ContradictionRequest(address=Address("cara/contradiction/1"), pairs=(("a", "b"),))
    scorer = ScorerIdentity(
        nli_id="n", nli_sha256="0", embedding_id="e", embedding_sha256="0", engine="x", device="CPU", grade="limited"
    )
    scores = Contradictions(probabilities=(float("nan"),), scorer=scorer)
    with pytest.raises(ValueError, match="not recorded"):
        library.append(case_id, PairsScored(request=request, scores=scores))
    assert library.verify().count == 1


def test_many_threads_write_one_whole_log(library, case_id):
    def write(name: str) -> None:
        for number in range(20):
            library.append(case_id, note(f"{name} {number}"))
            library.find_entries("chest")

    threads = [threading.Thread(target=write, args=(f"thread {number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert library.verify().count == 81


def test_wrong_key_is_told_and_prints_nothing(library, path, capfd):
    library.close()
    with pytest.raises(WrongKey, match="does not open the library"):
        Library(path, b"\0" * 32)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("content", [b"", b"not a library", b"SQLite format 3\0" + b"\0" * 4080])
def test_other_files_are_no_library(path, key, content):
    path.write_bytes(content)
    with pytest.raises(DamagedLibrary):
        Library(path, key)


def test_cut_off_file_is_damaged(library, path, key, case_id):
    library.close()
    path.write_bytes(path.read_bytes()[:-1000])
    with pytest.raises(DamagedLibrary, match="was cut off"):
        Library(path, key)


def test_flipped_bits_are_found(library, path, key, case_id):
    for number in range(40):
        library.append(case_id, note(f"{number} " * 400))
    library.close()
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(DamagedLibrary), Library(path, key) as again:
        again.verify()


def test_missing_library_is_told(path, key):
    with pytest.raises(BadInput, match="no library"):
        Library(path, key)


def test_a_library_is_never_made_over_a_file(library, path, key):
    library.close()
    before = path.read_bytes()
    with pytest.raises(BadInput, match="already"):
        Library.create(path, key, b"0" * 16)
    assert path.read_bytes() == before


def test_newer_library_is_left_alone(library, path, key, tamper):
    library.close()
    tamper("pragma user_version = 99", triggers=True)
    before = path.read_bytes()
    with pytest.raises(NewerLibrary, match="newer version"):
        Library(path, key)
    assert path.read_bytes() == before


def test_library_opens_once_within_a_process(library, path, key):
    with pytest.raises(LibraryInUse, match="another window"):
        Library(path, key)
    library.close()
    library.close()
    Library(path, key).close()


HOLDER = """
import sys
from pathlib import Path
from core.domain.case import CaseId, Note
from core.log.events import NoteAdded
from core.log.store import Library

library = Library(Path(sys.argv[1]), bytes.fromhex(sys.argv[2]))
while True:
    row = library.append(CaseId(sys.argv[3]), NoteAdded(note=Note(text="x" * 3000, by="b", at="t")))
    print(row, flush=True)
"""


def test_killed_process_loses_no_row_it_was_told_of_and_leaves_no_lock(library, path, key, case_id):
    library.close()
    for rows in (1, 4, 9):
        command = [sys.executable, "-c", HOLDER, str(path), key.hex(), case_id]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as holder:
            told = [int(holder.stdout.readline()) for _ in range(rows)]
            with pytest.raises(LibraryInUse):
                Library(path, key)
            holder.kill()
            told += [int(line) for line in holder.stdout.read().split()]
        with Library(path, key) as again:
            assert again.verify().count >= told[-1]


def test_full_disk_is_told_and_the_library_stays_whole(library, case_id):
    database = library._database
    database.execute(f"pragma max_page_count = {database.execute('pragma page_count').fetchone()[0] + 2}")
    with pytest.raises(NotWritable, match="full"):
        library.append(case_id, note("x" * 50_000))
    count = library.verify().count
    database.execute("pragma max_page_count = 100000")
    assert count == 1
    assert library.append(case_id, note("space again")) == count + 1
    library.verify()


def test_read_only_file_is_told(library, case_id):
    library._database.execute("pragma query_only = on")
    with pytest.raises(NotWritable, match="permissions"):
        library.append(case_id, note("x"))


def test_folder_that_cannot_be_made_is_told(tmp_path, key):
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(NotWritable, match="cannot be made"):
        Library.create(tmp_path / "file" / "library", key, b"0" * 16)


@pytest.mark.parametrize(
    "statement",
    [
        "delete from event where seq = 2",
        "update event set body = '{}' where seq = 2",
        "update event set body = null where seq = 2",
        "update event set at = 'never' where seq = 2",
        "update event set body = null, kind = 'x' where seq = 2",
        "insert into event values (9, null, 'a', 'k', 'b', 'm', 'c')",
        "insert or replace into event values (2, null, 'a', 'k', 'b', 'm', 'c')",
    ],
)
def test_triggers_abort_what_does_not_append(library, tamper, case_id, statement):
    library.append(case_id, note("kept"))
    library.close()
    with pytest.raises(dbapi2.IntegrityError, match="events are"):
        tamper("pragma recursive_triggers = on", statement, triggers=True)


def test_erased_case_is_gone_and_the_chain_stays_whole(library, path, key, new_case, case_id):
    other = new_case("Other")
    library.append(case_id, note("to be forgotten"))
    library.append(other, note("to be kept"))
    library.erase(case_id, "Dr. Ruiz")
    assert library.verify().count == 5
    plain = path.with_name("plain.db")
    library._database.execute("attach ? as plain key ''", (str(plain),))
    library._database.execute("select sqlcipher_export('plain')")
    assert b"kept" in plain.read_bytes()
    assert b"forgotten" not in plain.read_bytes()
    library.close()
    with Library(path, key) as again:
        again.rebuild_catalog()
        assert again.verify().count == 5
        assert [entry.case_id for entry in again.find_entries()] == [other]
        assert again.find_entries("forgotten") == ()
        assert {entry.event for entry in again.entries(case_id)} == {None}
        assert again.entries(None)[-1].event == CaseErased(case_id=case_id, by="Dr. Ruiz")
        assert again.events(other)[-1] == note("to be kept")
        for refused in (
            lambda: again.events(case_id),
            lambda: again.append(case_id, note("back")),
            lambda: again.erase(case_id, "Dr. Ruiz"),
        ):
            with pytest.raises(BadInput, match="was erased"):
                refused()


def test_erasing_needs_somebody_and_a_case(library, case_id):
    with pytest.raises(BadInput, match="give a name"):
        library.erase(case_id, " ")
    with pytest.raises(BadInput, match="holds no case"):
        library.erase(CaseId("nobody"), "Dr. Ruiz")


def test_search_finds_words_by_their_beginning_in_title_vignette_and_notes(library, new_case):
    first = new_case("Señora Müller")
    second = new_case("Second", Vignette(text='Fever "of unknown" origin, BP-120', findings=()))
    add_note(library, first, "Thinks of pheochromocytoma", "Dr. Ruiz")
    assert [entry.case_id for entry in find_cases(library)] == [second, first]
    found = {
        "pheo": [first], "MULLER senora": [first], "chest pheo": [first], "fever chest": [first], "fever zebra": [],
        '"of unknown" AND': [], 'fev "unk': [second], "bp-120 !": [second], "* NEAR( ^": [], "\0": [second, first],
        "unknown OR": [second],
    }  # fmt: skip
    assert {search: [entry.case_id for entry in find_cases(library, search)] for search in found} == found


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(search=st.text(st.characters(exclude_categories=["Cs"])))
def test_no_search_is_an_error(library, case_id, search):
    find_cases(library, search)


def test_catalog_may_be_thrown_away(library, path, key, new_case, case_id, tamper):
    add_note(library, new_case("Second"), "fever", "Dr. Ruiz")
    cases, found = library.find_entries(), library.find_entries("fever")
    library.close()
    tamper("drop table case_list", "drop table case_text", triggers=True)
    with Library(path, key) as again:
        assert again.find_entries() == cases
        assert again.find_entries("fever") == found
        again.rebuild_catalog()
        assert again.find_entries() == cases


def test_case_is_opened_once(library, case_id):
    opened = library.events(case_id)[0]
    for refused in (case_id, CaseId("another")):
        with pytest.raises(ValueError, match="opened once"):
            library.append(refused, opened)


def test_backup_is_a_whole_library(library, tmp_path, key, case_id):
    head = library.head()
    target = tmp_path / "backup.ground-rounds"
    library.back_up(target, "Dr. Ruiz")
    with Library(target, key) as backup:
        assert backup.verify() == head
        assert backup.find_entries() == library.find_entries()
    assert library.entries(None)[-1].event == BackupMade(by="Dr. Ruiz", where=str(target))
    with pytest.raises(BadInput, match="already"):
        library.back_up(target, "Dr. Ruiz")
    with pytest.raises(NotWritable, match="backup"):
        library.back_up(tmp_path / "nowhere" / "backup", "Dr. Ruiz")
    assert library.verify().count == 2


def test_two_libraries_share_nothing(library, tmp_path: Path, key, vignette):
    with Library.create(tmp_path / "other", key, b"1" * 16) as other:
        case_id = open_case(other, vignette, ConsultSettings(), 1, "tiny", "Other")
        assert load_case(other, case_id).title == "Other"
        assert library.find_entries() == ()
