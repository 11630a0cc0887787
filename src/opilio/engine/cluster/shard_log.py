"""The truth of one shard: numbered objects, each created once.

    shard-3/log/00000017      one entry: "open" (a new owner), or "commit" (bytes of SQLite's write-ahead log)
    shard-3/base/00000012/    the database as it was after entry 12, in parts; `end` says that all are there
    shard-3/warc/FILE/OFFSET  bytes of an archive file, written before the commit that speaks of them

Taking over a shard is to create its next number. An owner that was replaced finds that number taken, at whatever time it wakes
up. So entries that say "open" stay for ever; the others go when a base has taken their place.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple
from uuid import uuid4

from ...codec import pack, unpack
from ...errors import ConfigError, UnreadableError
from .objects import Objects

OPEN, COMMIT = "open", "commit"
LONG = 8  # digits of a number


class FencedError(Exception):
    """Another owner has taken over: nothing of what this one does counts any more."""


class Entry(NamedTuple):
    """One entry of a shard's log."""

    kind: str
    life: int  # of the shard: it is opened once for each
    driver: int  # the crawl that the owner belongs to: each start and each resume is one
    owner: str  # made up by each owner, so that it knows its own entries
    number: int
    generation: int = 0  # of the write-ahead log, in this life
    start: int = 0  # where in that log the bytes belong
    wal: bytes = b""  # compressed
    facts: Mapping[str, Any] = {}  # how the shard stands, for people
    opens: tuple[int, ...] = ()  # of an "open": the numbers of all of them so far; of a commit: that of its life


class ShardLog:
    """The log of one shard, for its owner."""

    def __init__(self, objects: Objects, shard: int) -> None:
        self.objects, self.shard, self.name = objects, shard, f"shard-{shard}"
        self.life, self.number, self._driver, self._owner = 0, 0, 0, uuid4().hex
        self.opens: tuple[int, ...] = ()  # entries that have to stay

    def open(self, driver: int, facts: Mapping[str, Any] | None = None) -> int:
        """Take the shard over; the life that begins. ConfigError where a later crawl has it."""
        while True:
            last = last_entry(self.objects, self.shard)
            life, number = (last.life + 1, last.number + 1) if last else (1, 1)
            if last and last.driver > driver:
                raise ConfigError(
                    f"{self.objects.url}: another crawl has taken this one over (start {last.driver}, this is {driver}); look "
                    f"at it with: opilio status {self.objects.url}"
                )
            opens = (*self._opens_before(last), number)
            entry = Entry(OPEN, life, driver, self._owner, number, facts=facts or {}, opens=opens)
            if self.objects.create(entry_name(self.shard, number), pack(list(entry))):
                self.life, self.number, self._driver, self.opens = life, number, driver, opens
                return life

    def _opens_before(self, last: Entry | None) -> tuple[int, ...]:
        if not last:
            return ()
        opened = last if last.kind == OPEN else read_entry(self.objects, self.shard, last.opens[-1])
        if not opened:
            raise UnreadableError(f"{self.objects.url}: {entry_name(self.shard, last.opens[-1])} is missing")
        return tuple(opened.opens)

    def append(self, **parts: Any) -> int:
        """Add an entry; its number. FencedError where there is another owner."""
        number, opened = self.number + 1, self.opens[-1:]
        entry = Entry(COMMIT, self.life, self._driver, self._owner, number, **parts, opens=opened)
        if not self.objects.create(entry_name(self.shard, number), pack(list(entry))):
            raise FencedError(f"shard {self.shard}: entry {entry.number} is another owner's")
        self.number = entry.number
        return entry.number


def entry_name(shard: int, number: int) -> str:
    """The object of an entry."""
    return f"shard-{shard}/log/{number:0{LONG}}"


def entry_numbers(objects: Objects, shard: int) -> list[int]:
    """The numbers of all entries there are."""
    return [int(name.rpartition("/")[2]) for name in objects.names(f"shard-{shard}/log")]


def read_entry(objects: Objects, shard: int, number: int) -> Entry | None:
    """An entry; None where it is gone."""
    data = objects.get(entry_name(shard, number))
    if data is None:
        return None
    try:
        return Entry(*unpack(data))
    except (ValueError, TypeError) as error:
        raise UnreadableError(
            f"{objects.url}: {entry_name(shard, number)} is not an entry of a state log ({error})"
        ) from None


def last_entry(objects: Objects, shard: int) -> Entry | None:
    """The newest entry of a shard; None where nobody has opened it yet."""
    numbers = entry_numbers(objects, shard)
    while numbers:
        if entry := read_entry(objects, shard, numbers[-1]):
            return entry
        numbers = entry_numbers(objects, shard)  # a base has just taken its place, so there are newer ones
    return None
