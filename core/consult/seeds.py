"""Seeds of single calls, so that a case can be repeated to the letter."""

import hashlib


def seed_of(case_seed: int, address: str) -> int:
    """Seed of one call, 0 .. 2**63-1: depends on nothing but the case's seed and the address of the call."""
    digest = hashlib.blake2b(f"{case_seed}/{address}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1
