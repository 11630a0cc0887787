"""What turns pages into offers, and what its picture may look at."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Literal, NamedTuple

from ..errors import ConfigError
from ..picture import Section
from .link import Link
from .offer import Lane, Lesson, News, Offer, Say, Weight
from .page import Page


class Fetched(NamedTuple):
    """A page that a crawl has fetched, in few words."""

    url: str
    title: str
    relevance: float | None  # None: it was not judged
    cash: float  # that went through it or waits there


class PastCrawl(ABC):
    """What a crawl has fetched so far, for the picture of its strategy."""

    @abstractmethod
    def by_cash(self) -> Sequence[Fetched]:
        """Every page, the richest first."""

    @abstractmethod
    def first_site(self, most: int) -> Sequence[Page]:
        """The first pages of the site that the first page is of, with their documents."""

    @abstractmethod
    def judged(self) -> Mapping[str, float]:
        """The relevance of each page that was judged, by URL."""


class Terms(NamedTuple):
    """What a strategy calls the parts of a priority, which is shift + value × scale, when it is explained to people."""

    value: str = "value"
    scale: str = "weight of its lane"
    shift: str = "bonus of its lane"
    lane: str = "lane"


class Strategy(ABC):
    """Turns fetched pages into offers. No I/O, no clock, no threads; what it learns ends in `_`.

    The parameters of `__init__` are its needs (topic, seed, truth, example ...: what a task gives) and, with defaults,
    its settings. The needs that a task or a crawl can give: topic (Topic), seed (int), truth (Mapping[str, float]: what
    each URL is worth, benchmarks only), example (Page), goal (str), tag (str), words (str: what the
    user calls the topic, may be empty).
    """

    # max: one offer per (url, lane); sum: one total per url; join: see `join`.
    merge: ClassVar[Literal["max", "sum", "join"]] = "max"
    terms: ClassVar[Terms] = Terms()
    # What the values in an offer's note mean, "": not for people; seeds may have none.
    notes: ClassVar[tuple[str, ...]] = ()
    # Needs with defaults of which one at least must be given, the usual one first.
    one_of: ClassVar[tuple[str, ...]] = ()
    # `batch` pages at a time from the first on; else a tenth of what was fetched so far.
    whole_batches: ClassVar[bool] = False
    most_at_once: ClassVar[int | None] = None  # offers taken before open ones are priced again; None: a batch
    # The topic model that the method judges by, as --model names it; a model that a user names goes before it.
    topic_model: ClassVar[str] = "auto"
    recall: bool = False  # pages fetched before are read from the store, not fetched again: they cost no budget

    def start(self, seeds: Iterable[Link], pages: Iterable[Page]) -> Iterable[Say]:
        """The first offers. `pages` were fetched before, and are about the topic; each is among the seeds, and comes back at
        no cost when its turn has come."""
        return map(Offer, seeds)

    @abstractmethod
    def observe(self, page: Page) -> Iterable[Say]:
        """Learn from a page, say what to fetch next."""

    def weigh(self, lane: Lane) -> Weight:
        """What a lane is worth now. Asked when a lane is first seen and at each Reweigh."""
        return Weight()

    def join(self, held: Offer, new: Offer) -> Offer:
        """Make one offer of two for the same open URL in the same lane; asked where merge is "join". `reprice` prices it."""
        return max(held, new, key=lambda offer: offer.value)

    def reprices(self) -> int:
        """How many of the highest-priced offers are to be priced again; asked once before each batch."""
        return 0

    def reprice(self, offers: Sequence[Offer]) -> Sequence[float]:
        """What offers are worth now; asked before each batch for the highest-priced ones, if `reprices` says so.

        Where merge is "join", also for all that are new or were joined: those of all pages since the last batch together.
        """
        return [offer.value for offer in offers]

    def wasted(self, offer: Offer) -> Iterable[Say]:
        """The fetch of an offer brought nothing new: it was redirected to a page that was fetched before."""
        return ()

    def hear(self, news: News) -> Iterable[Say]:
        """A fact from another shard; commutative."""
        return ()

    def study(self, lesson: Lesson) -> Iterable[Say]:
        """What came of a page of another shard: learn from it as from a page of its own, and offer nothing."""
        return ()

    def dry(self) -> Iterable[Say]:
        """All shards idle, nothing in flight: end a stage."""
        return ()

    def know_site(self, text: str, name: str) -> None:
        """Start from what an earlier crawl learned of a site: the text of its file, and the file's name for errors."""
        raise ConfigError(
            f"site={name}: this strategy cannot start from a site file; leave it out, or use structure, structure-plus or "
            "profile"
        )

    def site_text(self, notes: Iterable[tuple[Any, ...]], before: tuple[str, str] | None) -> str:
        """What it has learned of a site, as text for `know_site`; "" when that is nothing. Asked after a restore.

        `notes` are those that Keep stored, `before` is the text and the name of the file that it started from, if any.
        """
        return ""

    def reasons(self, offer: Offer) -> Sequence[str]:
        """What speaks for an offer, in sentences for people; asked after a restore, when its needs may be stand-ins."""
        return ()

    def picture(self, crawl: PastCrawl) -> Iterable[Section]:
        """What it has learned, for people to look at; asked after a restore, when its needs may be stand-ins."""
        return ()

    def why(self) -> str:
        """Why it does not go by its own method on this site; "" when it does."""
        return ""
