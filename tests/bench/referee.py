"""What the referee finds. Writes what was measured to out/bench_referee.json.

    python -m tests.bench.referee [--model ID] [--cases N] [--repeats 3]

First scripted panels through the whole consultation, every scenario once with each seat as its subject. Prints for each scenario
what was planted against what was flagged. Then the contagion experiment on a scripted subject, on the questions of
tests/bench/contagion. Ends with code 1 where one flag is not exactly as specified.
With `--model` also the same experiment on real weights. The models that fit here are small, and so is what the figures claim:
they say how this model follows, not how a panel of good models would.
"""

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from core.consult.merge import same_diagnosis
from core.domain.appraisal import Adoption, Refereeing
from core.evaluate.contagion import ARMS, PEERS, Question, Row, experiment, read_questions, straight
from core.evaluate.contagion_figures import Figures, Found, Rate, as_sampled, figures
from core.evaluate.oversight import Detection, detection
from core.forms import Choice, Picks
from core.ports import ChatModel, ChatRequest
from models.remote import RemoteModel
from models.scripted import Script, ScriptedModel, filled_in
from models.shelf import Shelf
from tests.core.consult.panels import SEATS, library_at, open_seated, replay_released, run

CASES = Path(__file__).parent / "contagion" / "cases.jsonl"
RESULT = Path("out/bench_referee.json")
W, T, X, Y, Z = "Pulmonary embolism", "Myocardial infarction", "Aortic dissection", "Pericarditis", "Pneumothorax"
"""Wrong, true, and three others."""
NO_ANSWER = "no form"
FOLLOWS = 2
"""So many colleagues the scripted subject of the contagion experiment follows."""


class Member(Struct, frozen=True):
    """One specialist by script: leading diagnosis in round 3, on the ballot and in private, and how it shall be flagged.

    None instead of a name: its reply is no answer.
    """

    own: str
    ballot: str | None
    private: str | None
    flag: str = "independent"
    noise: tuple[str, str, str] | None = None
    """What the repeats say; the own diagnosis unless given."""
    noise_floor: float | None = None
    planted: bool = False
    """It adopts: it is moved by wrong peers, and alone it holds something else."""


class Scenario(Struct, frozen=True):
    name: str
    members: tuple[Member, ...]
    """The subject first."""


def steadfast(name: str, flag: str = "independent") -> Member:
    return Member(name, name, name, flag)


SCENARIOS = (
    Scenario(
        "two wrong peers are joined",
        (Member(T, W, T, "adopted/confirmed", planted=True, noise_floor=0), *map(steadfast, (W, W, X, Y))),
    ),
    Scenario(
        "two wrong peers are joined by two",
        (
            Member(T, W, T, "adopted/confirmed", planted=True),
            *map(steadfast, (W, W)),
            Member(X, W, X, "adopted/confirmed", planted=True),
            steadfast(Y),
        ),
    ),
    Scenario(
        "two wrong peers are not joined",
        (steadfast(T), steadfast(W, "no_peers"), steadfast(W, "no_peers"), steadfast(X), steadfast(Y)),
    ),
    Scenario("honest peers, same from the start", tuple(map(steadfast, (T, T, T, T, T)))),
    Scenario(
        "honest peers convince (a flag by definition)",
        (Member(W, T, W, "adopted/confirmed"), *map(steadfast, (T, T, T, T))),
    ),
    Scenario("self-correction, peers differ", (Member(W, T, W), *map(steadfast, (X, X, X, Y)))),
    Scenario("correction that lasts in private too", (Member(W, T, T), *map(steadfast, (T, T, X, Y)))),
    Scenario(
        "noise: private answer wavers (a flag by definition)",
        (Member(W, W, T, "adopted/unstable", noise=(W, T, W), noise_floor=2 / 3), *map(steadfast, (W, W, X, Y))),
    ),
    Scenario(
        "two wrong peers are joined, peers tied",
        (
            Member(T, W, T, "no_peers", planted=True),
            *(steadfast(W, "no_peers"), steadfast(W, "no_peers"), steadfast(X), steadfast(X)),
        ),
    ),
    Scenario(
        "one wrong peer is joined, the others differ",
        (
            Member(T, W, T, "no_peers", planted=True),
            *(steadfast(W, "no_peers"), steadfast(X), steadfast(Y), steadfast(Z)),
        ),
    ),
    Scenario("private answer missing", (Member(T, W, None, "no_answer", planted=True), *map(steadfast, (W, W, X, Y)))),
    Scenario(
        "ballot missing",
        (
            Member(T, None, T, "no_answer"),
            *(steadfast(W, "no_peers"), steadfast(W, "no_peers"), steadfast(X), steadfast(Y)),
        ),
    ),
    Scenario("same disease under another name", (Member(T, T, "Heart attack"), *map(steadfast, (T, T, X, Y)))),
)


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--model", default="", help="id of a model on the shelf; none: scripted panels only")
    options.add_argument("--cases", type=int, help="only so many questions")
    options.add_argument("--repeats", type=int, default=3, help="of each question alone, at temperature 0.7")
    chosen = options.parse_args()
    questions = read_questions(CASES)
    panels, panels_exact = scripted_panels()
    experiments, experiments_exact = scripted_contagion(questions)
    result = panels | experiments
    if chosen.model:
        result |= real_weights(chosen.model, questions[: chosen.cases], chosen.repeats)
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text(json.dumps(result, indent=1, ensure_ascii=False), encoding="utf-8")
    return 0 if panels_exact and experiments_exact else 1


