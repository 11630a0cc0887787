"""A store that forgets everything but the trace: for benchmarks and tests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ..nouns import Lease, Letter, Page, Posted


class Visit(NamedTuple):
    """One fetch, as a metric sees it."""

    url: str
    status: int
    error: str
    relevance: float | None
    lease: Lease


class MemoryStore:
    lasts = False  # whether what is learned has to be handed to it
    error_log = None

    def __init__(self, index: int = 0) -> None:
        self.index = index
        self.visits: list[Visit] = []
        self.pages = 0
        self.bytes = 0
        self.seconds = 0.0
        self.started = False
        self._texts: set[int] = set()
        self.mail = MemoryMailbox(index)

    def add(self, lease: Lease, page: Page, relevance: float | None, note: tuple[Any, ...] | None = None) -> None:
        self.visits.append(Visit(lease.offer.link.url, page.status, page.error, relevance, lease))
        self.pages += 1
        self.bytes += len(page.body)

    def refuse(self, lease: Lease, page: Page) -> None:
        """A page that was not fetched leaves no trace."""

    def keep(self, url: str, note: tuple[Any, ...]) -> None:
        """The frontier has the note, and nobody looks for it here."""

    def commit(self, state: Mapping[str, bytes]) -> None:
        self.started = True

    def state(self, name: str) -> bytes | None:
        """Nothing outlives this store."""
        return None

    def fetched(self) -> Iterator[tuple[str, str, int, str, float | None, bool]]:
        """Nothing outlives this store."""
        return iter(())

    def new_text(self, key: int) -> bool:
        """Whether the page added last is the first whose text has this key."""
        known = len(self._texts)
        self._texts.add(key)
        return len(self._texts) > known

    def relevant(self, skip: int = 0) -> list[bool]:
        """Nothing outlives this store."""
        return []

    def find(self, url: str) -> None:
        """Nothing is kept here."""


class MemoryMailbox:
    """Letters between the shards of one process."""

    def __init__(self, index: int) -> None:
        self._index = index
        self._letters: list[Letter] = []
        self._posted: Counter[int] = Counter()
        self._heard: Counter[int] = Counter()

    def post(self, receiver: int, say: Posted) -> None:
        self._posted[receiver] += 1
        self._letters.append(Letter(self._index, receiver, self._posted[receiver], say))

    def letters(self) -> Iterator[Letter]:
        """Letters that were not forgotten yet, in order."""
        return iter(list(self._letters))

    def forget(self, receiver: int, number: int) -> None:
        self._letters = [x for x in self._letters if x.receiver != receiver or x.number > number]

    def received(self, sender: int) -> int:
        return self._heard[sender]

    def receive(self, sender: int, number: int) -> bool:
        """Whether this is the next letter from the sender; notes it if so."""
        if number != self._heard[sender] + 1:
            return False
        self._heard[sender] = number
        return True
