"""Bytes of an archive that no commit speaks of are moved aside, into archive/aside, and never deleted.

A kill leaves a batch of them at most. But a state database that came out of a backup knows less than the archive holds,
and then they are all that is left of those pages.
"""

from __future__ import annotations

import os
import shutil
import time
from itertools import count
from pathlib import Path

from ..system import durable

FOLDER = "aside"  # in the archive


def move(path: Path) -> None:
    """Move a whole file."""
    os.rename(path, _free(path))
    durable.sync_folder(path.parent)
    durable.sync_folder(path.parent / FOLDER)


def move_tail(path: Path, length: int) -> None:
    """Move what a file has beyond a length; records begin there, so that WARC tools can read it."""
    if path.stat().st_size == length:
        return
    with path.open("rb") as source, durable.whole(_free(path, f".from-{length}")) as target:
        source.seek(length)
        shutil.copyfileobj(source, target)
    with path.open("r+b") as file:
        file.truncate(length)
        durable.sync(file)


def _free(path: Path, part: str = "") -> Path:
    """Where it may go: beside everything that was moved before."""
    durable.make_folder(path.parent / FOLDER)
    stem, dot, ending = path.name.partition(".")
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    names = (f"{stem}{part}.{stamp}{f'-{number}' if number else ''}{dot}{ending}" for number in count())
    return next(place for name in names if not (place := path.parent / FOLDER / name).exists())
