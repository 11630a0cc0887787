"""When something may be asked again that several hosts share: an address, or a registrable domain.

One number for each, found by its checksum: the time, by the clock of the machine that never jumps, from which it is free. The
processes of one crawl share these numbers in a file, under a lock that the system lets go of when its owner is killed. Two names
with the same checksum wait for each other, which does no harm.
"""

from __future__ import annotations

import fcntl
import mmap
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from zlib import crc32

NUMBERS = 1 << 16
SIZE = NUMBERS * 8  # bytes


class Shared:
    """Lets one request at a time through to what hosts share, and the next one some seconds later."""

    def __init__(self, path: Path | None = None) -> None:
        """Without a path, for this process alone."""
        self._file = path.open("a+b") if path else None
        if self._file:
            self._file.truncate(SIZE)  # a new one is filled with zeros
        self._free = memoryview(mmap.mmap(self._file.fileno() if self._file else -1, SIZE)).cast("d")

    def close(self) -> None:
        """Let go of the file."""
        if self._file:
            self._file.close()

    def wait(self, names: Collection[str]) -> float:
        """Seconds until all of these are free, as things are; 0 or less: now."""
        return max((self._free[_place(name)] for name in names), default=0.0) - time.monotonic()

    def take(self, names: Collection[str], seconds: float) -> float:
        """Take all of these for so long; when they are not free, seconds after which that can be tried again."""
        with self._held():
            wait = self.wait(names)
            if wait <= 0:
                self._keep(names, time.monotonic() + seconds)
        return wait

    def extend(self, names: Collection[str], until: float) -> None:
        """Keep these until then, if not longer: a request went out later than it was let through."""
        with self._held():
            self._keep(names, until)

    def _keep(self, names: Collection[str], until: float) -> None:
        for place in map(_place, names):
            self._free[place] = max(self._free[place], until)

    @contextmanager
    def _held(self) -> Iterator[None]:
        if not self._file:
            yield
            return
        fcntl.flock(self._file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(self._file, fcntl.LOCK_UN)


def _place(name: str) -> int:
    return crc32(name.encode()) % NUMBERS


def clear(path: Path) -> Path:
    """A new file for the processes of a crawl, in which everything is free."""
    path.unlink(missing_ok=True)  # and never emptied: somebody may look into it still
    path.write_bytes(bytes(SIZE))
    return path