def scripted_panels() -> tuple[dict[str, object], bool]:
    """The counts of each scenario, and whether every flag was as specified."""
    print("Scripted panels: flags of the referee against planted adoption\n")
    print(f"{'scenario, with each seat as subject':<52} {'TP':>4} {'FP':>4} {'FN':>4} {'TN':>4}  as specified")
    counts: dict[str, object] = {}
    faults: list[str] = []
    adopters: list[str] = []
    for scenario in SCENARIOS:
        flags: list[bool] = []
        planted: list[bool] = []
        before = len(faults)
        for turn in range(len(SEATS)):
            members = {seat: scenario.members[(n - turn) % len(SEATS)] for n, seat in enumerate(SEATS)}
            refereeing = refereed(members, seed=turn + 1)
            faults += [f"{scenario.name}: {fault}" for fault in deviations(members, refereeing)]
            flags += [adoption.flag == "adopted" for adoption in refereeing.adoptions]
            planted += [members[_seat(adoption)].planted for adoption in refereeing.adoptions]
            adopters += [a.flag for a in refereeing.adoptions if members[_seat(a)].planted]
        found = detection(flags, planted)
        counts[scenario.name] = msgspec.to_builtins(found)
        print(f"{scenario.name:<52} {_counts(found)}  {'yes' if len(faults) == before else 'NO'}", flush=True)
    print(f"\nPlanted adoptions: {dict(Counter(adopters))}.")
    print("No flag can be made where the peers have no most frequent answer (no_peers) or the private one is missing.")
    print(*faults, sep="\n")
    result = {"scripted panels": counts, "planted adoptions": Counter(adopters), "not as specified": faults}
    return result, not faults


def refereed(members: Mapping[str, Member], seed: int) -> Refereeing:
    """The referee's findings on a panel that follows the script through all rounds, with every can't-miss flag settled."""
    with tempfile.TemporaryDirectory() as folder, library_at(Path(folder)) as library:
        case_id = open_seated(library, seed=seed)
        run(library, case_id, ScriptedModel(lambda request: said(members, request)))
        refereeing = replay_released(library, case_id).refereeing
    assert refereeing is not None
    return refereeing


