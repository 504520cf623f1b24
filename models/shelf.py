"""Where model files lie: a folder in which every file was checked, byte by byte, before it could be used.

The shelf holds finished files only. `<file>.part` is a download that is not finished, `<file>.bad` one that turned out
to be another file than its card promises; neither is ever used.
"""

import os
from collections.abc import Callable
from pathlib import Path
from shutil import disk_usage

import platformdirs
from msgspec import Struct

from core.errors import BadInput, DamagedModel, NotWritable, UnknownModel, UnsupportedModel
from models.checksums import Checksums
from models.durable import Progress, copy_checked, file_sha256, moved, place, silent, writing
from models.gguf_header import read_header
from models.registry import ModelCard, cards

FOLDER_VARIABLE = "GROUND_ROUNDS_MODELS"
RESERVE_BYTES = 2_000_000_000
"""Space that must stay free after a file was taken in: the library and the system need room too."""


class ShelvedModel(Struct, frozen=True, kw_only=True):
    """A model file that is whole."""

    card: ModelCard
    path: Path


class UnusableFile(Struct, frozen=True, kw_only=True):
    """A file on the shelf that is not used."""

    path: Path
    reason: str
    """One sentence for the user."""


def default_folder() -> Path:
    """The folder named by GROUND_ROUNDS_MODELS, else one in the user's data folder."""
    chosen = os.environ.get(FOLDER_VARIABLE)
    return Path(chosen) if chosen else Path(platformdirs.user_data_dir("ground-rounds", appauthor=False)) / "models"


def free_disk_bytes(folder: Path) -> int:
    """Bytes that the user may still write to the disk of a folder."""
    return disk_usage(folder).free


