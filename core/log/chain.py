"""Keyed digests that make every later change of the log detectable.

Each event carries a digest of its body and a chain value over everything before it. Who does not hold the library's key
can compute neither. An older copy of the whole file is whole: that it is old shows only against the head on a report.
"""

import hashlib
import hmac

import msgspec

CHAIN_START = ""
"""Chain value before the first event."""


class Sealer:
    """Computes the digests. Source: HMAC with SHA-256, RFC 2104; hex digits."""

    def __init__(self, library_key: bytes) -> None:
        # Its own key: a digest on a printed report must tell nothing about the key of the file.
        self._key = hmac.digest(library_key, b"ground-rounds event chain", hashlib.sha256)

    def seal_body(self, body: str) -> str:
        """Digest of the JSON of one event."""
        return self._seal("body", body)

    def link(self, before: str, case_id: str | None, at: str, kind: str, body_mac: str) -> str:
        """Chain value of an event that follows the chain value `before`."""
        return self._seal("link", before, case_id, at, kind, body_mac)

    def seal_head(self, count: int, chain: str) -> str:
        """Digest that says: the log ends here."""
        return self._seal("head", count, chain)

    def _seal(self, purpose: str, *parts: str | int | None) -> str:
        # JSON keeps the borders between the parts; the purpose keeps one kind of digest from serving as another.
        return hmac.new(self._key, msgspec.json.encode((purpose, *parts)), hashlib.sha256).hexdigest()


def same(one: str, other: str) -> bool:
    """Whether two digests are equal; takes as long for unequal ones."""
    return hmac.compare_digest(one.encode(), other.encode())
