"""Where scoring models lie, and which two are used.

Each is a folder with a card: `scorers/<id>` on the shelf of models, or among the weights that come with the program. A model
is taken in only after it was loaded in a process of its own and put to the probes.
"""

import os
import shutil
from pathlib import Path

import msgspec
from msgspec import Struct

from core.durable import replace_durably
from core.errors import BadInput, DamagedModel, UnknownModel, UnsupportedModel
from models.checksums import Checksums
from models.durable import Progress, copy_checked, file_sha256, place, silent, writing
from models.registry import scorers as known_scorers
from models.remote import probed
from models.scoring import hub_folder
from models.scoring.card import CARD_FILE, MODEL_FILE, Kind, ScorerCard, card_in, checksums, write_card
from models.shelf import Shelf, UnusableFile

EMBEDDED = Path(__file__).parent.parent / "weights"
"""Weights that come with the program."""
DEFAULT_EMBEDDING = "minilm-l6-int8"
"""Used until the user adds another one; it is fetched once, for it is too large for the program."""


class ShelvedScorer(Struct, frozen=True, kw_only=True):
    """A scoring model whose files are whole."""

    card: ScorerCard
    folder: Path


class ScorerPair(Struct, frozen=True, kw_only=True):
    """The two models that measure."""

    nli: ShelvedScorer
    embedding: ShelvedScorer


class NotInstalled(Struct, frozen=True, kw_only=True):
    """There is no scorer."""

    reason: str
    """One sentence for the user."""


