"""Where the weights come from: a folder on this computer, or a name on the hub, pinned to one revision."""

import os
import re
from pathlib import Path

from msgspec import Struct

from core.errors import BadInput, DownloadFailed
from models.export.description import Description, describe
from models.fetch import HUB, HUB_VARIABLE

_SMALL_FILES = ("*.json", "*.txt", "*.model", "*.py", "README.md")


class Origin(Struct, frozen=True, kw_only=True):
    folder: Path
    name: str
    """As a person calls the model."""
    source: str
    """For the card: `owner/name@revision`, or the name of the folder."""


def local_origin(folder: Path) -> Origin:
    name = folder.resolve().name
    return Origin(folder=folder, name=name, source=f"folder “{name}”")


def find_origin(source: str, revision: str | None = None) -> Origin:
    """A folder is taken as it lies there; an `owner/name` is fetched from the hub (address as in `models.fetch`).

    `revision`: branch, tag or commit; what it means today is written down as a commit. Raises `BadInput`, `DownloadFailed`.
    """
    if source and (folder := Path(source).expanduser()).is_dir():
        if revision is not None:
            raise BadInput(
                f"“{folder.name}” is a folder on this computer, which has no revisions; leave the revision out."
            )
        return local_origin(folder)
    if not re.fullmatch(r"\w[\w.-]*/\w[\w.-]*", source):
        raise BadInput(f"There is no folder “{source}”, and a name on the hub looks like owner/name; correct it.")
    return _fetched(source, revision)


def _fetched(name: str, revision: str | None) -> Origin:
    """Small files first: whether and which weights are wanted stands in them."""
    from huggingface_hub import HfApi

    hub = HfApi(endpoint=os.environ.get(HUB_VARIABLE) or HUB)
    try:
        listing = hub.model_info(name, revision=revision)
        commit = str(listing.sha)
        folder = Path(hub.snapshot_download(name, revision=commit, allow_patterns=list(_SMALL_FILES)))
        there = {str(each.rfilename) for each in listing.siblings or ()}
        hub.snapshot_download(name, revision=commit, allow_patterns=_weights(describe(folder, prompt=""), there))
    except OSError as error:  # every error of the hub's client is one
        raise DownloadFailed(
            f"“{name}” could not be fetched from the hub ({type(error).__name__}); check the name and the connection, or "
            "give a folder that holds the model."
        ) from error
    return Origin(folder=folder, name=name.rsplit("/", 1)[-1], source=f"{name}@{commit}")


def _weights(description: Description, there: set[str]) -> list[str]:
    """Patterns of the weight files, in the format that can hold no code where there is a choice."""
    safe = any(re.fullmatch(r"model(-\d+-of-\d+)?\.safetensors", each) for each in there)
    patterns = ["model*.safetensors"] if safe else ["pytorch_model*.bin"]
    if dense := description.dense:
        own = f"{dense.folder}/model.safetensors"
        patterns.append(own if own in there else f"{dense.folder}/pytorch_model.bin")
    return patterns
