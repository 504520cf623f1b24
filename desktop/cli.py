"""The command line: what can be asked for, and the exit codes. Knows no Qt; loads what a command needs when it runs.

Exit codes: 0 done · 1 a bug · 2 the user can mend it · 3 the differential is withheld · 130 stopped.
"""

import argparse
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from desktop.exit_codes import DONE, MENDABLE, STOPPED

TRIAL_MODEL = "qwen2.5-coder-1.5b"


def run(arguments: Sequence[str]) -> int:
    """Run one command; returns the exit code. A bug ends the program with its places, never with its message."""
    sys.excepthook = _tell_bug
    options = parser().parse_args(arguments)
    from core.errors import Stopped, UserError
    from desktop import commands

    command = getattr(commands, options.command.replace("-", "_"))
    try:
        return int(command(options))
    except UserError as error:
        print(f"ground-rounds: {error}", file=sys.stderr)
        return MENDABLE
    except (Stopped, KeyboardInterrupt):
        print("Stopped.", file=sys.stderr)
        return STOPPED
    except BrokenPipeError:
        return DONE  # the reader of our output went away, for instance `| head`


def _tell_bug(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """The message of a bug may quote the case, so only its type and the places in the code are printed."""
    places = "".join(traceback.format_tb(trace))
    print(
        f"{places}{kind.__name__}\nThis is a bug in Ground Rounds. Nothing that was answered is lost.", file=sys.stderr
    )


def parser() -> argparse.ArgumentParser:
    """All commands and their options."""
    top = argparse.ArgumentParser(
        prog="ground-rounds",
        description="Work up a case with a panel of local language models. Without arguments: open the window.",
        epilog="Research and education, not a medical device. The clinician decides.",
    )
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    review = commands.add_parser("review", help="work up a case from a text file, or - for standard input")
    review.add_argument("file", metavar="FILE")
    _add_documents(review)
    review.add_argument("--model", default=TRIAL_MODEL, metavar="ID|PATH|scripted", help="default: %(default)s")
    review.add_argument("--specialists", type=int, choices=(1, 3, 5), default=5, help="seats on the panel, default 5")
    review.add_argument(
        "--catfish-model", default="", metavar="ID", help="a second model that speaks where the debate collapses"
    )
    review.add_argument("--no-catfish", action="store_true", help="nobody speaks where the debate collapses")
    review.add_argument("--seed", type=int, metavar="N", help="0 to 2147483647; default: follows from the text")
    _add_common(review)
    resume = commands.add_parser("resume", help="go on with a case that was stopped")
    resume.add_argument("case", metavar="CASE")
    _add_documents(resume)
    _add_common(resume)
    _add_rerun(commands)
    cases = commands.add_parser("cases", help="list the cases of the library, newest first")
    cases.add_argument("search", nargs="*", metavar="WORD", help="only cases in which these words occur")
    _add_common(cases)
    report = commands.add_parser("report", help="write the report of a finished case, from the log alone")
    report.add_argument("case", metavar="CASE")
    report.add_argument("--format", choices=("md", "html", "json"), required=True)
    report.add_argument("--out", type=Path, metavar="FILE", help="default: standard output")
    _add_common(report)
    _add_names(commands)
    verify = commands.add_parser("verify", help="check every row of the library and name the first bad one")
    _add_common(verify)
    _add_models(commands)
    cara = commands.add_parser("cara", help="how alike the agents of a transcript reason who give the same answer")
    cara.add_argument("file", metavar="TRANSCRIPT.json", type=Path)
    cara.add_argument("--json", action="store_true", help="print facts as JSON")
    check = commands.add_parser("self-check", help="check this installation, offline")
    check.add_argument("--json", action="store_true", help="print facts as JSON")
    return top


def _add_documents(command: argparse.ArgumentParser) -> None:
    command.add_argument("--out", type=Path, metavar="DIR", help="folder for the reports, default: the id of the case")
    command.add_argument(
        "--acknowledge", metavar="NAME", help="settle all open can't-miss flags at once, in the name of this person"
    )


def _add_common(command: argparse.ArgumentParser) -> None:
    command.add_argument("--library", type=Path, metavar="PATH", help="the encrypted library, default: your own")
    command.add_argument("--json", action="store_true", help="print facts as JSON")


def _add_rerun(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    rerun = commands.add_parser("rerun", help="work a case up again from round 3 on, without some of its findings")
    rerun.add_argument("case", metavar="CASE")
    rerun.add_argument(
        "--exclude", nargs="+", required=True, metavar="ID", help="findings to leave out, for instance S4"
    )
    _add_documents(rerun)
    _add_common(rerun)
    compare = commands.add_parser("compare", help="two cases side by side, both released")
    compare.add_argument("cases", nargs=2, metavar="CASE")
    compare.add_argument("--format", choices=("html", "md", "json"), default="md", help="default: %(default)s")
    compare.add_argument("--out", type=Path, metavar="FILE", help="default: standard output")
    _add_common(compare)


def _add_names(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    names = commands.add_parser("names", help="the list of diagnoses of a finished case: join two names, split one off")
    names.add_argument("case", metavar="CASE")
    ruling = names.add_mutually_exclusive_group()
    ruling.add_argument("--join", nargs=2, metavar="NAME", help="two names are one diagnosis, shown under the first")
    ruling.add_argument("--split", metavar="NAME", help="a name that was merged or joined stands apart")
    names.add_argument("--by", default="", metavar="NAME", help="the person who rules")
    names.add_argument("--reason", default="", metavar="TEXT", help="why, for the report")
    _add_common(names)


def _add_models(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    models = commands.add_parser("models", help="the models on this machine")
    actions = models.add_subparsers(dest="action", required=True, metavar="ACTION")
    actions.add_parser("list", help="models on the shelf and models that can be fetched")
    add = actions.add_parser("add", help="take in a GGUF file, or the folder of a scoring model")
    add.add_argument("model", metavar="FILE|FOLDER", type=Path)
    actions.add_parser("get", help="fetch a known model").add_argument("model", metavar="ID")
    for name, text in (("check", "compare a model with its checksum"), ("remove", "delete a model from the shelf")):
        actions.add_parser(name, help=text).add_argument("model", metavar="ID")
    export = actions.add_parser("export", help="make an NLI or embedding model of PyTorch ready for `add`")
    more = "as python -m models.export_onnx takes them; --help there tells all"
    export.add_argument("arguments", nargs=argparse.REMAINDER, metavar="SOURCE OUT ...", help=more)
    for action in (each for name, each in actions.choices.items() if name != "export"):
        action.add_argument("--json", action="store_true", help="print facts as JSON")


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
