"""Frozen records of one case. Tuples, not lists; `None` for "not measured"."""