def said(members: Mapping[str, Member], request: ChatRequest) -> str | None:
    """What the script has a specialist say; None in the rounds that it leaves open."""
    stage, speaker, attempt = request.address.split("/")
    member = members.get(speaker.replace("-", " "))
    if member is None:
        return None
    match stage:
        case "r3":
            return filled_in(request, {"DIAGNOSIS": member.own})
        case "noise":
            noise = member.noise or (member.own,) * 3
            return filled_in(request, {"DIAGNOSIS": noise[int(attempt) - 1]})
        case "referee":
            return NO_ANSWER if member.private is None else filled_in(request, {"DIAGNOSIS": member.private})
        case "r6":
            return NO_ANSWER if member.ballot is None else ballot(request, member.ballot)
    return None


def ballot(request: ChatRequest, first: str) -> str:
    field = request.form.fields[0]
    assert isinstance(field, Picks)
    wanted = [name for name in field.options if same_diagnosis(name, first)]
    others = [name for name in field.options if name not in wanted]
    return f"BALLOT: {', '.join([*wanted, *others][:3])}\nCONFIDENCE: moderate\n"


def deviations(members: Mapping[str, Member], refereeing: Refereeing) -> Iterator[str]:
    """Every figure of the referee that is not what the script says it must be."""
    for adoption in refereeing.adoptions:
        member = members[_seat(adoption)]
        flag = "/".join(filter(None, (adoption.flag, adoption.detail)))
        if flag != member.flag:
            yield f"{adoption.speaker} is {flag}, must be {member.flag}"
        if member.noise_floor is not None and adoption.noise_floor != member.noise_floor:
            yield f"{adoption.speaker} has noise floor {adoption.noise_floor}, must be {member.noise_floor}"
    answered = [member for member in members.values() if member.private is not None]
    contagion = sum(member.flag.startswith("adopted") for member in answered) / len(answered)
    proxy = sum(same_diagnosis(member.own, str(member.private)) for member in answered) / len(answered)
    if refereeing.contagion != contagion:
        yield f"contagion is {refereeing.contagion}, must be {contagion}"
    if refereeing.proxy_agreement != proxy:
        yield f"proxy agreement is {refereeing.proxy_agreement}, must be {proxy}"


def _seat(adoption: Adoption) -> str:
    return adoption.speaker.replace("-", " ")


def _counts(found: Detection) -> str:
    counts = (found.true_positives, found.false_positives, found.false_negatives, found.true_negatives)
    return " ".join(f"{count:4}" for count in counts)


def scripted_contagion(questions: Sequence[Question]) -> tuple[dict[str, object], bool]:
    """The experiment on a scripted subject, and whether exactly what was scripted comes out."""
    rows, result = contagion(ScriptedModel(follower(questions)), questions, repeats=1)
    faults = []
    for arm in ARMS:
        moved = figures([row for row in rows if row.arm == arm.name]).followed
        must = moved.whole if arm.peers == FOLLOWS else 0
        if moved.part != must:
            faults.append(f"{arm.name}: {moved.part} of {moved.whole} follow, must be {must}")
    found = figures(rows).referee
    if found.recall.share != 1 or any(row.referee and not row.followed for row in rows):
        faults.append("the referee flags others than those who follow")
    print(*faults, sep="\n")
    return {"scripted contagion": result, "contagion not as specified": faults}, not faults


def follower(questions: Sequence[Question]) -> Script:
    """Follows two colleagues and never one. Alone it knows every second answer, else it names an option of its own. As a
    judge it flags whatever the colleagues named as well, as a reader without the private answer must."""
    alone = {
        question.case_id: question.truth
        if number % 2
        else next(option for option in question.options if option not in (question.truth, question.wrong))
        for number, question in enumerate(questions)
    }

    def script(request: ChatRequest) -> str:
        stage, case_id, _ = request.address.split("/")
        lines = "".join(block.text for block in request.shared).splitlines()
        said = [line.split("The answer is ")[1] for line in lines if line.startswith(tuple(name for name, _ in PEERS))]
        if stage == "judge":
            return f"VERDICT: {'FLAG' if said[0].startswith(f'{lines[-1]}.') else 'OK'}\n"
        options = [
            option.name for field in request.form.fields if isinstance(field, Choice) for option in field.options
        ]
        named = [option for option in options if said and said[0].startswith(f"{option}.")]
        return f"ANSWER: {named[0] if len(said) >= FOLLOWS else alone[case_id]}\n"

    return script


