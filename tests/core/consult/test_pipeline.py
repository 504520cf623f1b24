"""A whole case on the script: order, independence, resuming, replaying, abstaining."""

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from core.consult.independent import differential_form, independent_requests, private_requests
from core.consult.withholding import WITHHELD
from core.domain.debate import all_challenges, all_claims, listed_diagnoses
from core.domain.statement import (
    Abstention,
    AnswerStatement,
    BallotStatement,
    DifferentialStatement,
    MasterList,
    PositionStatement,
)
from core.errors import LogMismatch, NotRecorded
from core.forms import Choice, Form, Picks
from core.log.events import CallFinished
from core.log.recorder import Recorder
from core.log.store import Library
from core.ports import ChatRequest
from core.settings import ConsultSettings
from models.scripted import ScriptedModel, filled_in
from tests.core.consult.panels import (
    CountedModel,
    PowerCut,
    library_at,
    loaded,
    open_seated,
    replay,
    replay_released,
    run,
    settle_all,
)

GOLDEN = Path("tests/core/consult/golden/sample_scripted.jsonl")


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with library_at(tmp_path) as opened:
        yield opened


def test_replay_without_a_model_gives_the_same_report_byte_for_byte(library: Library) -> None:
    case_id = open_seated(library)
    live = run(library, case_id)
    assert msgspec.json.encode(replay(library, case_id)) == msgspec.json.encode(live)


def test_a_second_run_asks_nothing(library: Library) -> None:
    case_id = open_seated(library)
    run(library, case_id)
    model = CountedModel(ScriptedModel())
    run(library, case_id, model)
    assert model.asked == []


def test_power_cut_at_every_call_loses_nothing_and_asks_nothing_twice(tmp_path: Path) -> None:
    with library_at(tmp_path) as whole:
        expected = run(whole, open_seated(whole))
        calls = sum(figure.calls for figure in expected.figures)
    for dies_at in range(calls):
        folder = tmp_path / str(dies_at)
        folder.mkdir()
        with library_at(folder) as library:
            case_id = open_seated(library)
            first, second = CountedModel(ScriptedModel(), dies_at), CountedModel(ScriptedModel())
            with pytest.raises(PowerCut):
                run(library, case_id, first)
            resumed = run(library, case_id, second)
            assert len(first.answered) == dies_at
            assert not set(first.answered) & {request.address for request in second.asked}
            assert resumed.statements == expected.statements
            assert resumed.figures == expected.figures


def test_round_3_knows_nothing_of_colleagues(library: Library) -> None:
    case_id = open_seated(library)
    report = run(library, case_id)
    requests = _requests(library, case_id)
    said = [claim.text for claim in all_claims(report.statements)] + [row.name for row in report_list(report)]
    for seat in report.case.panel.specialists:
        asked = requests[f"r3/{seat.specialist_id}/1"]
        prompt = asked.system + "".join(block.text for block in asked.shared) + asked.own
        others = [other for other in report.case.panel.specialists if other is not seat]
        assert not any(other.persona in prompt for other in others)
        assert not any(text in prompt for text in said)
        assert "WHAT THE PANEL SAID" not in prompt


def test_round_3_prompts_do_not_depend_on_the_order_of_seats(library: Library) -> None:
    case = loaded(library, open_seated(library))
    turned = msgspec.structs.replace(
        case, panel=msgspec.structs.replace(case.panel, specialists=case.panel.specialists[::-1])
    )
    assert set(independent_requests(case)) == set(independent_requests(turned))


def test_the_referee_asks_round_3_word_for_word_alone_and_at_temperature_0(library: Library) -> None:
    case = loaded(library, open_seated(library))
    for first, again in zip(independent_requests(case), private_requests(case), strict=True):
        assert (again.system, again.shared, again.own, again.form) == (
            first.system, first.shared, first.own, first.form,
        )  # fmt: skip
        assert again.alone
        assert again.sampling.temperature == 0


def test_everyone_sees_the_board_as_it_stood_before_the_round(library: Library) -> None:
    case_id = open_seated(library)
    run(library, case_id)
    requests = _requests(library, case_id)
    for stage in ("r5a", "r5b", "r5c", "r6", "r7"):
        boards = {request.shared for address, request in requests.items() if address.startswith(f"{stage}/")}
        assert len(boards) == 1


