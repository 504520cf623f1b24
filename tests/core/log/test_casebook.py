"""A case is what the clinician put into it, in order, and closed once it is signed."""

import hashlib

import msgspec
import pytest
from sqlcipher3 import dbapi2

from core.domain.appraisal import CantMissReview
from core.domain.case import CaseId, Finding, FindingId, FlagId, Vignette
from core.domain.panel import Panel
from core.domain.report import Report
from core.errors import BadInput, NotWritable
from core.forms import Form, Text
from core.log.casebook import (
    add_note,
    find_cases,
    issue_report,
    latest_report,
    load_case,
    open_case,
    reopen_without,
    seat_panel,
    settle,
    sign_off,
)
from core.log.events import (
    CallCancelled,
    CallFailed,
    CallFinished,
    CaseOpened,
    Event,
    PairsScored,
    PanelSeated,
    ReportIssued,
)
from core.ports import Address, ChatRequest, ContradictionRequest, ModelIdentity, Reply, Sampling
from core.settings import ConsultSettings

FLAG = FlagId("aortic-dissection")


def state(library, case_id) -> str:
    return next(entry.state for entry in find_cases(library) if entry.case_id == case_id)


def test_new_case_is_what_was_given(library, vignette):
    case_id = open_case(library, vignette, ConsultSettings(specialists=3), 11, "tiny", "A title")
    case = load_case(library, case_id)
    assert (case.title, case.vignette, case.seed, case.model_id) == ("A title", vignette, 11, "tiny")
    assert case.settings == ConsultSettings(specialists=3)
    assert case.panel == Panel(specialists=())
    assert case.opened_at == "2026-03-01T08:00:01.000+00:00"


def test_ids_are_dated_short_distinct_and_say_nothing_of_the_patient(new_case):
    ids = {new_case("Chest pain") for _ in range(50)}
    assert len(ids) == 50
    assert {(case_id[:11], len(case_id)) for case_id in ids} == {("2026-03-01-", 17)}


@pytest.mark.parametrize("seed", [-1, 2**31])
def test_seed_has_bounds(library, vignette, seed):
    with pytest.raises(BadInput, match="seed"):
        open_case(library, vignette, ConsultSettings(), seed, "tiny", "x")


def test_case_can_continue_another(library, new_case, case_id):
    later = new_case("Later", continues=case_id)
    assert load_case(library, later).continues == case_id
    assert load_case(library, later).excluded == ()
    with pytest.raises(BadInput, match="holds no case"):
        new_case("Later", continues=CaseId("nobody"))


def test_latest_panel_counts_until_the_consultation_begins(library, case_id, panel):
    seat_panel(library, case_id, Panel(specialists=panel.specialists[:1]), "Dr. Ruiz")
    seat_panel(library, case_id, panel, "Dr. Ruiz")
    assert load_case(library, case_id).panel == panel
    for address, refused in (("panel/proposal/1", False), ("r1/cardiology/1", True)):
        request = ContradictionRequest(address=Address(address), pairs=())
        library.append(case_id, PairsScored(request=request, scores=None))
        if refused:
            with pytest.raises(BadInput, match="has begun"):
                seat_panel(library, case_id, panel, "Dr. Ruiz")
        else:
            seat_panel(library, case_id, panel, "Dr. Ruiz")


def answered(address: str, ended: str = "complete") -> CallFinished:
    return CallFinished(
        request=ChatRequest(
            address=Address(address), system="", shared=(), own="", sampling=Sampling(temperature=0.0), seed=1,
            form=Form(name="why", fields=(Text(label="WHY", max_chars=9),)),
        ),
        reply=Reply(
            text="WHY: x\n", ended=ended, prompt_tokens=1, evaluated_tokens=1, decoded_tokens=1, forced_tokens=0, seconds=0.0,
            model=ModelIdentity(
                model_id="tiny", file_sha256="0" * 64, parameters=0, quantization="none", context_tokens=100, engine="tiny 1",
                device="none",
            ),
        ),
    )  # fmt: skip


