"""The archives that a user names: WARC files, WACZ files with such files inside, and folders with either."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple
from zipfile import BadZipFile, ZipFile

from ...errors import ConfigError, UnreadableError
from ...store.any_warc import Damage, Record, records

INSIDE = (".warc.gz", ".warc")
NAMED = (*INSIDE, ".warc.gz.open", ".wacz")  # what counts in a folder; Heritrix names a file so that it is writing
ZIP = b"PK\x03\x04"
BROKEN = (OSError, EOFError, BadZipFile, zlib.error, RuntimeError)  # the last: an archive in a WACZ file is encrypted


class Unread(NamedTuple):
    """An archive that could not be read, or not to its end."""

    sentence: str


def read_all(files: Sequence[Path], tick: Callable[[int], None]) -> Iterator[Record | Damage | Unread]:
    """The records of all archives, in the order of the files; a file that cannot be read costs no other file."""
    for number, path in enumerate(_files(files)):
        tick(number)
        try:
            with path.open("rb") as file:
                magic = file.read(len(ZIP))
                file.seek(0)
                yield from _zipped(file, path) if magic == ZIP else _records(file, str(path))
        except BROKEN as error:
            yield _unread(str(path), error)


def _files(named: Sequence[Path]) -> Iterator[Path]:
    for path in named:
        if path.is_dir():
            found = sorted(inner for inner in path.rglob("*") if inner.name.endswith(NAMED) and inner.is_file())
            if not found:
                raise ConfigError(f"{path}: there is no *.warc.gz, *.warc or *.wacz file in it; name files")
            yield from found
        else:
            yield path


def _zipped(file: BinaryIO, path: Path) -> Iterator[Record | Damage | Unread]:
    with ZipFile(file) as packed:
        inner = [entry for entry in packed.infolist() if entry.filename.endswith(INSIDE)]
        if not inner:
            yield Unread(f"{path}: there is no WARC file in it; a WACZ file has them in its folder archive")
        for entry in inner:
            place = f"{path}, {entry.filename}"
            try:
                with packed.open(entry) as archive:
                    yield from _records(archive, place)  # type: ignore[arg-type]
            except BROKEN as error:
                yield _unread(place, error)


def _records(file: BinaryIO, place: str) -> Iterator[Record | Damage | Unread]:
    try:
        yield from records(file)
    except UnreadableError as error:
        yield Unread(f"{place}: {error}")


def _unread(place: str, error: Exception) -> Unread:
    why = (isinstance(error, OSError) and error.strerror) or str(error) or type(error).__name__
    return Unread(f"{place}: it cannot be read to its end ({why}); fetch it again")
