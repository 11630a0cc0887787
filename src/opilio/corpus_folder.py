"""A new corpus folder: it is there whole or not at all; its corpus.toml, and tasks that follow from labels."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from .errors import ConfigError

SEEDS, TRAIN = 10, 30  # pages of a topic that start a crawl and that it learns from; a fifth of them at most
LEAST = 5  # pages of a topic that make a task


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """A folder to fill; it gets its name when the block ends without an error."""
    folder = folder.absolute()
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise ConfigError(f"{folder}: something is there already; name a folder that does not exist yet")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as scratch:
            half = Path(scratch, "corpus")
            half.mkdir()
            yield half
            os.rename(half, folder)
    except OSError as error:
        reason = error.strerror or str(error)
        raise ConfigError(f"{folder}: it cannot be written ({reason}); name another folder or make room") from error


def write_labels(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """labels.csv; a row has `url` and some of the columns."""
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, ("url", *columns), restval="", lineterminator="\n")
        table.writeheader()
        table.writerows(rows)


def corpus_toml(head: Mapping[str, Any], tasks: Iterable[Mapping[str, Any]]) -> str:
    """The text of corpus.toml."""
    return "\n".join([_table(head), *(f"[[task]]\n{_table(task)}" for task in tasks)])


def _table(values: Mapping[str, Any]) -> str:
    return "".join(f"{key} = {_value(value)}\n" for key, value in values.items())


def _value(value: Any) -> str:
    # JSON's texts, numbers and lists are TOML's, but for one letter.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def topic_task(name: str, column: str, counts: Mapping[str, int]) -> list[dict[str, Any]]:
    """A task that asks for each label of a column, from how many pages have it; none where all are too rare."""
    topics = [topic for topic, count in counts.items() if count >= LEAST]
    if not topics:
        return []
    fifth = min(counts[topic] for topic in topics) // 5
    sizes = {"seeds": max(1, min(SEEDS, fifth)), "train": max(1, min(TRAIN, fifth))}
    return [{"name": name, "kind": "topic", "column": column, "topics": topics, **sizes}]
