"""The archive of a crawl: WARC files that go on from their last commit; what was written after it is moved aside."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from .. import __version__
from ..errors import UnreadableError
from ..system import durable
from . import moved_aside
from .warc_records import date_of, warcinfo_record

FILE = 1_000_000_000
BUFFER = 1 << 20  # bytes that are written at once, at the latest at a commit
PREFIX = "opilio-"  # of file names; those of other shards than the first have one of their own
STANDARD = "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"


def prefix_of(shard: int) -> str:
    """How the names of a shard's files begin."""
    return f"shard{shard}-" if shard else PREFIX


class Place(NamedTuple):
    """Where a record is."""

    file: str
    offset: int
    length: int


class Archive:
    """A folder of files that only grow; opened at a committed position, it goes on there, without what was written after it."""

    def __init__(
        self, folder: Path, committed: tuple[str, int] | None, limit: int = FILE, prefix: str = PREFIX
    ) -> None:
        """Only files whose names begin with the prefix are its own."""
        self.folder = folder
        self.limit = limit
        self.prefix = prefix
        durable.make_folder(folder)
        self._clear_after(committed)
        if committed is None:
            self._start(0)
        else:
            self._open(committed[0])

    def append(self, *records: bytes) -> Place:
        """Write records that belong together into one file; where the first of them is."""
        size = sum(map(len, records))
        if self._size > self._empty and self._size + size > self.limit:
            self.sync()
            self._file.close()
            self._start(self._number + 1)
        place = Place(self._name, self._size, len(records[0]))
        for record in records:
            self._file.write(record)
        self._size += size
        return place

    @property
    def path(self) -> Path:
        """The file that grows."""
        return self.folder / self._name

    @property
    def position(self) -> tuple[str, int]:
        """The file that grows, and its length."""
        return self._name, self._size

    def flush(self) -> None:
        """Everything appended can be read."""
        self._file.flush()

    def sync(self) -> tuple[str, int]:
        """Everything appended is on the disk; the position to commit."""
        durable.sync(self._file)
        return self._name, self._size

    def close(self) -> None:
        """Let go of the file; bytes that were not synced are kept if there is room for them."""
        with suppress(OSError):  # the disk is full: nothing that counts is lost
            self._file.close()

    def _clear_after(self, committed: tuple[str, int] | None) -> None:
        name, length = committed or ("", 0)
        path = self.folder / name
        if committed and (not path.is_file() or path.stat().st_size < length):
            raise UnreadableError(
                f"{path}: it is missing or shorter than the {length} bytes committed; restore the file"
            )
        for later in self.folder.glob(f"{self.prefix}*"):
            if later.name.partition(".")[0] > name.partition(".")[0]:
                moved_aside.move(later)
        if committed:
            moved_aside.move_tail(path, length)

    def _start(self, number: int) -> None:
        name = f"{self.prefix}{number:06}.warc.gz"
        about = {"software": f"opilio {__version__}", "conformsTo": STANDARD}
        durable.write(self.folder / name, warcinfo_record(name, about, date_of(time.time())))
        self._open(name)
        self._empty = self._size

    def _open(self, name: str) -> None:
        self._name = name
        self._file = (self.folder / name).open("ab", buffering=BUFFER)
        self._size = self._file.tell()
        self._empty = 0

    @property
    def _number(self) -> int:
        return int(self._name.removeprefix(self.prefix).removesuffix(".warc.gz"))
