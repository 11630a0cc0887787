"""What is known of each URL, and where it is kept."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any, TypeAlias

from .. import urls
from ..nouns import Offer
from .queue.bag import Value
from .queue.lane import Queue

REMEMBERED = 1 << 15  # URLs, and as many that are older
SIGN = 1 << 63  # digests are unsigned, SQLite's integers are not: the difference keeps their order


def key_of(url: str) -> int:
    """The number a URL is known by; smaller ones win ties."""
    return urls.digest(url) - SIGN


def host_of(url: str) -> int:
    """The number of a URL's host."""
    return host_key(urls.host(url))


@lru_cache(maxsize=1 << 16)
def host_key(name: str) -> int:
    """The number of a host by its name."""
    return key_of(name)


@lru_cache(maxsize=1 << 16)
def _host_at(origin: str) -> int:
    return host_of(origin)


class Addresses(dict[str, tuple[int, int]]):
    """The numbers of URLs and of their hosts; those that were asked for recently are remembered."""

    def __init__(self) -> None:
        self._older: dict[str, tuple[int, int]] = {}

    def __missing__(self, url: str) -> tuple[int, int]:
        if len(self) >= REMEMBERED:
            self._older = dict(self)
            self.clear()
        end = url.find("/", 8)  # of the origin
        self[url] = found = self._older.get(url) or (key_of(url), _host_at(url[:end] if end > 0 else url))
        return found


ADDRESSES = Addresses()


def keys_of(urls: Iterable[str]) -> Iterator[int]:
    """The numbers of many URLs: a page has a hundred links, so no Python for each of them."""
    return map(itemgetter(0), map(ADDRESSES.__getitem__, urls))


class Place:
    """One URL in one lane, with the best offer that put it there."""

    __slots__ = ("number", "offer", "queue", "value")

    def __init__(self, queue: Queue, value: Value, offer: Offer | bytes | None, number: int = 0) -> None:
        self.queue = queue
        self.value = value  # of that offer alone
        self.offer = offer  # packed in memory, None on disk, until somebody looks
        self.number = number  # the one that the offer has on disk, 0 for none

    def fill(self, offer: Offer) -> None:
        """Give it to another offer."""
        self.value, self.offer, self.number = offer.value, offer, 0


class Row:
    """One URL: unknown, open (it has places), leased (its places wait for the answer), fetched, or two of these."""

    __slots__ = ("cash", "fetched", "host", "kept", "leased", "number", "places", "record", "written")

    def __init__(self, fetched: bool = False, cash: Value = 0, number: int = 0) -> None:
        self.fetched = fetched
        self.cash = cash  # what it gathered since it was last taken; merge "sum" only
        self.kept: tuple[Any, ...] | None = None
        self.number = number  # the one that what is kept has on disk, 0 for none
        self.leased = 0  # the number of the lease
        self.places: tuple[Place, ...] = ()
        self.host = 0  # the number of its host; known when it changes
        self.written = 0  # what it was counted as when it was written; see DiskRows
        self.record = b""  # how it was written, if no more than its cash changed since

    @property
    def unread(self) -> bool:
        """Whether something is kept of a page that was fetched, and it is on disk."""
        return self.kept is None and self.number != 0 and self.fetched

    def place(self, queue: Queue) -> Place | None:
        """Its place in a lane."""
        for place in self.places:
            if place.queue is queue:
                return place
        return None


Note: TypeAlias = tuple[Any, ...] | None


def noted(urls: list[str], rows: Mapping[int, Row]) -> tuple[list[Note], list[int]]:
    """What Keep stored with URLs, as Rows.known says it, and the numbers of those of which that is not cached."""
    found = list(map(rows.get, keys_of(urls)))
    notes: list[Note] = [row.kept or () if row is not None and row.fetched else None for row in found]
    return notes, [number for number, row in enumerate(found) if row is None or row.unread]


class Rows(ABC):
    """Where rows live."""

    def __init__(self, merge: str) -> None:
        self.sums = merge == "sum"
        self.queues: list[Queue] = []  # by number

    def worth(self, row: Row, place: Place) -> Value:
        """The value that counts for the price."""
        return row.cash if self.sums else place.value

    def known(self, row: Row) -> tuple[Any, ...] | None:
        """What Keep stored, () if nothing, None when it was not fetched."""
        return (row.kept or self.kept(row) or ()) if row.fetched else None

    def known_all(self, urls: list[str]) -> list[tuple[Any, ...] | None]:
        """The same of many, by their URLs."""
        return [self.known(self.find(ADDRESSES[url][0])) for url in urls]

    @property
    @abstractmethod
    def cached(self) -> dict[int, Any]:
        """The rows that are, by their keys; see `load`."""

    @abstractmethod
    def load(self, keys: Sequence[int]) -> Iterable[object]:
        """Load these rows into the cache; says of each what is there: its row, None, or something else that stands for it."""

    def expect(self, keys: Sequence[int]) -> None:
        """Load these rows into the cache, and their offers too: they are likely to be taken next."""
        self.load(keys)

    @abstractmethod
    def compare(self, offers: Sequence[Offer]) -> None:
        """Load those offers that these will be compared with, for rows that are cached."""

    def find(self, key: int) -> Row:
        """A row, wherever it is."""
        self.load([key])
        return self.row(key)

    @abstractmethod
    def row(self, key: int) -> Row:
        """A cached row; a new one when the URL is unknown."""

    @abstractmethod
    def changed(self, rows: Mapping[int, Row]) -> None:
        """The cash of rows that were found in the cache was changed there, and their hosts are set."""

    @abstractmethod
    def keep(self, key: int, row: Row, host: int) -> None:
        """A row changed."""

    @abstractmethod
    def flush(self) -> None:
        """Something is done: write what changed, unless that can wait."""

    @abstractmethod
    def save(self) -> None:
        """Write what changed and was not written yet."""

    @abstractmethod
    def total(self) -> Value:
        """All cash."""

    @abstractmethod
    def offer(self, place: Place) -> Offer:
        """The offer of a place."""

    @abstractmethod
    def kept(self, row: Row) -> tuple[Any, ...] | None:
        """What Keep stored with a row."""
