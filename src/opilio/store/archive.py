"""The archive of a crawl: WARC files that can be cut back to their last commit."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

from ..errors import UnreadableError
from .warc import warcinfo_record

FILE = 1_000_000_000


class Archive:
    """A folder of files that only grow; opened at a committed position, it forgets what was written after it."""

    def __init__(self, folder: Path, committed: tuple[str, int] | None, limit: int = FILE) -> None:
        self.folder = folder
        self.limit = limit
        folder.mkdir(parents=True, exist_ok=True)
        self._cut(committed)
        if committed is None:
            self._start(0)
        else:
            self._open(committed[0])

    def append(self, record: bytes) -> tuple[str, int, int]:
        """Write one record; the file's name, the record's offset and its length."""
        if self._size > self._empty and self._size + len(record) > self.limit:
            self.close()
            self._start(_number(self._name) + 1)
        self._file.write(record)
        self._size += len(record)
        return self._name, self._size - len(record), len(record)

    def sync(self) -> tuple[str, int]:
        """Everything appended is on the disk; the position to commit."""
        self._file.flush()
        os.fsync(self._file.fileno())
        return self._name, self._size

    def close(self) -> None:
        """Sync and let go of the file."""
        if not self._file.closed:
            self.sync()
            self._file.close()

    def _cut(self, committed: tuple[str, int] | None) -> None:
        name, length = committed or ("", 0)
        path = self.folder / name
        if committed and (not path.is_file() or path.stat().st_size < length):
            raise UnreadableError(
                f"{path}: it is missing or shorter than the {length} bytes committed; restore the file"
            )
        for later in self.folder.glob("opilio-*.warc.gz"):
            if later.name > name:
                later.unlink()
        if committed:
            os.truncate(path, length)

    def _start(self, number: int) -> None:
        self._open(f"opilio-{number:06}.warc.gz")
        date = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        self._file.write(warcinfo_record(self._name, {"software": "opilio"}, date))
        self._size = self._empty = self._file.tell()
        _sync_folder(self.folder)

    def _open(self, name: str) -> None:
        self._name = name
        self._file = (self.folder / name).open("ab")
        self._size = self._file.tell()
        self._empty = 0


def _number(name: str) -> int:
    return int(name.removeprefix("opilio-").removesuffix(".warc.gz"))


def _sync_folder(folder: Path) -> None:
    # Without it a new file may be gone after a power cut although its bytes were synced.
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