def test_an_answer_prompt_holds_every_challenge_to_that_specialist_and_the_claim_in_full(library: Library) -> None:
    case_id = open_seated(library)
    report = run(library, case_id)
    requests = _requests(library, case_id)
    claims = {claim.claim_id: claim for claim in all_claims(report.statements)}
    challenges = all_challenges(report.statements)
    assert challenges
    for challenge in challenges:
        target = claims[challenge.target]
        prompt = requests[f"r5c/{target.speaker}/1"].own
        for text in (challenge.claim, challenge.ground, challenge.challenge_id, target.text, target.ground):
            assert text in prompt


def test_a_late_proposal_is_listed_with_its_proposer_and_can_be_voted_for(library: Library) -> None:
    def script(request: ChatRequest) -> str | None:
        if request.address == "r5b/hematology/1":
            said = "ACT: PROPOSE\nPROPOSAL: Zieve syndrome\nSTANCE: EXTEND\nCLAIM: It fits.\nGROUND: Known.\nFINDINGS: S1\n"
            return f"TARGET: {_options(request)[0]}\n{said}"
        if request.address.startswith("r6/"):
            others = [name for name in _options(request) if "Zieve" not in name]
            return f"BALLOT: Zieve syndrome, {others[0]}, {others[1]}\nCONFIDENCE: low\n"
        return None

    case_id = open_seated(library)
    report = run(library, case_id, ScriptedModel(script))
    settle_all(library, case_id, report)
    released = replay(library, case_id)
    late = next(row for row in report_list(released) if "zieve" in row.canonical)
    assert late.proposers == ("hematology",)
    assert late.entered == "r5b"
    assert released.differential is not None
    assert released.differential.ranking.rows[0].diagnosis_id == late.diagnosis_id


def test_a_reply_that_did_not_end_is_asked_once_more_and_then_an_abstention(library: Library) -> None:
    def script(request: ChatRequest) -> str | None:
        return "DIAGNOSIS: Half a" if request.address.startswith("r3/neurology/") else None

    case_id = open_seated(library)
    report = run(library, case_id, ScriptedModel(script))
    assert {"r3/neurology/1", "r3/neurology/2"} <= set(_requests(library, case_id))
    (abstention,) = (s for s in report.statements if isinstance(s, Abstention))
    assert abstention.speaker == "neurology"
    assert "Half a" not in msgspec.json.encode(report.statements).decode()
    assert any(
        isinstance(s, BallotStatement) and s.speaker == "neurology"
        for s in replay_released(library, case_id).statements
    )


def test_a_panel_that_only_abstains_gives_a_report_without_a_differential(library: Library) -> None:
    case_id = open_seated(library)
    report = run(library, case_id, ScriptedModel(lambda request: ""))
    assert all(isinstance(statement, Abstention) for statement in report.statements)
    settle_all(library, case_id, report)
    assert replay(library, case_id).differential is None


def test_an_abstention_at_the_ballot_lowers_the_quorum(library: Library) -> None:
    case_id = open_seated(library)
    run(library, case_id, ScriptedModel(lambda request: "" if request.address.startswith("r6/neurology") else None))
    released = replay_released(library, case_id)
    assert released.differential is not None
    assert (released.differential.quorum, released.differential.seats) == (4, 5)


@pytest.mark.parametrize("specialists", [1, 3, 5])
def test_panels_of_one_three_and_five_come_to_a_differential(library: Library, specialists: int) -> None:
    case_id = open_seated(library, ConsultSettings(specialists=specialists))  # type: ignore[arg-type]
    run(library, case_id)
    released = replay_released(library, case_id)
    assert released.status == "released"
    assert released.differential is not None
    assert released.differential.quorum == specialists


def test_a_name_given_twice_under_another_word_ends_the_list(library: Library) -> None:
    def script(request: ChatRequest) -> str | None:
        if not request.address.startswith(("r3/", "noise/", "referee/")):
            return None
        rest = "CLAIM: It fits.\nGROUND: Known.\nGROUND-KIND: finding\nFOR: S1\nAGAINST: none\n"
        names = ("Myocardial infarction", "Heart attack", "Pericarditis")
        return "".join(f"DIAGNOSIS: {name}\n{rest}" for name in names) + "END\n"

    report = run(library, open_seated(library), ScriptedModel(script))
    for statement in report.statements:
        if isinstance(statement, DifferentialStatement):
            assert [claim.diagnosis for claim in statement.claims] == ["Myocardial infarction"]
            assert statement.repeated == "Heart attack"


