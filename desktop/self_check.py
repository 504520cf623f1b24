"""`ground-rounds self-check`: is everything here that a case needs? Works offline and touches no case of the user."""

import json
import tempfile
import threading
from collections.abc import Callable
from importlib import resources
from pathlib import Path

import msgspec

from core.errors import UserError
from core.log.keys import open_library
from core.ports import unwatched
from core.settings import ConsultSettings
from desktop.bootstrap import Workplace
from desktop.shelves import ModelShelf, installed_scorer, scorer_missing

TEST_MODEL = "smollm2-135m"


def run_checks(as_json: bool) -> int:
    """Run all checks; returns 0, or 2 where one of them failed."""
    results = []
    for name, check in CHECKS.items():
        try:
            results.append({"check": name, "ok": True, "result": check()})
        except (UserError, OSError, AssertionError, ImportError, KeyError, ValueError) as error:
            results.append({"check": name, "ok": False, "result": f"{type(error).__name__}: {error}"})
    if as_json:
        print(json.dumps(results, ensure_ascii=False))
    else:
        for row in results:
            print(f"{'ok    ' if row['ok'] else 'FAILED'}  {row['check']}: {row['result']}")
    return 0 if all(row["ok"] for row in results) else 2


def _prompts() -> str:
    names = [entry.name for entry in resources.files("core.prompts").iterdir() if entry.name.endswith(".md")]
    for name in names:
        resources.files("core.prompts").joinpath(name).read_text(encoding="utf-8")
    return f"{len(names)} prompts"


def _terminology() -> str:
    from core.consult.merge import same_diagnosis
    from core.terms.rules import rule_list

    assert same_diagnosis("heart attack", "myocardial infarction"), "the synonym table does not answer"
    assert not same_diagnosis("gout", "pseudogout"), "the synonym table merges what it must not"
    return f"{len(rule_list().complaints)} presenting complaints"


def _registry() -> str:
    return ", ".join(f"{row['id']}{'' if row['installed'] else ' (not installed)'}" for row in ModelShelf().rows())


def _demonstration() -> str:
    """The sample case on the script, twice: the same report, and a library that verifies."""
    case = resources.files("desktop.resources").joinpath("sample_case.txt").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        work = Workplace(open_library(Path(folder) / "check", "a passphrase for this moment", use_keyring=False))
        opened = work.begin(case, ConsultSettings(), "scripted")
        live = work.run(opened.case_id, unwatched, threading.Event())
        assert msgspec.json.encode(live) == msgspec.json.encode(work.report(opened.case_id)), "the replay differs"
        assert live.status == "withheld", "the gate is open"
        rows = work.library.verify().count
        work.close()
    return f"report derived again from {rows} rows"


def _engine() -> str:
    """The language model engine in its own process, on the smallest model where it is installed."""
    import llama_cpp

    if not any(row["id"] == TEST_MODEL and row["installed"] for row in ModelShelf().rows()):
        return f"llama-cpp-python {llama_cpp.__version__}, no test model installed"
    from core.forms import Form, Text
    from core.ports import Address, Block, ChatRequest, Sampling

    request = ChatRequest(
        address=Address("check/engine/1"), system="Fill in the form.", shared=(Block(text="Say hello.\n"),), own="",
        form=Form(name="check", fields=(Text(label="HELLO", max_chars=40),)), sampling=Sampling(temperature=0.0), seed=1,
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        work = Workplace(open_library(Path(folder) / "check", "a passphrase for this moment", use_keyring=False))
        ((_, reply),) = work.model(TEST_MODEL).ask_all((request,), unwatched, threading.Event())
        work.close()
    assert reply.ended == "complete", "the engine did not finish its form"
    return f"{reply.model.engine}, {reply.decoded_tokens} tokens in {reply.seconds:.1f} s"


def _scorer() -> str:
    """The scorer in its own process, on two steps; that none is installed is no failure, but said."""
    missing = scorer_missing()
    scorer = installed_scorer()
    if scorer is None:
        return f"alignment will not be measured: {missing}"
    try:
        steps = ("The platelets are very low.", "The platelets are very high.")
        similar = scorer.similarities(steps, threading.Event())
        (against,) = scorer.contradictions([steps], threading.Event()).probabilities
    finally:
        scorer.close()
    identity = similar.scorer
    assert similar.cosines[0][1] == similar.cosines[1][0], "similarity depends on the order"
    names = f"{identity.nli_id} with {identity.embedding_id}"
    return f"{names}, {identity.grade}, on {identity.device}; low against high contradicts with {against:.2f}"


CHECKS: dict[str, Callable[[], str]] = {
    "prompts": _prompts,
    "terminology": _terminology,
    "models": _registry,
    "demonstration case": _demonstration,
    "engine": _engine,
    "scorer": _scorer,
}
