"""All open offers, and what is handed out of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from .offer import Lane, Offer, Weight


class Lease(NamedTuple):
    """An offer handed out to be fetched."""

    number: int  # counts up; the order in which they are handed out again after a crash
    offer: Offer  # value: all it had gathered; lane: the one it was taken from
    weight: Weight  # that lane's, when it was taken
    kept: tuple[Any, ...] | None = None  # what Keep stored, if it was fetched before

    @property
    def price(self) -> float:
        price: float = self.weight.price(self.offer.value)
        return price


class LaneState(NamedTuple):
    lane: Lane
    weight: Weight
    open: int
    dropped: int


class Frontier(ABC):
    """All open offers, the best one first, never two visits to a host closer than its delay.

    `weigh` is asked once for a lane when it is first seen, and again at `reweigh`; the answer is stored.
    """

    @abstractmethod
    def offer(self, offers: Iterable[Offer]) -> None:
        """Take in offers. A value that is not finite raises ValueError, and none of the batch is taken."""

    @abstractmethod
    def changing(self, says: list[Any]) -> list[Any]:
        """What was said, offers by themselves or many at once, without those that, as can be seen at a glance, change nothing."""

    @abstractmethod
    def renew(self, offers: Iterable[Offer], sources: Container[str]) -> None:
        """Judge open URLs anew: an offer takes the place that its URL has in its lane if it is worth more, or if what is there
        comes from one of these pages. URLs that are not open there stay as they are, and so do values that add up."""

    @abstractmethod
    def reprice(self, most: int, now: float, price: Callable[[Sequence[Offer]], Sequence[float]]) -> None:
        """Ask what the highest-priced offers on hosts that may be visited now are worth, and give them these values. Values that
        add up stay as they are, and so do deferred offers."""

    @abstractmethod
    def reweigh(self, lane: Lane | None = None) -> None:
        """Ask again what one lane, or every lane, is worth."""

    @abstractmethod
    def take(
        self, most: int, now: float = 0.0, barren: Callable[[str], bool] | None = None, visits: bool = True
    ) -> list[Lease]:
        """The highest-priced offers on hosts that may be visited now, in order; leases left over from a crash come first.

        Where nothing is fetched for them, they are no `visits`: no host has to rest.

        An offer whose URL is barren is deferred: it is taken a few at a time, after all others, each time that lane DEFERRED
        is weighed again.
        """

    @abstractmethod
    def prices(self, most: int, now: float) -> list[float]:
        """The prices at which `take` would lease now, in order; fewer, where many offers are on hosts that have to rest."""

    @abstractmethod
    def settle(self, lease: Lease, kept: tuple[Any, ...] | None = None) -> None:
        """The lease was answered: its URL is fetched; `kept`, if given, replaces what was stored with it."""

    @abstractmethod
    def give_back(self, lease: Lease, tried: bool = True) -> None:
        """The lease ends without an answer: its offer is open again, with one more try counted if it was tried."""

    @abstractmethod
    def rest(self, host: str, until: float) -> None:
        """Do not visit a host before then; a longer rest that it has already stays."""

    @abstractmethod
    def set_delay(self, host: str, seconds: float) -> None:
        """From its next visit on, let a host rest this long after each."""

    def known(self, url: str) -> tuple[Any, ...] | None:
        """What Keep stored with a fetched URL, () if nothing; None when it was not fetched."""
        return self.known_all([url])[0]

    @abstractmethod
    def known_all(self, urls: Sequence[str]) -> Sequence[tuple[Any, ...] | None]:
        """The same for many URLs at once, in their order."""

    @abstractmethod
    def ready(self, now: float) -> float | None:
        """The earliest time, `now` or later, at which `take` has something; None when it never will as things are."""

    def save(self) -> None:  # noqa: B027 only a frontier that writes has something to hold back
        """Write what waits to be written: said before each commit."""

    @abstractmethod
    def lanes(self) -> Iterator[LaneState]:
        """Every lane seen so far, for people to look at."""

    @abstractmethod
    def __len__(self) -> int:
        """How many URLs are open (parked ones too)."""