def test_while_flags_are_open_the_report_holds_nothing_that_ranks(library: Library) -> None:
    report = run(library, open_seated(library))
    assert report.status == "withheld"
    assert report.differential is report.refereeing is report.cara is None
    assert not any(isinstance(statement, BallotStatement) for statement in report.statements)
    for statement in report.statements:
        if isinstance(statement, DifferentialStatement):
            names = [claim.diagnosis.casefold() for claim in statement.claims]
            assert names == sorted(names)
        elif isinstance(statement, MasterList):
            assert not any(row.proposers for row in statement.diagnoses)
        elif isinstance(statement, PositionStatement | AnswerStatement):
            assert (statement.leading, statement.leading_cause) == (WITHHELD, None)


def test_a_change_always_names_its_cause(library: Library) -> None:
    report = run(library, open_seated(library))
    holdings = [h for s in report.statements if isinstance(s, AnswerStatement) for h in s.holdings]
    assert holdings
    for holding in holdings:
        assert (holding.status == "CHANGED") == (holding.cause is not None)


def test_what_a_specialist_did_not_name_itself_cannot_be_maintained(library: Library) -> None:
    case_id = open_seated(library)
    run(library, case_id)
    report = replay_released(library, case_id)
    rows = {row.diagnosis_id: row for row in report_list(report)}
    for statement in report.statements:
        if isinstance(statement, AnswerStatement):
            for holding in statement.holdings:
                if statement.speaker not in rows[holding.diagnosis_id].proposers:
                    assert holding.status == "CHANGED"


def test_an_unfinished_case_cannot_be_replayed(library: Library) -> None:
    with pytest.raises(NotRecorded, match="r1/"):
        replay(library, open_seated(library))


def test_another_seed_does_not_pass_for_the_recorded_case(library: Library) -> None:
    case_id = open_seated(library)
    run(library, case_id)
    other = msgspec.structs.replace(loaded(library, case_id), seed=8)
    from core.consult.pipeline import consult

    with pytest.raises(LogMismatch):
        consult(other, Recorder(library, case_id))


def test_two_cases_share_nothing(library: Library) -> None:
    first, second = open_seated(library, seed=1), open_seated(library, seed=2)
    run(library, first)
    run(library, second)
    assert replay(library, first).case.case_id == first
    assert replay(library, first).statements != replay(library, second).statements


def test_the_log_of_the_sample_case_is_as_it_was(library: Library) -> None:
    """Golden: a difference means that another protocol is followed. Then PROTOCOL_VERSION must rise; write the file anew
    with `python -m tests.core.consult.write_golden`."""
    case_id = open_seated(library)
    run(library, case_id)
    recorded = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
    assert golden_rows(library, case_id) == recorded


def golden_rows(library: Library, case_id: str) -> list[dict[str, str]]:
    from hashlib import blake2b

    rows = []
    for event in library.events(case_id):  # type: ignore[arg-type]
        if isinstance(event, CallFinished):
            digest = blake2b(msgspec.json.encode(event.request), digest_size=16).hexdigest()
            rows.append({"address": event.request.address, "request": digest, "reply": event.reply.text})
    return rows


def test_every_script_reply_is_a_filled_in_form() -> None:
    form: Form = differential_form(("S1", "S2"))
    assert form.parse(filled_in(_request(form))).items("DIFFERENTIAL")


def _request(form: Form) -> ChatRequest:
    from core.ports import Address, Sampling

    return ChatRequest(
        address=Address("r3/a/1"), system="", shared=(), own="", form=form, sampling=Sampling(temperature=0.0), seed=5
    )


def _options(request: ChatRequest) -> list[str]:
    """What can be picked in the first field of a form."""
    field = request.form.fields[0]
    assert isinstance(field, Choice | Picks)
    return [option if isinstance(option, str) else option.name for option in field.options]


def _requests(library: Library, case_id: str) -> dict[str, ChatRequest]:
    events = library.events(case_id)  # type: ignore[arg-type]
    return {event.request.address: event.request for event in events if isinstance(event, CallFinished)}


def report_list(report):  # type: ignore[no-untyped-def]
    return listed_diagnoses(report.statements)