class ScorerShelf:
    """The scoring models on a shelf of models and those that come with the program."""

    def __init__(self, models: Shelf | None = None, *, embedded: Path = EMBEDDED) -> None:
        self._models = models or Shelf()
        self.folder = self._models.folder / "scorers"
        self._embedded = embedded
        self._checksums = Checksums(self._models.folder / "checksums.json")

    def find(self, scorer_id: str) -> ShelvedScorer:
        """The model with this id, whole. A file is read again only after its size or time of change differs.

        Raises `UnknownModel`, `DamagedModel`, `UnsupportedModel`.
        """
        folder = self._locate(scorer_id)
        card = card_in(folder)
        for name, sha256 in checksums(card).items():
            path = folder / name
            if not path.is_file() or self._checksums.sha256(path) != sha256:
                raise DamagedModel(
                    f"{name} of “{card.title}” is missing or has another checksum than its card says; remove “{scorer_id}” "
                    "and add or fetch it again."
                )
        return ShelvedScorer(card=card, folder=folder)

    def check(self, scorer_id: str) -> ShelvedScorer:
        """As `find`, but read the whole files again, whatever is remembered of them."""
        folder = self._locate(scorer_id)
        for path in folder.iterdir():
            self._checksums.forget(path)
        return self.find(scorer_id)

    def list(self) -> tuple[ShelvedScorer, ...]:
        """All models that can be used, by id."""
        return self._survey()[0]

    def unusable(self) -> tuple[UnusableFile, ...]:
        """Folders on the shelf that cannot be used, and why."""
        return self._survey()[1]

    def chosen(self) -> ScorerPair | NotInstalled:
        """Of each kind the model that was added last, else the default one.

        A damaged model is never passed over in silence: then there is no scorer, for the reason that is given.
        """
        try:
            return ScorerPair(nli=self._chosen("nli"), embedding=self._chosen("embedding"))
        except (UnknownModel, DamagedModel, UnsupportedModel) as error:
            return NotInstalled(reason=str(error))

    def add(self, source: Path, progress: Progress = silent) -> ShelvedScorer:
        """Take in a folder with a card, or an NLI model as hubs give it, and use it from now on.

        Raises `BadInput` for a folder without the files or where another model has the id already, `DamagedModel`,
        `UnsupportedModel`, `EngineFailed`, `NotWritable`. The source stays as it is, and nothing is left behind then.
        """
        source = source.expanduser().absolute()
        if not source.is_dir():
            raise UnknownModel(f"There is no folder “{source.name}”; choose the folder of an exported model.")
        card, files = _presented(source)
        target = self.folder / card.id
        if (target / CARD_FILE).exists():
            return self._use_again(card, target)
        if (self._embedded / card.id / MODEL_FILE).exists():
            raise BadInput(
                f"A model called “{card.id}” comes with the program; give yours another id and add it again."
            )
        self._models.make_room(sum(path.stat().st_size for path in files.values()))
        arriving = self.folder / f".{card.id}.arriving"
        try:
            with writing(arriving):
                shutil.rmtree(arriving, ignore_errors=True)
                arriving.mkdir(parents=True)
            for name, sha256 in checksums(card).items():
                part = arriving / f"{name}.part"
                copy_checked(files[name], part, sha256, progress)
                place(part, arriving / name)
            write_card(arriving, card)
            progress(card.model_bytes, card.model_bytes, f"Putting {card.title} to the probes")
            card = msgspec.structs.replace(card, probes=probed(arriving))
            write_card(arriving, card)
            with writing(target):
                shutil.rmtree(target, ignore_errors=True)  # what is left of a download that never became a model
                replace_durably(arriving, target)
        finally:
            shutil.rmtree(arriving, ignore_errors=True)
        return ShelvedScorer(card=card, folder=target)

    def remove(self, scorer_id: str) -> None:
        """Delete a model from the shelf. Raises `UnknownModel`, `BadInput` for one that comes with the program, `NotWritable`."""
        folder = self._locate(scorer_id)
        if folder.parent != self.folder:
            raise BadInput(
                f"“{scorer_id}” comes with the program and cannot be removed; add another model to use that one."
            )
        for path in folder.iterdir():
            self._checksums.forget(path)
        with writing(folder):
            shutil.rmtree(folder)

    def _locate(self, scorer_id: str) -> Path:
        ids = [folder.name for folder in self._folders()]
        for folder in self._folders():
            if folder.name == scorer_id:  # compared with what is there, so an id never leads out of the folder
                return folder
        known = {card.id: card.title for card in known_scorers()}
        if scorer_id in known:
            raise UnknownModel(
                f"The scoring model “{known[scorer_id]}” is not on this computer; fetch “{scorer_id}” first."
            )
        raise UnknownModel(
            f"There is no scoring model called “{scorer_id}”; choose one of: {', '.join([*ids, *known])}."
        )

    def _folders(self) -> tuple[Path, ...]:
        """Folders that hold a model, those of the user first; one that is only partly there belongs to a download."""
        on_shelf = sorted(path for path in self.folder.glob("[!.]*") if (path / CARD_FILE).exists())
        embedded = sorted(path for path in self._embedded.glob("*") if (path / MODEL_FILE).exists())
        return (*on_shelf, *embedded)

    def _survey(self) -> tuple[tuple[ShelvedScorer, ...], tuple[UnusableFile, ...]]:
        models: list[ShelvedScorer] = []
        unusable: list[UnusableFile] = []
        for folder in self._folders():
            try:
                models.append(self.find(folder.name))
            except (DamagedModel, UnsupportedModel) as error:
                unusable.append(UnusableFile(path=folder, reason=str(error)))
        return tuple(sorted(models, key=lambda each: each.card.id)), tuple(unusable)

    def _chosen(self, kind: Kind) -> ShelvedScorer:
        fetched = {card.id for card in known_scorers()}
        added = [folder for folder in self._folders() if folder.parent == self.folder and folder.name not in fetched]
        of_kind = [folder for folder in added if card_in(folder).kind == kind]
        if of_kind:
            return self.find(max(of_kind, key=_added_at).name)
        if kind == "embedding":
            return self.find(DEFAULT_EMBEDDING)
        for folder in self._folders():
            if folder.parent == self._embedded and card_in(folder).kind == kind:
                return self.find(folder.name)
        raise UnknownModel("No model for contradictions (NLI) is on this computer; add one with: models add FOLDER.")

    def _use_again(self, card: ScorerCard, target: Path) -> ShelvedScorer:
        """The same model was added before: from now on it is the one that was added last."""
        there = self.find(card.id)
        if checksums(there.card) != checksums(card):
            raise BadInput(
                f"Another scoring model is called “{card.id}” already; remove that one, or give yours another id."
            )
        with writing(target):
            os.utime(target / CARD_FILE)
        return there


def _presented(source: Path) -> tuple[ScorerCard, dict[str, Path]]:
    """Card and files of a folder that a user brings. Raises `BadInput`, `DamagedModel`, `UnsupportedModel`."""
    if not (source / CARD_FILE).exists():
        files = hub_folder.files_in(source)
        return hub_folder.describe(source, files), files
    card = card_in(source)
    files = {name: source / name for name in checksums(card)}
    for name, sha256 in checksums(card).items():
        if not files[name].is_file():
            raise BadInput(f"“{source.name}” has no {name}; choose a complete folder.")
        if file_sha256(files[name]) != sha256:
            raise DamagedModel(f"{name} of “{source.name}” has another checksum than its card says; get it again.")
    return card, files


def _added_at(folder: Path) -> tuple[int, str]:
    return (folder / CARD_FILE).stat().st_mtime_ns, folder.name
