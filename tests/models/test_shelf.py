"""The shelf: whole files are found, broken ones are never used, and nothing of the user's is lost."""

import os
from hashlib import sha256
from pathlib import Path

import pytest

from core.errors import BadInput, DamagedModel, NotWritable, Stopped, UnknownModel, UnsupportedModel
from models.registry import ModelCard
from models.shelf import RESERVE_BYTES, Shelf, default_folder
from tests.models.tiny_gguf import write_tiny_llama


def roomy(folder: Path) -> int:
    """The free space of a large disk."""
    return 10 * RESERVE_BYTES


@pytest.fixture
def download(tmp_path: Path) -> Path:
    """A model file as a user brings it."""
    folder = tmp_path / "Téléchargements 日本"
    folder.mkdir()
    return write_tiny_llama(folder / "my model é.gguf")


@pytest.fixture
def known(download: Path) -> ModelCard:
    content = download.read_bytes()
    return ModelCard(
        id="tiny",
        title="Tiny",
        file="tiny-official.gguf",
        bytes=len(content),
        sha256=sha256(content).hexdigest(),
        license="CC0-1.0",
        parameters=1,
        quantization="F32",
        context_tokens=4096,
        purpose="For tests.",
    )


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    """A shelf that knows no model by name, in a folder with spaces and foreign letters."""
    return Shelf(tmp_path / "Modelle für Ärzte 模型", known=(), free_bytes=roomy)


@pytest.fixture
def knowing_shelf(tmp_path: Path, known: ModelCard) -> Shelf:
    return Shelf(tmp_path / "known models", known=(known,), free_bytes=roomy)


def other_bytes(path: Path) -> None:
    """Change one byte of the weights, keeping the size."""
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    status = path.stat()
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 1_000_000))


def test_a_file_that_was_added_is_found_by_its_name_and_by_its_path(shelf: Shelf, download: Path) -> None:
    added = shelf.add(download)
    assert added.path.parent == shelf.folder
    assert added.path.read_bytes() == download.read_bytes()
    assert shelf.find("my model é") == added
    assert shelf.find(added.path) == added
    assert shelf.list() == (added,)


def test_the_card_of_an_added_file_comes_from_its_header(shelf: Shelf, download: Path) -> None:
    card = shelf.add(download).card
    assert (card.title, card.license, card.quantization) == ("Tiny random llama", "cc0-1.0", "F32")
    assert (card.context_tokens, card.bytes) == (4096, download.stat().st_size)
    assert card.sha256 == sha256(download.read_bytes()).hexdigest()


def test_a_file_anywhere_can_be_used_without_adding_it(shelf: Shelf, download: Path) -> None:
    found = shelf.find(download)
    assert found.path == download
    assert shelf.find(str(download)) == found
    assert shelf.list() == ()


def test_a_known_model_under_any_name_gets_its_card_and_file_name(
    knowing_shelf: Shelf, download: Path, known: ModelCard
) -> None:
    assert knowing_shelf.find(download).card == known
    added = knowing_shelf.add(download)
    assert added.card == known
    assert added.path.name == "tiny-official.gguf"
    assert knowing_shelf.find("tiny") == added


def test_moving_leaves_no_second_copy(shelf: Shelf, download: Path) -> None:
    content = download.read_bytes()
    added = shelf.add(download, copy=False)
    assert not download.exists()
    assert added.path.read_bytes() == content


def test_adding_twice_changes_nothing(shelf: Shelf, download: Path) -> None:
    first = shelf.add(download)
    changed_ns = first.path.stat().st_mtime_ns
    assert shelf.add(download) == first
    assert shelf.add(first.path) == first
    assert first.path.stat().st_mtime_ns == changed_ns


def test_another_file_never_replaces_one_of_the_same_name(shelf: Shelf, download: Path) -> None:
    added = shelf.add(download)
    before = added.path.read_bytes()
    write_tiny_llama(download, n_layer=1)
    with pytest.raises(BadInput, match="rename"):
        shelf.add(download)
    assert added.path.read_bytes() == before
    assert download.exists()


def test_a_file_with_a_known_name_and_another_content_is_refused(knowing_shelf: Shelf, download: Path) -> None:
    impostor = write_tiny_llama(download.with_name("tiny-official.gguf"), n_layer=1)
    with pytest.raises(DamagedModel, match="another checksum"):
        knowing_shelf.add(impostor)
    assert impostor.exists()
    assert knowing_shelf.list() == ()


def test_a_known_file_that_changed_is_set_aside_and_not_used(knowing_shelf: Shelf, download: Path) -> None:
    added = knowing_shelf.add(download)
    other_bytes(added.path)
    with pytest.raises(DamagedModel, match="fetch the model again"):
        knowing_shelf.find("tiny")
    assert not added.path.exists()
    assert knowing_shelf.bad(added.path.name).exists()
    with pytest.raises(UnknownModel):
        knowing_shelf.find("tiny")


def test_a_whole_file_takes_the_place_of_a_damaged_one(knowing_shelf: Shelf, download: Path) -> None:
    added = knowing_shelf.add(download)
    other_bytes(added.path)
    assert knowing_shelf.add(download) == added
    assert knowing_shelf.find("tiny") == added


