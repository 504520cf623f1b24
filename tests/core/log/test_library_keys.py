"""A library opens with its passphrase, keyring or key file, with nothing else, and wherever it was moved."""

import os
import shutil
import stat
import unicodedata
from pathlib import Path

import keyring
import keyring.backend
import keyring.errors
import msgspec
import platformdirs
import pytest

from core.errors import BadInput, DamagedLibrary, LibraryInUse, NotWritable, WrongKey
from core.log.keys import (
    DEFAULT_COST,
    PassphraseCost,
    cost_path,
    default_library_path,
    derive_key,
    key_path,
    open_library,
)

CHEAP = PassphraseCost(time_cost=1, memory_kib=64, lanes=1)


class MemoryKeyring(keyring.backend.KeyringBackend):
    """Keeps passwords as long as the test."""

    priority = 1

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


class ForgetfulKeyring(MemoryKeyring):
    def get_password(self, service: str, username: str) -> str | None:
        return None


class BrokenKeyring(MemoryKeyring):
    def get_password(self, service: str, username: str) -> str | None:
        raise keyring.errors.KeyringLocked("locked")


class StrangeKeyring(MemoryKeyring):
    def set_password(self, service: str, username: str, password: str) -> None:
        raise LookupError("no bus")


@pytest.fixture
def use_keyring():
    before = keyring.get_keyring()
    yield keyring.set_keyring
    keyring.set_keyring(before)


def test_passphrase_opens_the_library_again(path):
    open_library(path, "violet anchor", cost=CHEAP).close()
    open_library(path, "violet anchor").close()
    assert not key_path(path).exists()
    assert b"violet" not in cost_path(path).read_bytes()


def test_accents_may_be_composed_either_way(path):
    open_library(path, unicodedata.normalize("NFD", "señal única"), cost=CHEAP).close()
    open_library(path, unicodedata.normalize("NFC", "señal única")).close()


@pytest.mark.parametrize("passphrase", ["violet anchoR", "violet anchor ", "x"])
def test_wrong_passphrase_is_told(path, passphrase):
    open_library(path, "violet anchor", cost=CHEAP).close()
    with pytest.raises(WrongKey, match="does not open"):
        open_library(path, passphrase)
    open_library(path, "violet anchor").close()


@pytest.mark.parametrize("passphrase", ["", "  \n"])
def test_empty_passphrase_makes_nothing(path, passphrase):
    with pytest.raises(BadInput, match="empty"):
        open_library(path, passphrase)
    assert not path.exists()
    assert not cost_path(path).exists()


def test_missing_passphrase_is_asked_for(path):
    open_library(path, "violet anchor", cost=CHEAP).close()
    with pytest.raises(WrongKey, match="protected by a passphrase"):
        open_library(path, use_keyring=False)


def test_passphrase_alone_opens_a_library_of_default_cost(path):
    open_library(path, "violet anchor").close()
    cost_path(path).unlink()
    open_library(path, "violet anchor").close()


def test_default_cost_is_a_real_one():
    assert DEFAULT_COST.memory_kib >= 64 * 1024
    assert DEFAULT_COST.time_cost >= 3


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b'{"time_cost": 0}',
        b'{"memory_kib": 99999999}',
        b'{"kdf": "md5"}',
        b'{"lanes": 1, "salt": "x"}',
    ],
)
def test_damaged_cost_is_never_replaced_by_a_default(path, content):
    open_library(path, "violet anchor", cost=CHEAP).close()
    cost_path(path).write_bytes(content)
    with pytest.raises(DamagedLibrary, match="put it back"):
        open_library(path, "violet anchor")
    assert cost_path(path).read_bytes() == content


def test_keys_differ_by_passphrase_salt_and_cost():
    other_cost = msgspec.structs.replace(CHEAP, time_cost=2)
    keys = {
        derive_key("a", b"0" * 16, CHEAP),
        derive_key("b", b"0" * 16, CHEAP),
        derive_key("a", b"1" * 16, CHEAP),
        derive_key("a", b"0" * 16, other_cost),
    }
    assert len(keys) == 4
    assert {len(key) for key in keys} == {32}


def test_key_file_is_made_for_its_owner_and_said(path):
    notices: list[str] = []
    open_library(path, notice=notices.append, use_keyring=False).close()
    assert [str(key_path(path)) in notice for notice in notices] == [True]
    if os.name == "posix":
        assert stat.S_IMODE(key_path(path).stat().st_mode) == 0o600
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    open_library(path, notice=notices.append, use_keyring=False).close()
    assert len(notices) == 1


@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX")
def test_key_file_that_others_can_read_is_said(path):
    open_library(path, use_keyring=False).close()
    key_path(path).chmod(0o644)
    notices: list[str] = []
    open_library(path, notice=notices.append, use_keyring=False).close()
    assert "Other accounts can read" in notices[0]


def test_lost_key_file_is_told_and_not_made_again(path):
    open_library(path, use_keyring=False).close()
    key_path(path).unlink()
    with pytest.raises(WrongKey, match="put the key file back"):
        open_library(path, use_keyring=False)
    assert not key_path(path).exists()


@pytest.mark.parametrize("content", [b"", b"zz", b"00ff", b"\xff\xfe"])
def test_damaged_key_file_is_told(path, content):
    open_library(path, use_keyring=False).close()
    key_path(path).write_bytes(content)
    with pytest.raises(DamagedLibrary, match="key file"):
        open_library(path, use_keyring=False)


def test_keyring_keeps_the_key_wherever_the_library_moves(path, tmp_path, use_keyring):
    use_keyring(MemoryKeyring())
    notices: list[str] = []
    open_library(path, notice=notices.append).close()
    assert notices == []
    assert not key_path(path).exists()
    moved = Path(shutil.copy(path, tmp_path / "moved.ground-rounds"))
    open_library(moved).close()
    use_keyring(MemoryKeyring())
    with pytest.raises(WrongKey, match="neither in the system keyring"):
        open_library(moved)


@pytest.mark.parametrize("backend", [ForgetfulKeyring, BrokenKeyring, StrangeKeyring])
def test_keyring_that_fails_is_no_keyring(path, use_keyring, backend):
    use_keyring(backend())
    notices: list[str] = []
    open_library(path, notice=notices.append).close()
    assert key_path(path).exists()
    assert len(notices) == 1
    open_library(path).close()


def test_missing_library_with_a_passphrase_is_not_made_anew_without_one(path):
    open_library(path, "violet anchor", cost=CHEAP).close()
    path.unlink()
    with pytest.raises(BadInput, match="is missing"):
        open_library(path, use_keyring=False)
    assert not path.exists()


def test_refused_opening_leaves_the_library_free(path):
    open_library(path, "violet anchor", cost=CHEAP).close()
    with pytest.raises(WrongKey):
        open_library(path, "other")
    with open_library(path, "violet anchor"), pytest.raises(LibraryInUse):
        open_library(path, "violet anchor")


def test_folder_is_no_library(path):
    path.mkdir()
    with pytest.raises(BadInput, match="no file"):
        open_library(path, use_keyring=False)


def test_place_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(NotWritable):
        open_library(tmp_path / "file" / "library", use_keyring=False)


def test_default_library_lies_in_the_data_of_the_account():
    assert default_library_path().name == "library.ground-rounds"
    assert Path(platformdirs.user_data_dir()) in default_library_path().parents
