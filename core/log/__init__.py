"""The encrypted event log: where every case is kept, and from which every case can be computed again."""
