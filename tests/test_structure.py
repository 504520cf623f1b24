"""Rules of the house that a reader would otherwise have to remember."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CODE = sorted(
    path for folder in ("core", "models", "desktop", "packaging", "tests") for path in (ROOT / folder).rglob("*.py")
)
PRODUCT = [path for path in CODE if path.relative_to(ROOT).parts[0] in ("core", "models", "desktop")]
MAY_CATCH_ALL = {
    "core/log/keys.py": "backends of the keyring raise anything; each means that there is none",
    "core/log/recorder.py": "the gate records that a call failed, then raises again",
    "core/log/store.py": "cleans up, then raises again",
    "core/log/cipher.py": "cleans up, then raises again",
    "desktop/worker.py": "hands a bug to the crash dialog",
    "models/serving.py": "hands a bug to the parent process",
    "models/scoring/network.py": "the tokenizer library raises bare Exception",
    "models/gguf/engine.py": "forgets the memory, then raises again",
}
NAMES_THAT_SAY_NOTHING = {"utils", "helpers", "common", "manager", "base", "misc"}


def test_packaging_is_no_package() -> None:
    assert not (ROOT / "packaging" / "__init__.py").exists()


@pytest.mark.parametrize("path", CODE, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_are_short_and_documented(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= 400
    assert ast.get_docstring(ast.parse(text)), "a file says at its top what it is for"
    assert path.stem not in NAMES_THAT_SAY_NOTHING


@pytest.mark.parametrize("path", PRODUCT, ids=lambda path: str(path.relative_to(ROOT)))
def test_functions_are_short(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            assert node.end_lineno is not None
            assert node.end_lineno - node.lineno < 60, node.name


@pytest.mark.parametrize("path", PRODUCT, ids=lambda path: str(path.relative_to(ROOT)))
def test_only_few_places_catch_everything(path: Path) -> None:
    name = path.relative_to(ROOT).as_posix()
    broad = re.findall(r"except(?: \(?(?:Base)?Exception\b|:)", path.read_text(encoding="utf-8"))
    assert not broad or name in MAY_CATCH_ALL


def test_no_mocks() -> None:
    for path in CODE:
        text = path.read_text(encoding="utf-8")
        assert "unittest" + ".mock" not in text, path
        assert "monkeypatch" + ".setattr" not in text, path


def test_no_machine_paths_or_registry_hosts() -> None:
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    assert tracked
    forbidden = re.compile(r"(?<![\w.])/(?:work|root|tmp|home/\w+)/|py" + r"pi\.org|python" + "hosted")
    for name in tracked:
        path = ROOT / name
        if path.suffix in (".py", ".md", ".toml", ".lock", ".txt", ".cfg", "") and path.is_file():
            assert not forbidden.search(path.read_text(encoding="utf-8")), name


def test_every_prompt_is_used_by_the_code() -> None:
    used = " ".join(path.read_text(encoding="utf-8") for path in PRODUCT)
    for prompt in (ROOT / "core" / "prompts").glob("*.md"):
        assert re.search(rf'fill\(\s*"{prompt.stem}"', used), prompt.stem


def test_the_command_line_loads_neither_qt_nor_an_engine() -> None:
    code = (
        "import sys, desktop.cli as cli\n"
        "try: cli.run(['--help'])\n"
        "except SystemExit: pass\n"
        "assert not {'PySide6', 'llama_cpp', 'numpy', 'sqlcipher3'} & set(sys.modules), sys.modules.keys()\n"
        "import desktop.commands\n"
        "assert not {'PySide6', 'llama_cpp'} & set(sys.modules)\n"
    )
    import sys

    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True)
