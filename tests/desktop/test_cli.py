"""The command line as a user sees it: exit codes, sentences, documents."""

import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from tests.models.scoring.tiny import tiny_folder

ROOT = Path(__file__).parent.parent.parent
SAMPLE = ROOT / "desktop" / "resources" / "sample_case.txt"
ENVIRONMENT = dict(os.environ)
"""As it is outside of the tests of the window, which have an empty shelf of their own."""
CANARY = "Zebrafinch-4711"


class Desk:
    """A fresh library and an empty folder to work in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.library = folder / "library"
        self.environment = {
            **ENVIRONMENT,
            "GROUND_ROUNDS_PASSPHRASE": "correct horse",
            "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
        }

    def start(self, *arguments: str, library: bool = True) -> "subprocess.Popen[bytes]":
        extra = ["--library", str(self.library)] if library else []
        return subprocess.Popen(
            [sys.executable, "-m", "desktop", *arguments, *extra], cwd=self.folder, env=self._environment(),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    def run(self, *arguments: str, stdin: bytes = b"", library: bool = True) -> tuple[int, str, str]:
        process = self.start(*arguments, library=library)
        out, err = process.communicate(stdin, timeout=120)
        return process.returncode, out.decode(), err.decode()

    def _environment(self) -> dict[str, str]:
        return {**self.environment, "PYTHONPATH": str(ROOT)}

    def review(self, *more: str) -> tuple[int, str, str]:
        return self.run("review", str(SAMPLE), "--model", "scripted", "--json", *more)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_help_is_there_at_once(desk: Desk) -> None:
    code, out, _ = desk.run("--help", library=False)
    assert code == 0
    for command in ("review", "resume", "cases", "report", "verify", "models", "self-check", "cara"):
        assert command in out
    for command in ("rerun", "compare"):
        assert command in out


def test_a_case_is_withheld_until_somebody_stands_for_it(desk: Desk) -> None:
    code, out, err = desk.review("--out", "documents")
    facts = json.loads(out)
    assert (code, facts["status"]) == (3, "withheld")
    assert "withheld" in err
    assert {Path(path).name for path in facts["documents"]} == {"report.html", "report.md", "report.json"}
    assert json.loads((desk.folder / "documents/report.json").read_text(encoding="utf-8"))
    code, out, _ = desk.run("resume", facts["case"], "--acknowledge", "Dr. Vogel", "--out", "documents", "--json")
    assert (code, json.loads(out)["status"]) == (0, "released")
    code, out, _ = desk.run("report", facts["case"], "--format", "md")
    assert code == 0
    assert "Dr. Vogel" in out


def test_a_finding_is_left_out_and_both_cases_stand_side_by_side(desk: Desk) -> None:
    first = json.loads(desk.review("--acknowledge", "Dr. Vogel")[1])["case"]
    code, out, err = desk.run("rerun", first, "--exclude", "s4", "S14", "--out", "again", "--json")
    second = json.loads(out)["case"]
    assert (code, json.loads(out)["status"]) == (3, "withheld")
    assert f"ground-rounds compare {first} {second}" in err
    _, _, err = _one_sentence(desk.run("compare", first, second))
    assert f"case {second} is withheld" in err
    code, _, _ = desk.run("resume", second, "--acknowledge", "Dr. Vogel", "--out", "again")
    assert code == 0
    assert f"case {first}" in (desk.folder / "again" / "report.md").read_text(encoding="utf-8").split("##")[1]
    for form in ("md", "html"):
        code, out, _ = desk.run("compare", first, second, "--format", form)
        assert code == 0
        assert "side by side" in out
        assert "dark urine" in out
    rows = json.loads(desk.run("verify", "--json")[1])["rows"]
    code, out, err = desk.run("compare", first, second, "--format", "json", "--out", "both/comparison.json")
    assert (code, out, err) == (0, f"{Path('both/comparison.json')}\n", "")
    made = json.loads((desk.folder / "both" / "comparison.json").read_text(encoding="utf-8"))["comparison"]
    assert [finding["finding_id"] for finding in made["a"]["only_here"]] == ["S4", "S14"]
    assert made["differences"] == []
    # For both cases the log knows that something left the library.
    assert json.loads(desk.run("verify", "--json")[1])["rows"] == rows + 2
    (desk.folder / "file").write_text("", encoding="utf-8")
    _one_sentence(desk.run("compare", first, second, "--out", str(desk.folder / "file" / "x")))


@pytest.mark.parametrize("excluded", [["S99"], ["fever"], [f"S{n}" for n in range(1, 18)]])
def test_what_cannot_be_left_out_is_one_sentence_and_opens_no_case(desk: Desk, excluded: list[str]) -> None:
    first = json.loads(desk.review()[1])["case"]
    _, _, err = _one_sentence(desk.run("rerun", first, "--exclude", *excluded))
    assert "fever" not in err.lower()
    assert len(json.loads(desk.run("cases", "--json")[1])) == 1
    assert desk.run("rerun", first)[0] == 2


def test_names_are_joined_and_split_and_the_ranking_follows(desk: Desk) -> None:
    case = json.loads(desk.review()[1])["case"]
    code, out, err = desk.run("names", case)
    assert (code, "points" in out) == (3, False)
    assert "order of the alphabet" in err
    names = [line.rsplit(" (", 1)[0] for line in out.splitlines() if not line.startswith(" ")]
    assert names == sorted(names, key=str.casefold)
    desk.run("resume", case, "--acknowledge", "Dr. Vogel")
    before = json.loads(desk.run("names", case, "--json")[1])
    first, second = (row["name"] for row in before["rows"][:2])
    joined = ("names", case, "--join", second.upper(), first, "--by", "Dr. Vogel", "--reason", "One disease.")
    _one_sentence(desk.run("names", case, "--join", second, first))
    code, out, err = desk.run(*joined)
    assert (code, err) == (0, "")
    assert out.startswith(f"1. {second} (")
    assert f"wordings: {second}; {first}\n" in out
    _one_sentence(desk.run(*joined))
    text = desk.run("report", case, "--format", "md")[1]
    assert "One disease" in text[text.index("Names joined or split by the clinician\n") :]
    code, out, _ = desk.run("names", case, "--split", first, "--by", "Dr. Vogel", "--json")
    after = json.loads(out)
    assert (code, after["rows"]) == (0, before["rows"])
    assert [ruling["did"] for ruling in after["rulings"]] == ["joined", "join undone"]


@pytest.mark.parametrize(
    "ruling",
    [("--split", "Zebrafinch"), ("--join", "a", "b"), ("--split", ""), ("--join", "a", "b", "--by", "Dr. Vogel")],
)
def test_what_cannot_be_ruled_on_names_is_one_sentence(desk: Desk, ruling: tuple[str, ...]) -> None:
    case = json.loads(desk.review()[1])["case"]
    rows = json.loads(desk.run("verify", "--json")[1])["rows"]
    _, _, err = _one_sentence(desk.run("names", case, *ruling))
    assert "Zebrafinch" not in err
    (name, *_) = (row["name"] for row in json.loads(desk.run("names", case, "--json")[1])["rows"])
    _one_sentence(desk.run("names", case, "--split", name))
    assert json.loads(desk.run("verify", "--json")[1])["rows"] == rows


def test_standard_input_cases_search_and_verify(desk: Desk) -> None:
    code, _, _ = desk.run("review", "-", "--model", "scripted", "--acknowledge", "A", stdin=SAMPLE.read_bytes())
    assert code == 0
    code, out, _ = desk.run("cases", "confusion", "--json")
    assert (code, len(json.loads(out))) == (0, 1)
    code, out, _ = desk.run("cases", "nosuchword", "--json")
    assert (code, json.loads(out)) == (0, [])
    code, out, _ = desk.run("verify", "--json")
    assert code == 0
    assert json.loads(out)["rows"] > 60


def test_the_same_case_and_seed_give_the_same_words(desk: Desk) -> None:
    first, second = (json.loads(desk.review("--seed", "5")[1])["case"] for _ in range(2))
    texts = [desk.run("report", case, "--format", "md")[1] for case in (first, second)]
    debates = [text[text.index("Scripted") : text.index("sha256") if "sha256" in text else None] for text in texts]
    assert debates[0].replace(first, "") == debates[1].replace(second, "")


def test_template_tokens_in_a_case_are_no_error(desk: Desk) -> None:
    text = SAMPLE.read_text(encoding="utf-8") + "\nThe note ends with <|im_end|> and <|im_start|>system.\n"
    code, _, _ = desk.run("review", "-", "--model", "scripted", "--acknowledge", "A", stdin=text.encode())
    assert code == 0


def _word_file(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("word/document.xml", "<w:t>58-year-old man</w:t>")


BAD_CASES = {
    "empty.txt": b"",
    "blank.txt": b"  \n \n",
    "binary.txt": bytes(range(256)) * 8,
    "latin1.txt": "Temp\xe9rature 39".encode("latin-1"),
    "huge.txt": b"A 58-year-old man has chest pain. " * 32_000,
}


@pytest.mark.parametrize("name", [*BAD_CASES, "word.txt", "missing.txt", "folder.txt"])
def test_a_bad_case_file_is_one_sentence(desk: Desk, name: str) -> None:
    path = desk.folder / name
    if name in BAD_CASES:
        path.write_bytes(BAD_CASES[name])
    elif name == "word.txt":
        _word_file(path)
    elif name == "folder.txt":
        path.mkdir()
    _one_sentence(desk.run("review", str(path), "--model", "scripted", "--out", "documents"))
    assert not (desk.folder / "documents").exists()
    assert json.loads(desk.run("cases", "--json")[1]) == []


def test_an_unknown_model_names_the_known_ones(desk: Desk) -> None:
    _, _, err = _one_sentence(desk.run("review", str(SAMPLE), "--model", "gpt-99"))
    assert "qwen2.5-coder-1.5b" in err


def test_a_truncated_model_file(desk: Desk) -> None:
    from tests.models.tiny_gguf import write_tiny_llama

    path = write_tiny_llama(desk.folder / "tiny.gguf")
    path.write_bytes(path.read_bytes()[:-5000])
    _one_sentence(desk.run("review", str(SAMPLE), "--model", str(path)))
    assert json.loads(desk.run("cases", "--json")[1]) == []


def test_a_folder_that_cannot_be_written_is_told_before_the_work(desk: Desk) -> None:
    (desk.folder / "file").write_text("", encoding="utf-8")
    _one_sentence(desk.review("--out", str(desk.folder / "file" / "documents")))
    assert json.loads(desk.run("cases", "--json")[1]) == []


def test_a_wrong_passphrase_opens_nothing(desk: Desk) -> None:
    desk.review()
    desk.environment["GROUND_ROUNDS_PASSPHRASE"] = "wrong"
    _one_sentence(desk.run("cases"))


def test_a_damaged_library_is_told_and_left_alone(desk: Desk) -> None:
    desk.review()
    data = bytearray(desk.library.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 4096] = bytes(4096)
    desk.library.write_bytes(data)
    _one_sentence(desk.run("verify"))
    assert desk.library.read_bytes() == data


def test_a_case_longer_than_the_context_names_the_numbers(desk: Desk) -> None:
    from tests.models.tiny_gguf import write_tiny_llama

    path = write_tiny_llama(desk.folder / "short.gguf", context=512)
    _, _, err = _one_sentence(desk.run("review", str(SAMPLE), "--model", str(path)), last_line=True)
    assert "512" in err


def test_unknown_case_and_unfinished_case(desk: Desk) -> None:
    _one_sentence(desk.run("resume", "2026-01-01-aaaaaa"))
    _one_sentence(desk.run("report", "2026-01-01-aaaaaa", "--format", "html"))


def test_nobody_cannot_acknowledge(desk: Desk) -> None:
    _one_sentence(desk.review("--acknowledge", " "), last_line=True)


def test_patient_text_is_found_nowhere_outside_the_library(desk: Desk) -> None:
    text = SAMPLE.read_text(encoding="utf-8") + f"\nThe patient calls herself {CANARY}.\n"
    desk.run("review", "-", "--model", "scripted", stdin=text.encode(), library=True)
    (case,) = json.loads(desk.run("cases", "--json")[1])
    for path in (desk.folder / case["case"]).glob("report.*"):
        assert CANARY in path.read_text(encoding="utf-8")
        path.unlink()
    for path in desk.folder.rglob("*"):
        if path.is_file():
            assert CANARY.encode() not in path.read_bytes(), path


@pytest.mark.weights
def test_ctrl_c_keeps_what_was_answered_and_resume_goes_on(desk: Desk) -> None:
    process = desk.start("review", str(SAMPLE), "--model", "smollm2-135m", "--specialists", "1", "--json")
    assert process.stderr is not None
    lines = []
    while not any("round 3" in line for line in lines):
        lines.append(process.stderr.readline().decode())
        assert lines[-1], lines
    started = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert time.monotonic() - started < 10
    assert "ground-rounds resume" in err.decode()
    (case,) = json.loads(desk.run("cases", "--json")[1])
    code, out, _ = desk.run("resume", case["case"], "--acknowledge", "A", "--json")
    assert (code, json.loads(out)["status"]) == (0, "released")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_closes_the_window_like_its_button(desk: Desk, number: signal.Signals) -> None:
    desk.environment |= {"XDG_DATA_HOME": str(desk.folder / "data"), "QT_QPA_PLATFORM": "offscreen"}
    process = desk.start(library=False)
    library = desk.folder / "data" / "ground-rounds" / "library.ground-rounds"
    deadline = time.monotonic() + 30
    while not library.exists() and time.monotonic() < deadline:
        time.sleep(0.1)
    time.sleep(1.5)
    process.send_signal(number)
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err.decode()) == (0, "")


def _one_sentence(result: tuple[int, str, str], last_line: bool = False) -> tuple[int, str, str]:
    """Exit code 2, and on standard error a sentence of ours without a traceback."""
    code, _, err = result
    assert code == 2, err
    lines = [line for line in err.splitlines() if line]
    assert lines[-1].startswith("ground-rounds: ")
    assert "Traceback" not in err
    if not last_line:
        assert len(lines) == 1
    return result


TRANSCRIPT = ROOT / "tests" / "bench" / "transcripts" / "atropine.json"


def test_a_transcript_is_scored_without_a_library(desk: Desk) -> None:
    code, out, _ = desk.run("cara", str(TRANSCRIPT), "--json", library=False)
    cara = json.loads(out)["cara"]
    assert code == 0
    assert {step["speaker"] for step in cara["after"]["reasonings"]} == {
        "Cardiology", "Emergency medicine", "Internal medicine",
    }  # fmt: skip
    assert (cara["scorer"] is None) == (cara["not_measured"] is not None)
    code, out, _ = desk.run("cara", str(TRANSCRIPT), library=False)
    assert code == 0
    assert "Alignment is not correctness" in out
    assert not desk.library.exists()


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"no JSON", "no JSON"), (b'{"question": "q", "agents": [], "more": 1}', "unknown field"), (None, "no file")],
)
def test_a_bad_transcript_is_one_sentence(desk: Desk, content: bytes | None, said: str) -> None:
    if content is not None:
        (desk.folder / "transcript.json").write_bytes(content)
    code, out, err = desk.run("cara", "transcript.json", library=False)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1


def test_without_a_scorer_the_reason_is_told_and_no_figure_is_given(desk: Desk) -> None:
    desk.environment["GROUND_ROUNDS_MODELS"] = str(desk.folder / "empty")
    code, out, err = desk.run("cara", str(TRANSCRIPT), library=False)
    assert code == 0
    assert "not measured: no scorer installed" in out
    assert "fetch" in err or "add" in err


def test_a_scorer_that_was_added_measures_at_once(desk: Desk) -> None:
    desk.environment["GROUND_ROUNDS_MODELS"] = str(desk.folder / "models")
    for kind in ("nli", "embedding"):
        code, out, err = desk.run("models", "add", str(tiny_folder(desk.folder / kind, kind)), library=False)
        assert code == 0, err
    code, out, _ = desk.run("models", "list", "--json", library=False)
    used = {row["kind"]: row for row in json.loads(out)["scorers"] if row["used"]}
    assert set(used) == {"nli", "embedding"}
    assert {row["grade"] for row in used.values()} == {"demonstration only"}
    code, out, _ = desk.run("cara", str(TRANSCRIPT), library=False)
    assert code == 0
    assert "demonstration only" in out
    code, _, _ = desk.run("models", "remove", used["embedding"]["id"], library=False)
    assert code == 0
