"""Side by side in one run: one call after another through `Llama.create_chat_completion`, and the batched engine.

All answer the same requests on the same model with the same number of generated tokens and the same threads. The calls one
after another are timed in three ways: free text, with the reuse of the last call's prefix that `Llama` does by itself; the same
with the form as its grammar, without which no reply would parse; and free text in independent calls, whose memory is reset before
each. Of the last two only every fifth call is made and counts for five, they take so long; a reply that its grammar ended early
counts by its tokens. Prints seconds, ratios and tokens, and writes them to out/bench.json.

    python -m tests.bench.engine [--model smollm2-135m] [--threads 2]
"""

import argparse
import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from core.ports import Address, CancelToken, ChatRequest, ModelIdentity, Reply, Watch
from models.gguf.engine import GgufModel
from models.gguf.prefix_tree import nodes
from models.gguf.prompt import prompts
from models.shelf import Shelf
from tests.core.consult.panels import library_at, open_seated, run

ROUND = "r3"
REUSING, WITH_GRAMMAR, INDEPENDENT = WAYS = (
    "calls that reuse the last prefix", "the same with the form as grammar", "independent calls",
)  # fmt: skip
EVERY = 5
"""Of the slow calls every so many-th is made."""


class Timed:
    """The engine, with the seconds that each call of the gate took."""

    def __init__(self, model: GgufModel) -> None:
        self._model = model
        self.rows: list[tuple[list[ChatRequest], list[Reply], float]] = []

    @property
    def identity(self) -> ModelIdentity:
        return self._model.identity

    def ask_all(
        self, requests: Sequence[ChatRequest], watch: Watch, cancel: CancelToken
    ) -> Iterator[tuple[Address, Reply]]:
        started = time.perf_counter()
        replies = dict(self._model.ask_all(requests, watch, cancel))
        answered = [replies[request.address] for request in requests]
        self.rows.append((list(requests), answered, time.perf_counter() - started))
        yield from replies.items()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--model", default="smollm2-135m")
    options.add_argument("--threads", type=int, default=2, help="the same for both sides")
    options.add_argument("--quick", action="store_true", help="only the calls that reuse the last prefix")
    chosen = options.parse_args()
    shelved = Shelf().find(chosen.model)
    engine = GgufModel(shelved.path, shelved.card.id, shelved.card.sha256, threads=(chosen.threads, chosen.threads))
    batched = Timed(engine)
    with tempfile.TemporaryDirectory() as folder, library_at(Path(folder)) as library:
        run(library, open_seated(library), batched)
    ours = sum(seconds for _, _, seconds in batched.rows)
    print(f"the case on the batched engine: {ours:.0f} s; now the same calls one after another", flush=True)
    unique = _unique_over_case(engine, batched)
    constraint_s = engine.constraint_s
    engine.close()
    result: dict[str, object] = {}
    for way in WAYS[:1] if chosen.quick else WAYS:
        result |= _ratios(way, batched, _sequential(shelved.path, chosen.threads, batched, way))
        print(f"{way}: done", flush=True)
    result |= _tokens(batched, unique, constraint_s)
    for name, value in result.items():
        print(f"{name:<44} {value}")
    Path("out").mkdir(exist_ok=True)
    Path("out/bench.json").write_text(json.dumps(result, indent=1), encoding="utf-8")


def _sequential(path: Path, threads: int, batched: Timed, way: str) -> list[float]:
    """Seconds of each gate call, one request after another, for as many tokens as the engine wrote."""
    import llama_cpp

    llama = llama_cpp.Llama(str(path), n_ctx=8192, n_threads=threads, n_threads_batch=threads, verbose=False)
    seconds = []
    for requests, replies, _ in batched.rows:
        pairs = list(zip(requests, replies, strict=True))[:: 1 if way == REUSING else EVERY]
        seconds.append(sum(_one_call(llama, *pair, way) for pair in pairs) * len(requests) / len(pairs))
    return seconds


def _one_call(llama: Any, request: ChatRequest, reply: Reply, way: str) -> float:
    """Seconds. Of a reply that its grammar ended early, the part beyond its first token is scaled up to the same length."""
    import llama_cpp

    if way == INDEPENDENT:
        llama.reset()
    wanted = reply.decoded_tokens + reply.forced_tokens
    grammar = llama_cpp.LlamaGrammar.from_string(request.form.gbnf(), verbose=False) if way == WITH_GRAMMAR else None
    started, first = time.perf_counter(), 0.0
    written = 0
    for _ in llama.create_chat_completion(
        messages=[
            {"role": "system", "content": request.system},
            {"role": "user", "content": "".join(block.text for block in request.shared) + request.own},
        ],
        max_tokens=wanted,
        temperature=request.sampling.temperature,
        seed=request.seed % 2**31,
        logit_bias=None if grammar else {llama.token_eos(): -100.0},
        grammar=grammar,
        stream=True,
    ):
        written += 1
        first = first or time.perf_counter()
    ended = time.perf_counter()
    pieces = max(written - 3, 1)  # role, last and first piece
    scale = max(wanted - 1, 1) / pieces if grammar is not None else 1.0
    return (first - started) + (ended - first) * max(scale, 1.0)


def _unique_over_case(engine: GgufModel, batched: Timed) -> int:
    """Nodes of the prefix tree of all prompts of the panel. The referee's questions are asked from an empty state each."""
    asked = [request for requests, _, _ in batched.rows for request in requests if not request.alone]
    tokens = [prompt.tokens for request in asked for prompt in prompts(engine.weights, [request])]
    return len(nodes(tokens))


def _ratios(name: str, batched: Timed, sequential: list[float]) -> dict[str, object]:
    """How much longer the calls one after another took, over all and in the round that mostly decodes."""
    ours = [seconds for _, _, seconds in batched.rows]
    stages = [requests[0].address.split("/")[0] for requests, _, _ in batched.rows]
    third = stages.index(ROUND)
    return {
        f"{name}, seconds": round(sum(sequential), 1),
        f"{name}, ratio over all requests": round(sum(sequential) / sum(ours), 2),
        f"{name}, ratio in round 3 with its repeats": round(sequential[third] / ours[third], 2),
        f"{name}, seconds by stage": {
            stage: round(seconds, 1) for stage, seconds in zip(stages, sequential, strict=True)
        },
    }


def _tokens(batched: Timed, unique: int, constraint_s: float) -> dict[str, object]:
    asked = [pair for requests, replies, _ in batched.rows for pair in zip(requests, replies, strict=True)]
    panel = [reply for request, reply in asked if not request.alone]
    referee = [reply for request, reply in asked if request.alone]
    seconds = {requests[0].address.split("/")[0]: round(spent, 1) for requests, _, spent in batched.rows}
    evaluated = sum(reply.evaluated_tokens for reply in panel)
    return {
        "batched engine, seconds": round(sum(spent for _, _, spent in batched.rows), 1),
        "batched engine, seconds by stage": seconds,
        "prompt tokens of the panel": sum(reply.prompt_tokens for reply in panel),
        "prompt tokens evaluated": evaluated,
        "prompt tokens unique": unique,
        "prompt tokens evaluated / unique": round(evaluated / unique, 3),
        "prompt tokens evaluated for the referee": sum(reply.evaluated_tokens for reply in referee),
        "tokens sampled": sum(reply.decoded_tokens for _, reply in asked),
        "tokens forced": sum(reply.forced_tokens for _, reply in asked),
        "share of the time spent on constraints": round(constraint_s / sum(spent for _, _, spent in batched.rows), 4),
    }


if __name__ == "__main__":
    main()