class Shelf:
    """One folder of model files; it is made when the first file comes in.

    `folder` is `default_folder()` unless given, `known` the models whose checksums are known (the registry's),
    `free_bytes` tells the free space of a folder.
    """

    def __init__(
        self,
        folder: Path | None = None,
        *,
        known: tuple[ModelCard, ...] | None = None,
        free_bytes: Callable[[Path], int] = free_disk_bytes,
    ) -> None:
        self._known = cards() if known is None else known
        self.folder = (folder or default_folder()).expanduser().absolute()
        self._free_bytes = free_bytes
        self._checksums = Checksums(self.folder / "checksums.json")

    def find(self, id_or_path: str | Path) -> ShelvedModel:
        """The model with this id, or the GGUF file at this path, whole and checked.

        The checksum is computed at the first sight of a file and whenever its size or time of change differs.
        Raises `UnknownModel`, `DamagedModel` (a shelved file that is not what its card promises is set aside as `.bad`)
        and `UnsupportedModel`.
        """
        path = self._locate(id_or_path)
        promised = self._promised(path)
        if promised is None:
            return ShelvedModel(card=self._card_of(path), path=path)
        if self._checksums.sha256(path) != promised.sha256:
            raise self._set_aside(path, promised)
        return ShelvedModel(card=promised, path=path)

    def check(self, id_or_path: str | Path) -> ShelvedModel:
        """As `find`, but read the whole file again, whatever is remembered of it."""
        self._checksums.forget(self._locate(id_or_path))
        return self.find(id_or_path)

    def list(self) -> tuple[ShelvedModel, ...]:
        """All models on the shelf, by file name."""
        return self._survey()[0]

    def unusable(self) -> tuple[UnusableFile, ...]:
        """Files on the shelf that cannot be used, and why; unfinished downloads are not among them."""
        return self._survey()[1]

    def add(self, source: Path, copy: bool = True, progress: Progress = silent) -> ShelvedModel:
        """Take a GGUF file in: copy it, or move it if `copy` is false. Adding a file again changes nothing.

        Raises `DamagedModel` for a file that is no whole GGUF file or has a known model's name but not its checksum,
        `UnsupportedModel`, `UnknownModel` where there is no such file, `BadInput` where another file has the name
        already, `NotWritable`. The source is untouched then.
        """
        source = source.expanduser().absolute()
        if not source.is_file():
            raise UnknownModel(f"There is no file “{source.name}” in that folder; choose a model file ending in .gguf.")
        card = self._card_of(source, progress)
        target = self.folder / card.file
        promised = self._promised(target)
        if promised not in (None, card):
            raise DamagedModel(
                f"“{source.name}” has the name of “{promised.title}” but another checksum; fetch that model again, or "
                "rename the file if it is another model."
            )
        if target.exists() and self._checksums.sha256(target) != card.sha256:
            if promised is None:
                raise BadInput(f"Another model file is called “{target.name}” already; rename yours and add it again.")
            self._set_aside(target, promised)
        if not target.exists():
            self._take_in(source, target, card, copy, progress)
        return ShelvedModel(card=card, path=target)

    def remove(self, model_id: str) -> None:
        """Delete a model's file and whatever is left of its downloads. Raises `UnknownModel`, `NotWritable`."""
        path = self._shelved_path(model_id)
        leftovers = [each for each in (path, self.part(path.name), self.bad(path.name)) if each.exists()]
        # An id never leads out of the folder.
        if path.parent != self.folder or not leftovers:
            raise UnknownModel(f"The model “{model_id}” is not on this computer; there is nothing to remove.")
        for each in leftovers:
            with writing(each):
                each.unlink()
        self._checksums.forget(path)

    def part(self, file: str) -> Path:
        """Where the unfinished download of a file lies."""
        return self.folder / f"{file}.part"

    def bad(self, file: str) -> Path:
        """Where a file is set aside that is not what it should be."""
        return self.folder / f"{file}.bad"

    def make_room(self, needed_bytes: int) -> None:
        """Make the folder, and raise `NotWritable` unless so many bytes fit and the reserve stays free."""
        with writing(self.folder):
            self.folder.mkdir(parents=True, exist_ok=True)
        free = self._free_bytes(self.folder)
        if free < needed_bytes + RESERVE_BYTES:
            raise NotWritable(
                f"The disk has {free / 1e9:.1f} GB free, but {needed_bytes / 1e9:.1f} GB are needed and "
                f"{RESERVE_BYTES / 1e9:.1f} GB must stay free; make room or choose another folder for the models."
            )

    def settle(self, unfinished: Path, card: ModelCard) -> Path:
        """Check a finished download, give it its name and throw away what was set aside before.

        Raises `DamagedModel` where the checksum is another one; the file is then set aside as `.bad`.
        """
        found = file_sha256(unfinished)
        if found != card.sha256:
            raise self._set_aside(unfinished, card)
        target = self.folder / card.file
        place(unfinished, target)
        self._checksums.remember(target, found)
        with writing(target):
            self.bad(card.file).unlink(missing_ok=True)
        return target

    def _locate(self, id_or_path: str | Path) -> Path:
        shelved = self._shelved_path(str(id_or_path))
        if shelved.parent == self.folder and shelved.is_file():
            return shelved
        given = Path(id_or_path).expanduser().absolute()
        if given.is_file():
            return given
        titles = {each.id: each.title for each in self._known}
        name = str(id_or_path)
        if name in titles:
            raise UnknownModel(f"The model “{titles[name]}” is not on this computer; fetch “{name}” first.")
        ids = ", ".join(titles)
        raise UnknownModel(
            f"There is no model or file called “{name}”; choose a file ending in .gguf or one of: {ids}."
        )

    def _shelved_path(self, model_id: str) -> Path:
        files = {each.id: each.file for each in self._known}
        return self.folder / files.get(model_id, f"{model_id}.gguf")

    def _promised(self, path: Path) -> ModelCard | None:
        """The card whose name on the shelf this is."""
        return next((each for each in self._known if self.folder / each.file == path), None)

    def _set_aside(self, path: Path, card: ModelCard) -> DamagedModel:
        aside = self.bad(card.file)
        with writing(aside):
            os.replace(path, aside)
        self._checksums.forget(path)
        return DamagedModel(
            f"The file of “{card.title}” has another checksum than it should have and is not used (it was set aside as "
            f"“{aside.name}”); fetch the model again."
        )

    def _card_of(self, path: Path, progress: Progress = silent) -> ModelCard:
        """The known card with the file's checksum, else one made from its header."""
        header = read_header(path)
        size = path.stat().st_size
        progress(0, size, f"Checking “{path.name}”")
        found = self._checksums.sha256(path)
        made = ModelCard(
            id=path.stem,
            title=header.name or path.stem,
            file=path.with_suffix(".gguf").name,
            bytes=size,
            sha256=found,
            license=header.license,
            parameters=header.parameters,
            quantization=header.quantization,
            context_tokens=header.context_tokens,
            purpose="Added by you; nothing is known here of what it is good for.",
        )
        return next((each for each in self._known if each.sha256 == found), made)

    def _take_in(self, source: Path, target: Path, card: ModelCard, copy: bool, progress: Progress) -> None:
        with writing(target):
            self.folder.mkdir(parents=True, exist_ok=True)
            there = not copy and moved(source, target)
        if not there:
            self.make_room(card.bytes)
            arriving = target.with_name(f"{target.name}.arriving")
            try:
                copy_checked(source, arriving, card.sha256, progress)
                place(arriving, target)
            finally:
                arriving.unlink(missing_ok=True)
            if not copy:
                with writing(source):
                    source.unlink()
        if not copy:
            self._checksums.forget(source)
        self._checksums.remember(target, card.sha256)

    def _survey(self) -> tuple[tuple[ShelvedModel, ...], tuple[UnusableFile, ...]]:
        models: list[ShelvedModel] = []
        unusable: list[UnusableFile] = []
        aside = sorted(self.folder.glob("*.bad"))
        for path in sorted(self.folder.glob("*.gguf")):
            try:
                models.append(self.find(path))
            except (DamagedModel, UnsupportedModel) as error:
                unusable.append(UnusableFile(path=path, reason=str(error)))
        for path in aside:
            reason = f"“{path.name}” is not the file it should be and is not used; remove it or fetch the model again."
            unusable.append(UnusableFile(path=path, reason=reason))
        return tuple(models), tuple(unusable)