def test_a_change_that_size_and_time_do_not_show_is_found_by_check(knowing_shelf: Shelf, download: Path) -> None:
    added = knowing_shelf.add(download)
    status = added.path.stat()
    other_bytes(added.path)
    os.utime(added.path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert knowing_shelf.find("tiny") == added
    with pytest.raises(DamagedModel):
        knowing_shelf.check("tiny")


def test_check_of_a_whole_file_gives_the_model(shelf: Shelf, download: Path) -> None:
    added = shelf.add(download)
    assert shelf.check(added.card.id) == added


def test_a_lost_or_broken_memory_of_checksums_does_no_harm(shelf: Shelf, download: Path) -> None:
    added = shelf.add(download)
    (shelf.folder / "checksums.json").write_text("{broken", encoding="utf-8")
    assert shelf.find(added.card.id) == added


@pytest.mark.parametrize("name", ["gpt-9", "/nowhere/at all.gguf", "../secret", ""])
def test_what_is_not_there_is_unknown(knowing_shelf: Shelf, name: str) -> None:
    with pytest.raises(UnknownModel, match="tiny"):
        knowing_shelf.find(name)


def test_a_known_model_that_is_not_here_is_to_be_fetched(knowing_shelf: Shelf) -> None:
    with pytest.raises(UnknownModel, match="fetch “tiny” first"):
        knowing_shelf.find("tiny")


def test_a_truncated_file_is_not_taken_in(shelf: Shelf, download: Path) -> None:
    download.write_bytes(download.read_bytes()[:-1000])
    with pytest.raises(DamagedModel, match="cut off"):
        shelf.add(download)
    assert shelf.list() == ()


def test_a_missing_file_cannot_be_added(shelf: Shelf, tmp_path: Path) -> None:
    with pytest.raises(UnknownModel):
        shelf.add(tmp_path / "none.gguf")


@pytest.mark.parametrize("spare_bytes", [-1, 0])
def test_a_copy_needs_its_size_and_the_reserve(tmp_path: Path, download: Path, spare_bytes: int) -> None:
    free = download.stat().st_size + RESERVE_BYTES + spare_bytes
    shelf = Shelf(tmp_path / "shelf", known=(), free_bytes=lambda folder: free)
    if spare_bytes < 0:
        with pytest.raises(NotWritable, match="make room"):
            shelf.add(download)
        assert shelf.list() == ()
    else:
        assert shelf.add(download).path.exists()


def test_moving_needs_no_room(tmp_path: Path, download: Path) -> None:
    shelf = Shelf(tmp_path / "shelf", known=(), free_bytes=lambda folder: 0)
    assert shelf.add(download, copy=False).path.exists()


def test_a_stopped_copy_leaves_nothing_behind(shelf: Shelf, download: Path) -> None:
    def stop(done_bytes: int, total_bytes: int, sentence: str) -> None:
        if done_bytes:
            raise Stopped

    with pytest.raises(Stopped):
        shelf.add(download, progress=stop)
    assert download.exists()
    assert [path.name for path in shelf.folder.iterdir()] == ["checksums.json"]


def test_progress_reaches_the_end(shelf: Shelf, download: Path) -> None:
    seen: list[tuple[int, int]] = []
    shelf.add(download, progress=lambda done_bytes, total_bytes, sentence: seen.append((done_bytes, total_bytes)))
    size = download.stat().st_size
    assert seen[0] == (0, size)
    assert seen[-1] == (size, size)


def test_removing_takes_the_leftovers_too(knowing_shelf: Shelf, download: Path) -> None:
    added = knowing_shelf.add(download)
    knowing_shelf.part(added.path.name).write_bytes(b"GGUF")
    knowing_shelf.bad(added.path.name).write_bytes(b"GGUF")
    knowing_shelf.remove("tiny")
    assert knowing_shelf.list() == ()
    assert [path.name for path in knowing_shelf.folder.iterdir()] == ["checksums.json"]
    with pytest.raises(UnknownModel, match="nothing to remove"):
        knowing_shelf.remove("tiny")


def test_removing_never_reaches_outside_the_shelf(shelf: Shelf, download: Path) -> None:
    shelf.add(download)
    for name in (str(download.with_suffix("")), os.path.relpath(download.with_suffix(""), shelf.folder)):
        with pytest.raises(UnknownModel):
            shelf.remove(name)
    assert download.exists()


def test_files_that_cannot_be_used_are_listed_with_the_reason(shelf: Shelf, download: Path) -> None:
    added = shelf.add(download)
    (shelf.folder / "login.gguf").write_text("<html>please sign in", encoding="utf-8")
    (shelf.folder / "other.gguf.bad").write_bytes(b"GGUF")
    (shelf.folder / "coming.gguf.part").write_bytes(b"GGUF")
    assert shelf.list() == (added,)
    assert [each.path.name for each in shelf.unusable()] == ["login.gguf", "other.gguf.bad"]
    assert "web page" in shelf.unusable()[0].reason


def test_a_file_of_another_kind_on_the_shelf_hides_no_model(shelf: Shelf, download: Path) -> None:
    added = shelf.add(download)
    content = added.path.read_bytes()
    (shelf.folder / "old.gguf").write_bytes(content[:4] + b"\x01\0\0\0" + content[8:])
    with pytest.raises(UnsupportedModel):
        shelf.find("old")
    assert shelf.list() == (added,)


def test_the_folder_can_be_chosen_by_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUND_ROUNDS_MODELS", str(tmp_path / "élsewhere"))
    assert Shelf().folder == tmp_path / "élsewhere"
    monkeypatch.delenv("GROUND_ROUNDS_MODELS")
    assert default_folder().name == "models"
    assert "ground-rounds" in str(default_folder())


def test_looking_makes_no_folder(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / "new")
    assert shelf.list() == ()
    assert not shelf.folder.exists()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_full_disk_is_told_as_such(download: Path, tmp_path: Path) -> None:
    shelf = Shelf(tmp_path / "shelf", known=(), free_bytes=roomy)
    shelf.folder.mkdir()
    (shelf.folder / f"{download.name}.arriving").symlink_to("/dev/full")
    with pytest.raises(NotWritable, match="disk is full"):
        shelf.add(download)
    assert shelf.list() == ()
