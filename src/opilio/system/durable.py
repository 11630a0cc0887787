"""Files that survive a power cut: whole under their names or not there, and on the disk when a call returns."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def whole(path: Path) -> Iterator[BinaryIO]:
    """A file to write; it takes its name, and the place of what had it, when the block ends without an error."""
    draft = path.with_name(f".{path.name}.part")
    try:
        with draft.open("wb") as file:
            yield file
            sync(file)
        draft.replace(path)
        sync_folder(path.parent)
    finally:
        draft.unlink(missing_ok=True)


def write(path: Path, data: bytes | str) -> None:
    """Write a file, all of it or nothing."""
    with whole(path) as file:
        file.write(data.encode() if isinstance(data, str) else data)


def sync(file: BinaryIO) -> None:
    """What was written to a file is on the disk."""
    file.flush()
    os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """The names in a folder are on the disk: without this a new file may be gone although its bytes were synced."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def make_folder(folder: Path) -> None:
    """Make a folder, and those above it, that are not there yet."""
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        sync_folder(folder.parent)