@pytest.fixture
def triaged(library, panel) -> CaseId:
    """Six findings, a panel that was seated twice, rounds 1 and 2 with one abstention, and the begin of round 3."""
    findings = tuple(Finding(finding_id=FindingId(f"S{n}"), text=f"Finding number {n}.") for n in range(1, 7))
    case_id = open_case(
        library, Vignette(text="Six findings.", findings=findings), ConsultSettings(), 7, "tiny", "Pain"
    )
    library.append(case_id, answered("panel/chair/1"))
    seat_panel(library, case_id, Panel(specialists=panel.specialists[:1]), "Dr. Ruiz")
    seat_panel(library, case_id, panel, "Dr. Ruiz")
    for seat in ("cardiology", "neurology"):
        library.append(case_id, answered(f"r1/{seat}/1"))
    library.append(case_id, answered("r2/cardiology/1"))
    library.append(case_id, answered("r2/neurology/1", "context_full"))
    with pytest.raises(BadInput, match="not finished"):
        reopen_without(library, case_id, [FindingId("S2")])
    library.append(case_id, answered("r2/neurology/2", "context_full"))
    library.append(case_id, answered("r3/cardiology/1"))
    settle(library, case_id, FLAG, "taken_in", "", "Dr. Ruiz")
    add_note(library, case_id, "A note.", "Dr. Ruiz")
    return case_id


def test_reopened_case_has_panel_and_early_rounds_and_nothing_else(library, triaged):
    later = reopen_without(library, triaged, [FindingId("S5"), FindingId("S2")])
    before, after = load_case(library, triaged), load_case(library, later)
    assert (after.continues, after.excluded, after.title) == (triaged, ("S2", "S5"), "Pain, without S2, S5")
    assert (after.vignette, after.panel, after.settings, after.seed, after.model_id) == (
        before.vignette, before.panel, before.settings, before.seed, before.model_id,
    )  # fmt: skip
    assert (after.settlements, after.notes) == ((), ())
    assert after.opened_at > before.opened_at
    kinds = [type(event) for event in library.events(later)]
    assert kinds == [CaseOpened, PanelSeated, *[CallFinished] * 6]
    copied = [event for event in library.events(later) if isinstance(event, CallFinished)]
    assert [call for call in library.events(triaged) if isinstance(call, CallFinished)][:6] == copied
    assert state(library, later) == "under_way"


def test_a_signed_case_can_be_taken_up_again(library, triaged):
    sign_off(library, triaged, "Dr. Ruiz", "attending", "I agree.")
    assert load_case(library, reopen_without(library, triaged, [FindingId("S2")])).continues == triaged


def test_a_case_is_reopened_whole_or_not_at_all(library, triaged):
    library._database.execute(
        "create temp trigger full before insert on event when new.body like '%r2/neurology/2%' "
        "begin select raise(abort, 'no more'); end"
    )
    rows = library.head().count
    with pytest.raises(dbapi2.IntegrityError, match="no more"):
        reopen_without(library, triaged, [FindingId("S2")])
    library._database.execute("drop trigger full")
    assert library.head().count == rows
    assert len(find_cases(library)) == 1
    library.verify()


def test_a_case_that_was_opened_before_findings_could_be_left_out_still_reads(library, case_id):
    body = msgspec.to_builtins(library.events(case_id)[0])
    del body["excluded"]
    opened = msgspec.convert(body, Event)
    assert opened == library.events(case_id)[0]


def test_settlements_and_notes_are_kept_in_order(library, case_id):
    settle(library, case_id, FLAG, "needs_test", "CT angiography", "Dr. Ruiz")
    add_note(library, case_id, "CT is normal", "Dr. Ruiz")
    settle(library, case_id, FLAG, "excluded", "CT angiography is normal", "Dr. Ruiz")
    case = load_case(library, case_id)
    assert [settlement.decision for settlement in case.settlements] == ["needs_test", "excluded"]
    assert case.settlements[0].at < case.notes[0].at < case.settlements[1].at


