"""How many threads serve best: measured in a second, never taken on faith."""

import threading
import time

import psutil

from models.gguf.context import Context, Item

PROBE_TOKENS = 64
PROBE_SEQUENCES = 5
PROBE_RUNS = 3


def thread_counts() -> tuple[int, ...]:
    """Counts worth trying: powers of two up to the physical cores, and the physical cores."""
    cores = psutil.cpu_count(logical=False) or psutil.cpu_count() or 1
    counts = {1, cores}
    while (count := 2 * max(c for c in counts if c < cores or c == 1)) < cores:
        counts.add(count)
    return tuple(sorted(counts))


def measured_threads(context: Context) -> tuple[int, int]:
    """(threads to decode with, threads to evaluate prompts with), each the quickest of short real runs.

    Counts take turns, so that a busy moment of the machine hits all of them. Leaves the context empty. Takes as long as
    evaluating about 250 tokens for each count.
    """
    counts = thread_counts()
    decode = dict.fromkeys(counts, float("inf"))
    prefill = dict.fromkeys(counts, float("inf"))
    for _ in range(PROBE_RUNS):
        for count in counts:
            decode[count] = min(decode[count], _seconds(context, count, _step()))
            prefill[count] = min(prefill[count], _seconds(context, count, _prompt()))
    context.clear()
    return min(counts, key=lambda c: decode[c]), min(counts, key=lambda c: prefill[c])


def _step() -> list[Item]:
    """One token for each of five sequences, as in a round."""
    return [Item(1, 0, (sequence,), True) for sequence in range(PROBE_SEQUENCES)]


def _prompt() -> list[Item]:
    return [Item(1, position, (0,), position == PROBE_TOKENS - 1) for position in range(PROBE_TOKENS)]


def _seconds(context: Context, threads: int, items: list[Item]) -> float:
    context.set_threads(threads, threads)
    context.clear()
    started = time.perf_counter()
    context.evaluate(items, threading.Event())
    return time.perf_counter() - started
