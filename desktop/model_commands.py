"""`ground-rounds models ...`"""

import argparse
import json
from collections.abc import Callable

from desktop.shelves import ModelShelf


def _list(options: argparse.Namespace) -> int:
    shelf = ModelShelf()
    rows, scorers = shelf.rows(), shelf.scorer_rows()
    if options.json:
        print(json.dumps({"models": rows, "scorers": scorers}, ensure_ascii=False))
        return 0
    for row in rows:
        state = "installed" if row["installed"] else "can be fetched"
        print(
            f"{row['id']:<24} {row['parameters'] / 1e9:6.2f} B  {row['bytes'] / 1e6:8.0f} MB  {state:<15} {row['title']}"
        )
    for row in scorers:
        state = "used" if row["used"] else "installed" if row["installed"] else "can be fetched"
        what = f"scorer ({row['kind']}), {row['grade']}" if row["installed"] else "scorer"
        print(f"{row['id']:<24} {'':8}  {row['bytes'] / 1e6:8.0f} MB  {state:<15} {row['title']}, {what}")
    for path, reason in shelf.unusable():
        print(f"{path}: {reason}")
    return 0


def _add(options: argparse.Namespace) -> int:
    return _tell(options, "added", ModelShelf().add(options.model))


def _check(options: argparse.Namespace) -> int:
    return _tell(options, "whole", ModelShelf().check(options.model))


def _remove(options: argparse.Namespace) -> int:
    ModelShelf().remove(options.model)
    return _tell(options, "removed", options.model)


def _get(options: argparse.Namespace) -> int:
    return ModelShelf().get(options.model)


def _export(options: argparse.Namespace) -> int:
    return ModelShelf().export(options.arguments)


def _tell(options: argparse.Namespace, what: str, model_id: str) -> int:
    print(json.dumps({"model": model_id, "state": what}) if options.json else f"{model_id}: {what}")
    return 0


ACTIONS: dict[str, Callable[[argparse.Namespace], int]] = {
    "list": _list,
    "add": _add,
    "export": _export,
    "get": _get,
    "check": _check,
    "remove": _remove,
}