@pytest.mark.parametrize(
    ("decision", "reason", "by"),
    [("excluded", "normal CT", " "), ("excluded", "", "Dr. Ruiz"), ("needs_test", " ", "x")],
)
def test_nothing_is_settled_by_nobody_or_without_a_reason(library, case_id, decision, reason, by):
    with pytest.raises(BadInput):
        settle(library, case_id, FLAG, decision, reason, by)
    assert load_case(library, case_id).settlements == ()


def test_taking_in_needs_no_reason(library, case_id):
    settle(library, case_id, FLAG, "taken_in", "", "Dr. Ruiz")
    assert load_case(library, case_id).settlements[0].decision == "taken_in"


def test_signed_case_is_closed(library, case_id, panel):
    with pytest.raises(BadInput, match="give a name"):
        sign_off(library, case_id, "", "attending", "I agree.")
    sign_off(library, case_id, "Dr. Ruiz", "attending", "I agree.")
    for refused in (
        lambda: settle(library, case_id, FLAG, "taken_in", "", "Dr. Ruiz"),
        lambda: add_note(library, case_id, "late", "Dr. Ruiz"),
        lambda: seat_panel(library, case_id, panel, "Dr. Ruiz"),
        lambda: sign_off(library, case_id, "Dr. Chen", "resident", "Me too."),
    ):
        with pytest.raises(BadInput, match=r"signed off by Dr\. Ruiz"):
            refused()
    assert state(library, case_id) == "signed_off"


def test_notes_need_words_and_a_writer(library, case_id):
    for text, by in ((" ", "Dr. Ruiz"), ("x", "")):
        with pytest.raises(BadInput):
            add_note(library, case_id, text, by)


def test_unknown_case_is_told(library):
    with pytest.raises(BadInput, match="holds no case"):
        load_case(library, CaseId("2026-01-01-nobody"))


def test_state_follows_what_happened_last(library, case_id, panel):
    address = Address("r1/cardiology/1")
    states = [state(library, case_id)]
    seat_panel(library, case_id, panel, "Dr. Ruiz")
    states.append(state(library, case_id))
    for event in (
        PairsScored(request=ContradictionRequest(address=address, pairs=()), scores=None),
        CallCancelled(addresses=(address,)),
        CallFailed(addresses=(address,), sentence="The engine died."),
        ReportIssued(report="{}", format="json", document_sha256="0" * 64, protocol_version=1),
    ):
        library.append(case_id, event)
        add_note(library, case_id, "a note changes nothing", "Dr. Ruiz")
        states.append(state(library, case_id))
    assert states == ["opened", "seated", "under_way", "stopped", "failed", "reported"]


def test_issued_report_comes_back_and_names_its_document(library, case_id):
    report = Report(
        case=load_case(library, case_id),
        status="withheld",
        withheld_because=("Flags are open.",),
        immediate=(),
        statements=(),
        cara=None,
        refereeing=None,
        cant_miss=CantMissReview(flags=(), checklist=()),
        differential=None,
        models=(),
        viability_note=None,
        figures=(),
        left_out=(),
    )
    assert latest_report(library, case_id) is None
    issue_report(library, report, "html", b"<html>")
    sign_off(library, case_id, "Dr. Ruiz", "attending", "I agree.")
    later = msgspec.structs.replace(report, status="released", withheld_because=())
    issue_report(library, later, "pdf", b"%PDF")
    assert latest_report(library, case_id) == later
    issued = [event for event in library.events(case_id) if isinstance(event, ReportIssued)]
    assert [event.document_sha256 for event in issued] == [
        hashlib.sha256(document).hexdigest() for document in (b"<html>", b"%PDF")
    ]
    assert state(library, case_id) == "signed_off"


def test_what_cannot_be_written_is_told_and_not_kept(library, case_id):
    library._database.execute("pragma query_only = on")
    with pytest.raises(NotWritable):
        add_note(library, case_id, "x", "Dr. Ruiz")
    assert load_case(library, case_id).notes == ()