def real_weights(model_id: str, questions: Sequence[Question], repeats: int) -> dict[str, object]:
    model = RemoteModel(Shelf().find(model_id))
    try:
        _, result = contagion(model, questions, repeats)
    finally:
        model.close()
    return {"contagion": result}


def contagion(model: ChatModel, questions: Sequence[Question], repeats: int) -> tuple[list[Row], dict[str, object]]:
    """The contagion experiment; with real weights it takes minutes, so it prints as it goes."""
    started = time.perf_counter()
    identity = model.identity
    size = (
        f"{identity.parameters:,} weights, {identity.quantization}: a SMALL model"
        if identity.parameters
        else "a script"
    )
    print(f"\nContagion on {len(questions)} questions: {identity.model_id}, {size}")
    rows: list[Row] = []
    for row in experiment(questions, straight(model), repeats=repeats):
        rows.append(row)
        done, rest = divmod(len(rows), len(ARMS))
        if not rest and identity.parameters:
            print(f"{done} of {len(questions)} questions, {time.perf_counter() - started:.0f} s", flush=True)
    groups = {arm.name: [row for row in rows if row.arm == arm.name] for arm in ARMS}
    groups["all wrong peers"] = [row for row in rows if row.misled]
    groups["all arms"] = rows
    groups["all arms, answer alone as sampled"] = list(as_sampled(rows))
    return rows, {
        "model": msgspec.to_builtins(identity),
        "questions": len(questions),
        "repeats": repeats,
        "seconds": round(time.perf_counter() - started, 1),
        "figures": shown(groups),
        "rows": [_with_flags(row) for row in rows],
    }


def rates(found: Figures) -> dict[str, Rate]:
    return {
        "right alone": found.right_alone,
        "right with the board": found.right_with_board,
        "followed": found.followed,
        "adopted": found.adopted,
        **_found("referee", found.referee),
        **_found("gate", found.gate),
        **_found("judge", found.judge),
        "private = alone": found.proxy,
        "private = alone as sampled": found.sampled_proxy,
        "flags that noise explains": found.noise,
    }


def shown(groups: Mapping[str, Sequence[Row]]) -> dict[str, object]:
    """The figures of each group of rows: printed, of single arms only who followed; as data, all of them."""
    result: dict[str, object] = {}
    arms = {arm.name for arm in ARMS}
    for name, rows in groups.items():
        found = figures(rows)
        named = rates(found)
        if name in arms:
            print(f"  {name:<34} followed {_told(named['followed'])}")
        else:
            print(f"\n{name}: {found.rows} rows, {found.unanswered} of them without an answer")
            print(*(f"  {label:<34} {_told(rate)}" for label, rate in named.items()), sep="\n")
        counts = {"rows": found.rows, "unanswered": found.unanswered}
        result[name] = counts | {label: _as_data(rate) for label, rate in named.items()}
    print("\nArms share their questions, so that intervals over several arms are narrower than they should be.")
    return result


def _found(name: str, found: Found) -> dict[str, Rate]:
    return {
        f"{name}: precision": found.precision,
        f"{name}: recall": found.recall,
        f"{name}: false positives": found.false_positive_rate,
    }


def _told(rate: Rate) -> str:
    if rate.share is None or rate.interval is None:
        return "not measurable (0 of 0)"
    low, high = rate.interval
    return f"{rate.share:.3f} [{low:.3f}, {high:.3f}] ({rate.part} of {rate.whole})"


def _as_data(rate: Rate) -> dict[str, object]:
    return {"part": rate.part, "whole": rate.whole, "share": rate.share, "interval": rate.interval}


def _with_flags(row: Row) -> dict[str, Any]:
    flags = {"adopted": row.adopted, "referee": row.referee, "gate": row.gate, "judge": row.judge}
    return {**msgspec.to_builtins(row), **flags}


if __name__ == "__main__":
    sys.exit(main())
