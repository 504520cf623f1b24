"""Opens the encrypted file. Source: SQLCipher design, zetetic.net/sqlcipher/design."""

from pathlib import Path

from sqlcipher3 import dbapi2
from sqlite_utils import Database

from core.errors import BadInput, DamagedLibrary, WrongKey
from core.log.faults import Code, primary_code

KEY_BYTES = 32
SALT_BYTES = 16
"""Stand unencrypted at the head of the file."""
_PAGE_BYTES = 4096
_PLAIN_SQLITE = b"SQLite format 3\0"


def read_salt(path: Path) -> bytes:
    """The salt at the head of a library. Raises `DamagedLibrary` where this cannot be a whole library, `BadInput`."""
    try:
        with path.open("rb") as file:
            salt = file.read(SALT_BYTES)
        size_bytes = path.stat().st_size
    except OSError as error:
        raise BadInput(f"The library {path} cannot be read ({error.strerror}); check its permissions.") from error
    if salt == _PLAIN_SQLITE:
        raise DamagedLibrary(f"{path} is a database without encryption and no library; choose another file.")
    if size_bytes == 0 or size_bytes % _PAGE_BYTES:
        raise DamagedLibrary(
            f"The file {path} ends in the middle of a page: it is no library or was cut off; restore the latest backup."
        )
    return salt


def connect(path: Path, key: bytes, salt: bytes) -> Database:
    """A connection to a library, or to a new file, ready for use from any thread (one at a time).

    `key`: 32 bytes, used as they are. `salt`: 16 bytes. Raises `WrongKey`, and the errors of SQLite.
    """
    if len(key) != KEY_BYTES or len(salt) != SALT_BYTES:
        raise ValueError(f"a key has {KEY_BYTES} bytes and a salt {SALT_BYTES}")
    connection = dbapi2.connect(str(path), check_same_thread=False, isolation_level=None)
    try:
        connection.execute("pragma cipher_log_level = none")  # else a wrong key prints to stderr
        connection.execute(f"pragma key = \"x'{key.hex()}{salt.hex()}'\"")
        _read_first_page(connection, path)
        # A truncated journal is synced, a deleted one would need `synchronous = extra` for its folder to be.
        connection.execute("pragma journal_mode = truncate")
        connection.execute("pragma synchronous = full")
        connection.execute("pragma secure_delete = on")
        connection.execute("pragma recursive_triggers = on")  # `insert or replace` meets the delete trigger
        connection.execute("pragma temp_store = memory")
        return Database(connection, execute_plugins=False)
    except BaseException:
        connection.close()
        raise


def _read_first_page(connection: dbapi2.Connection, path: Path) -> None:
    try:
        connection.execute("select count(*) from sqlite_master").fetchone()
    except dbapi2.DatabaseError as error:
        if primary_code(error) != Code.NOTADB:
            raise
        raise WrongKey(
            f"This passphrase or key does not open the library {path.name}; try again. If it is surely the right one, "
            "the first page of the file is damaged: restore the latest backup."
        ) from error
