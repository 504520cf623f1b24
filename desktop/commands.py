"""What the commands of the command line do. Facts go to standard output, progress and notices to standard error."""

import argparse
import getpass
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.domain.case import CaseId, FindingId
from core.errors import Stopped, WrongKey
from core.settings import ConsultSettings
from desktop.bootstrap import FORMATS, Workplace
from desktop.exit_codes import DONE, WITHHELD
from desktop.live import Live
from desktop.shelves import scorer_missing

PASSPHRASE_VARIABLE = "GROUND_ROUNDS_PASSPHRASE"


def review(options: argparse.Namespace) -> int:
    from core.consult.intake import read_case_bytes, read_case_file

    from_pipe = options.file == "-"
    text = read_case_bytes(sys.stdin.buffer.read(), "standard input") if from_pipe else read_case_file(options.file)
    settings = ConsultSettings(
        specialists=options.specialists,
        catfish_model=options.catfish_model,
        catfish_times=0 if options.no_catfish else ConsultSettings().catfish_times,
    )
    with workplace(options) as work:
        if options.out is not None:
            work.check_folder(options.out)
        opened = work.begin(text, settings, options.model, options.seed)
        for warning in opened.warnings:
            notice(f"The vignette does not say: {warning}.")
        return _work_up(work, opened.case_id, options)


def resume(options: argparse.Namespace) -> int:
    with workplace(options) as work:
        return _work_up(work, CaseId(options.case), options)


def rerun(options: argparse.Namespace) -> int:
    with workplace(options) as work:
        if options.out is not None:
            work.check_folder(options.out)
        left_out = tuple(FindingId(finding.upper()) for finding in options.exclude)
        case_id = work.begin_without(CaseId(options.case), left_out)
        notice(
            f"Case {case_id} continues case {options.case} from round 3 on. Once both are released, see them side by side "
            f"with: ground-rounds compare {options.case} {case_id}"
        )
        return _work_up(work, case_id, options)


def _work_up(work: Workplace, case_id: CaseId, options: argparse.Namespace) -> int:
    """Run the case to its end, write the documents, say where they are."""
    folder = options.out or Path(case_id)
    work.check_folder(folder)
    seats = work.panel_size(case_id)
    if (reason := scorer_missing()) is not None:
        notice(f"Alignment of reasoning will not be measured. {reason}")
    started = time.monotonic()
    cancel = threading.Event()
    with _interruptible(cancel), Live(seats, sys.stderr) as live:
        try:
            work.run(case_id, live.take, cancel)
        except Stopped:
            live.close()
            notice(f"What was answered is kept. Go on with: ground-rounds resume {case_id}")
            raise
    if options.acknowledge is not None:
        work.acknowledge(case_id, options.acknowledge)
    written = work.write_documents(case_id, folder)
    report = work.report(case_id)
    if options.json:
        facts = {
            "case": case_id,
            "status": report.status,
            "withheld_because": report.withheld_because,
            "documents": [str(path) for path in written],
            "seconds": round(time.monotonic() - started, 1),
        }
        print(json.dumps(facts, ensure_ascii=False))
    else:
        print(f"Case {case_id}: {report.status}. Reports:")
        for path in written:
            print(f"  {path}")
    said = [report.viability_note, *(note for model in report.models if model.parameters for note in model.notes)]
    for sentence in filter(None, said):
        notice(sentence)
    if report.status == "withheld":
        notice(
            f"The differential is withheld: {len(report.withheld_because)} can't-miss points are not settled. Read them in the "
            f"report, settle them in the window, or run: ground-rounds resume {case_id} --acknowledge 'YOUR NAME'"
        )
        return WITHHELD
    return DONE


def cases(options: argparse.Namespace) -> int:
    with workplace(options) as work:
        found = work.find_cases(" ".join(options.search))
    if options.json:
        rows = [{"case": e.case_id, "title": e.title, "opened_at": e.opened_at, "state": e.state} for e in found]
        print(json.dumps(rows, ensure_ascii=False))
        return DONE
    for entry in found:
        print(f"{entry.case_id}  {entry.state:<11}  {entry.title}")
    if not found:
        notice("No case found.")
    return DONE


