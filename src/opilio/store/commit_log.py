"""Where commits go besides the disk: a crawl on several machines keeps them in an object store."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple, Protocol


class Marks(NamedTuple):
    """How far letters have come, by shard."""

    posted: dict[int, int]  # the last to each
    received: dict[int, int]  # the last of each


class CommitLog(Protocol):
    """Where commits go besides the disk, which then is only a cache."""

    life: int  # of the shard; archive files of different lives have different names
    marks: Marks | None  # of the last commit that is there; None: none of this life
    error: BaseException | None  # why nothing goes there any more

    @property
    def full(self) -> bool:
        """Whether so much waits to get there that the crawl has to."""

    @property
    def behind(self) -> float:
        """Seconds since the oldest commit that is not there."""

    def committed(self, db: sqlite3.Connection, archive: tuple[str, int], marks: Marks) -> None:
        """A transaction was committed, with the archive up to this position."""

    def bring(self, file: str) -> None:
        """Make an archive file of an earlier life available."""
