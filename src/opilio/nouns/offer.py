"""What a strategy can say: offers, and what goes with them."""

from __future__ import annotations

import math
from typing import Any, NamedTuple, TypeAlias

from .link import Link, quick

Lane: TypeAlias = tuple[str, ...]  # links that share a fate


class Weight(NamedTuple):
    """Price of an offer = shift + scale * value; the frontier takes the highest-priced."""

    shift: float = 0.0
    scale: float = 1.0  # >= 0
    most: float = math.inf  # leases until the lane is weighed again

    def price(self, value: Any) -> Any:
        """Of an offer of this value in the lane; of many, where shift, scale and value are arrays."""
        return self.shift + self.scale * value


PARK = Weight(-math.inf, 0.0)  # wait

DROP = Weight(-math.inf, -1.0)  # gone: frees the rows, counted by lane, cash kept as credit

DEFERRED: Lane = (
    "deferred",
)  # offers that promise nothing new wait here, whatever their lane; strategies never see it


@quick(frozen=True, slots=True)
class Offer:
    """What a strategy wants fetched, and a message: it can be sent to another shard."""

    link: Link
    value: float = 1.0  # finite, else refused
    lane: Lane = ()
    note: tuple[Any, ...] = ()  # comes back with the page; plain values only
    again: Lane | None = None  # the lane to put it in if it was fetched before
    hops: int = 0  # redirects followed on the way
    tries: int = 0  # answers so far that said: come back later
    depth: int = 0  # links from a seed, where another shard counted them; 0: one more than the page it stands on

    def worth(self, value: float, note: tuple[Any, ...] | None = None) -> Offer:
        """The same with another value, and another note if there is one."""
        noted = self.note if note is None else note
        return Offer(self.link, value, self.lane, noted, self.again, self.hops, self.tries, self.depth)


@quick(frozen=True, slots=True)
class Reweigh:
    """Ask the strategy again what a lane (None: every lane) is worth."""

    lane: Lane | None = None


@quick(frozen=True, slots=True)
class Keep:
    """Store this note with the row of the page just observed; `page.kept` and `page.known(url)` read it."""

    note: tuple[Any, ...]


@quick(frozen=True, slots=True)
class News:
    """A fact that every other shard must hear; hearing it twice or in another order changes nothing."""

    fact: tuple[Any, ...]


@quick(frozen=True, slots=True)
class Lesson:
    """What came of a page, for the strategies of other shards to learn from; one that hears it hears it once."""

    fact: tuple[Any, ...]


@quick(frozen=True, slots=True)
class TopicNews:
    """A page that the topics of all other shards must know, as models read it; hearing it twice changes nothing."""

    page: bytes
    judged: bool = False  # by people: what they said stands in the labels, which all shards have


Say: TypeAlias = Offer | Reweigh | Keep | News | Lesson
Posted: TypeAlias = Offer | News | Lesson | TopicNews  # what goes to other shards


class Letter(NamedTuple):
    """A say on its way to another shard."""

    sender: int
    receiver: int
    number: int  # counts up from 1 for each pair of shards
    say: Posted
