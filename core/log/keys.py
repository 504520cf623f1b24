"""Where the key of a library comes from: a passphrase, the keyring of the operating system, or a key file.

With a passphrase nothing secret is stored: the key is computed from it and from the salt at the head of the library.
How costly that is stands in a file beside the library; where it is lost, the cost of this version is taken.
"""

import os
import secrets
import unicodedata
from collections.abc import Callable
from pathlib import Path

import msgspec
import platformdirs
from argon2.low_level import Type, hash_secret_raw
from msgspec import Struct

from core.durable import write_durably
from core.errors import BadInput, DamagedLibrary, NotWritable, WrongKey
from core.log.cipher import KEY_BYTES, SALT_BYTES, read_salt
from core.log.lock import LibraryLock
from core.log.store import Clock, Library, make_folder, utc_now

KEYRING_SERVICE = "ground-rounds"
Notice = Callable[[str], None]
"""Is given a sentence that the clinician must see."""


class PassphraseCost(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one guess at the passphrase costs. The defaults took 0.4 s on two cores. Source: argon2id, RFC 9106."""

    kdf: str = "argon2id"
    time_cost: int = 4
    """Passes over the memory, 1..100."""
    memory_kib: int = 128 * 1024
    """8 KiB for each lane .. 4 GiB."""
    lanes: int = 4
    """1..64."""

    def __post_init__(self) -> None:
        if (
            self.kdf != "argon2id"
            or not 1 <= self.time_cost <= 100
            or not 1 <= self.lanes <= 64
            or not 8 * self.lanes <= self.memory_kib <= 4 * 1024 * 1024
        ):
            raise ValueError("no cost of argon2id within its bounds")


DEFAULT_COST = PassphraseCost()


def default_library_path() -> Path:
    """The library of this account of the operating system."""
    return Path(platformdirs.user_data_dir("ground-rounds", appauthor=False)) / "library.ground-rounds"


def open_library(
    path: Path,
    passphrase: str | None = None,
    notice: Notice = lambda sentence: None,
    *,
    use_keyring: bool = True,
    cost: PassphraseCost = DEFAULT_COST,
    clock: Clock = utc_now,
) -> Library:
    """Open the library at `path`; where there is none, make one.

    With a passphrase the key is computed from it; without, it is looked for in the keyring and then in the key file.
    A new library without passphrase puts its key where it can, and `notice` is told where a plain file had to do.
    `cost` holds for new libraries. Raises `BadInput`, `WrongKey`, `DamagedLibrary`, `NewerLibrary`, `LibraryInUse`,
    `NotWritable`.
    """
    path = path.resolve()
    make_folder(path.parent)
    lock = LibraryLock(path)  # before any key is looked for: two first starts must not make two keys
    try:
        if path.exists():
            key = _find_key(path, passphrase, use_keyring, notice)
            return Library(path, key, clock, lock)
        salt = secrets.token_bytes(SALT_BYTES)
        key = _make_key(path, passphrase, salt, use_keyring, cost, notice)
        return Library.create(path, key, salt, clock, lock)
    except BaseException:
        lock.release()
        raise


def derive_key(passphrase: str, salt: bytes, cost: PassphraseCost = DEFAULT_COST) -> bytes:
    """32 bytes from a passphrase, however its accents are composed, and a salt of 16 bytes. Raises `BadInput`."""
    if not passphrase.strip():
        raise BadInput("The passphrase is empty; give one with at least one letter.")
    return hash_secret_raw(
        unicodedata.normalize("NFC", passphrase).encode(),
        salt,
        time_cost=cost.time_cost,
        memory_cost=cost.memory_kib,
        parallelism=cost.lanes,
        hash_len=KEY_BYTES,
        type=Type.ID,
    )


def cost_path(library: Path) -> Path:
    """Says that a library has a passphrase, and what a guess costs. Holds no secret."""
    return library.with_name(f"{library.name}.key.json")


def key_path(library: Path) -> Path:
    """Holds the key of a library that has neither a passphrase nor a keyring."""
    return library.with_name(f"{library.name}.key")


def _find_key(path: Path, passphrase: str | None, use_keyring: bool, notice: Notice) -> bytes:
    if not path.is_file():
        raise BadInput(f"{path} is no file; choose a library.")
    salt = read_salt(path)
    if passphrase is not None:
        return derive_key(passphrase, salt, _read_cost(path))
    if cost_path(path).exists():
        raise WrongKey(f"The library {path.name} is protected by a passphrase; give it to open the library.")
    key = (_keyring_key(salt) if use_keyring else None) or _read_key_file(path)
    if key is None:
        raise WrongKey(
            f"The key of the library {path.name} is neither in the system keyring nor in {key_path(path)}; "
            "unlock the keyring, put the key file back, or give the passphrase."
        )
    if os.name == "posix" and key_path(path).exists() and key_path(path).stat().st_mode & 0o077:
        notice(f"Other accounts can read the key file {key_path(path)}; take that permission from them.")
    return key


def _make_key(
    path: Path, passphrase: str | None, salt: bytes, use_keyring: bool, cost: PassphraseCost, notice: Notice
) -> bytes:
    if passphrase is not None:
        key = derive_key(passphrase, salt, cost)
        _write(cost_path(path), msgspec.json.encode(cost))
        return key
    if cost_path(path).exists():
        raise BadInput(
            f"The library {path} is missing, but {cost_path(path).name} says that it has a passphrase; "
            "restore the library, or move that file away to start a new one."
        )
    key = secrets.token_bytes(KEY_BYTES)
    if use_keyring and _keep_in_keyring(salt, key):
        return key
    left_behind = _read_key_file(path)
    if left_behind is None:
        _write(key_path(path), key.hex().encode())
    notice(
        f"The key of this library lies unprotected in {key_path(path)}: whoever has both files can read all cases. "
        "Set a passphrase to protect them."
    )
    return left_behind or key


def _read_cost(path: Path) -> PassphraseCost:
    try:
        return msgspec.json.decode(cost_path(path).read_bytes(), type=PassphraseCost)
    except FileNotFoundError:
        return DEFAULT_COST
    except (OSError, msgspec.MsgspecError) as error:
        raise DamagedLibrary(
            f"The file {cost_path(path)} cannot be read; put it back from a backup, or delete it if the library was "
            "made with this version."
        ) from error


def _read_key_file(path: Path) -> bytes | None:
    try:
        key = bytes.fromhex(key_path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise BadInput(
            f"The key file {key_path(path)} cannot be read ({error.strerror}); check its permissions."
        ) from error
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise DamagedLibrary(f"The key file {key_path(path)} is damaged; put it back from a backup.")
    return key


def _write(path: Path, data: bytes) -> None:
    try:
        write_durably(path, data)
    except OSError as error:
        raise NotWritable(
            f"The file {path} cannot be written ({error.strerror}); choose another place for the library."
        ) from error


def _keyring_key(salt: bytes) -> bytes | None:
    stored = _ask_keyring(salt)
    try:
        key = bytes.fromhex(stored or "")
    except ValueError:
        return None
    return key if len(key) == KEY_BYTES else None


def _keep_in_keyring(salt: bytes, key: bytes) -> bool:
    # Some keyrings take a password and keep nothing, so it is read back.
    _ask_keyring(salt, key.hex())
    return _keyring_key(salt) == key


def _ask_keyring(salt: bytes, store: str | None = None) -> str | None:
    # The salt names the library and stays with it wherever it is moved.
    try:
        import keyring

        if store is not None:
            keyring.set_password(KEYRING_SERVICE, salt.hex(), store)
        return keyring.get_password(KEYRING_SERVICE, salt.hex())
    except Exception:  # backends of third parties raise what they like, and any of it means: there is no keyring
        return None