def report(options: argparse.Namespace) -> int:
    with workplace(options) as work:
        case_id = CaseId(options.case)
        document = work.documents(case_id)[f"report.{options.format}"]
        status = work.report(case_id).status
        if options.out is None:
            sys.stdout.buffer.write(document)
            sys.stdout.flush()
        else:
            work.write_document(case_id, FORMATS[options.format], document, options.out)
            print(json.dumps({"document": str(options.out), "status": status}) if options.json else options.out)
    return WITHHELD if status == "withheld" else DONE


def compare(options: argparse.Namespace) -> int:
    first, second = map(CaseId, options.cases)
    with workplace(options) as work:
        document = work.comparison(first, second, options.format)
        if options.out is None:
            sys.stdout.buffer.write(document)
            sys.stdout.flush()
        else:
            work.write_comparison(first, second, document, options.out)
            print(json.dumps({"document": str(options.out)}) if options.json else options.out)
    return DONE


def names(options: argparse.Namespace) -> int:
    """The list of diagnoses with all wordings, after the ruling that is asked for."""
    from core.render.names import list_facts, list_text

    with workplace(options) as work:
        case_id = CaseId(options.case)
        if options.join is not None:
            work.rule_on_names(case_id, "join", options.join, options.by, options.reason)
        elif options.split is not None:
            work.rule_on_names(case_id, "split", (options.split,), options.by, options.reason)
        report, ruled = work.report(case_id), work.names(case_id)
    print(list_facts(report, ruled) if options.json else list_text(report, ruled), end="")
    if report.status == "withheld":
        notice("The ranking is withheld until every can't-miss flag is settled; this is the order of the alphabet.")
        return WITHHELD
    return DONE


def verify(options: argparse.Namespace) -> int:
    with workplace(options) as work:
        head = work.library.verify()
    if options.json:
        print(json.dumps({"rows": head.count, "head": head.chain, "whole": True}))
    else:
        print(f"The library is whole: {head.count} rows, head of the chain {head.chain}")
    return DONE


def cara(options: argparse.Namespace) -> int:
    """Measure a transcript of any multi-agent system; needs no library."""
    from core.render.transcript import render_transcript_scores, transcript_facts
    from desktop.shelves import score_transcript_file

    cancel = threading.Event()
    with _interruptible(cancel):
        transcript, scores = score_transcript_file(options.file, cancel)
    if scores.cara.not_measured is not None and (reason := scorer_missing()):
        notice(reason)
    print(transcript_facts(scores) if options.json else render_transcript_scores(transcript, scores), end="")
    return DONE


def models(options: argparse.Namespace) -> int:
    from desktop.model_commands import ACTIONS

    return ACTIONS[options.action](options)


def self_check(options: argparse.Namespace) -> int:
    from desktop.self_check import run_checks

    return run_checks(as_json=options.json)


def notice(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)


@contextmanager
def workplace(options: argparse.Namespace) -> Iterator[Workplace]:
    """The library that was asked for, closed at the end whatever happens."""
    work = _opened(options.library)
    try:
        yield work
    finally:
        work.close()


def _opened(path: Path | None) -> Workplace:
    passphrase = os.environ.get(PASSPHRASE_VARIABLE)
    try:
        return Workplace.open(path, passphrase, notice)
    except WrongKey:
        if passphrase is not None or not sys.stdin.isatty():
            raise
    return Workplace.open(path, getpass.getpass("Passphrase of the library: "), notice)


@contextmanager
def _interruptible(cancel: threading.Event) -> Iterator[None]:
    """The first Ctrl+C asks the panel to stop, which takes a moment; the second one ends the program."""

    def stop(number: int, frame: object) -> None:
        if cancel.is_set():
            raise KeyboardInterrupt
        cancel.set()

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
