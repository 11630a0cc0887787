"""The nouns of Opilio. It imports nothing of ours but errors and the parts of pictures; everything else imports it."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Protocol, TypeAlias

from .errors import ConfigError
from .picture import Section

Lane: TypeAlias = tuple[str, ...]  # links that share a fate
RELEVANT = 0.5  # a page of at least this relevance counts as relevant
INTERNAL = "internal: "  # how the error of a page begins that is a mistake of our own

if TYPE_CHECKING:
    from dataclasses import dataclass as quick
else:

    def quick(**promised: bool) -> Callable[[type], type]:
        """A dataclass that is frozen for the type checker alone: Python's way to freeze one makes it five times as slow to make,
        and a page makes hundreds; the class itself takes longer, too."""
        return dataclass(slots=True, unsafe_hash=True)


@quick(frozen=True, slots=True)
class Link:
    """One anchor on one page."""

    url: str  # canonical
    source: str = ""  # canonical url of the page it stands on
    anchor: str = ""  # the words of the link itself (or its image's alt text)
    context: str = ""  # 20 words around it, the anchor's own counted in
    path: str = ""  # tags and classes from the root: html/body/div.main/ul/li/a.title
    image: bool = False  # it holds an image
    rel: tuple[str, ...] = ()  # nofollow, next, tag ...


class Document(Protocol):
    """What the bytes of a page say, parsed once and lazily; html.Document is the one that does it."""

    @property
    def title(self) -> str: ...
    @property
    def text(self) -> str: ...  # all visible words
    @property
    def main(self) -> str: ...  # the text without navigation
    @property
    def language(self) -> str: ...  # "en"; "" when unknown
    @property
    def charset(self) -> str: ...
    @property
    def links(self) -> Sequence[Link]: ...
    @property
    def paths(self) -> Mapping[str, int]: ...  # root-to-leaf element paths with their counts
    @property
    def styled(self) -> Mapping[str, int]: ...  # the same with the classes of every element
    @property
    def marks(self) -> Mapping[str, int]: ...  # pictures, media, dates by tag, and what kind of page it says it is
    @property
    def robots(self) -> frozenset[str]: ...  # of <meta name=robots>, lower case
    @property
    def canonical(self) -> str: ...  # of <link rel=canonical>; "" when absent


class Weight(NamedTuple):
    """Price of an offer = shift + scale * value; the frontier takes the highest-priced."""

    shift: float = 0.0
    scale: float = 1.0  # >= 0
    most: float = math.inf  # leases until the lane is weighed again


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


Say: TypeAlias = Offer | Reweigh | Keep | News


class Known:
    """What Keep stored with a URL, () if nothing; None when it was not fetched. By itself it knows of none."""

    def __call__(self, url: str) -> tuple[Any, ...] | None:
        return None

    def all(self, urls: Sequence[str]) -> Sequence[tuple[Any, ...] | None]:
        """The same of many at once."""
        return list(map(self, urls))


@quick(frozen=True, slots=True)
class Wire:
    """What went over the wire for one fetch, byte for byte."""

    request: bytes  # request line and headers, with the empty line
    head: bytes  # status line and headers, with the empty line
    payload: bytes  # the body as it came: compressed, in chunks
    time: float  # when the request was sent
    address: str = ""  # of the server


@dataclass(slots=True)
class Page:
    """What one fetch brought back. Trouble on the web is `.error`, and then there are no links."""

    offer: Offer  # the one that asked for it; its value is all it had gathered
    url: str
    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)  # names in lower case
    body: bytes = b""
    error: str = ""  # "http 404", "timeout", "robots" ...
    refused: bool = False  # by robots.txt, by the guard: nothing was fetched, so it costs no budget
    recalled: bool = False  # it was known before: nothing was fetched, so it costs no budget
    rest: float = 0.0  # seconds for which its host wants to be left alone; with an error: come back after that
    later: bool = False  # nothing was asked, for it was not its turn: that is no try
    delay: float | None = None  # seconds between two visits that its host asks for
    directives: frozenset[str] = frozenset()  # what it asks of robots: noindex, noarchive, noai, tdm-reservation=1 ...
    stored: bool = True  # False: it asks not to be archived, and that is obeyed
    wire: Wire | None = None
    location: str = ""  # canonical target, when it is a redirect
    document: Document | None = None
    kept: tuple[Any, ...] | None = None  # what Keep stored at the last visit
    known: Known = field(default_factory=Known)  # the same for any URL
    relevance: float | None = None  # what the topic made of it, in [0, 1]; None: it was not judged

    @property
    def value(self) -> float:
        return self.offer.value

    @property
    def title(self) -> str:
        return self.document.title if self.document else ""

    @property
    def text(self) -> str:
        return self.document.text if self.document else ""

    @property
    def main(self) -> str:
        return self.document.main if self.document else ""

    @property
    def language(self) -> str:
        return self.document.language if self.document else ""

    @property
    def links(self) -> Sequence[Link]:
        return self.document.links if self.document else ()

    @property
    def paths(self) -> Mapping[str, int]:
        return self.document.paths if self.document else {}

    @property
    def styled(self) -> Mapping[str, int]:
        return self.document.styled if self.document else {}


class Topic(ABC):
    """Text in, probability of being relevant out."""

    @property
    def why(self) -> str:
        """What it judges by and the reason, in words for people; "" when there is nothing to say."""
        return ""

    @abstractmethod
    def text(self, text: str) -> float:
        """The relevance of any piece of text, in [0, 1]."""

    def page(self, page: Page) -> float:
        """The relevance R of a page, in [0, 1]."""
        return self.text(f"{page.title}\n{page.text}")

    def links(self, page: Page) -> Sequence[float]:
        """The relevance that each of `page.links` promises by its context, in their order."""
        return [self.text(link.context) for link in page.links]

    def observe(self, page: Page, relevance: float) -> None:  # noqa: B027 most topics do not learn while they judge
        """A page was fetched and judged so: a chance to learn from it. What is learned ends in `_`."""

    def told(self, page: Page, relevant: bool) -> None:  # noqa: B027
        """A person has judged a page; that counts more than anything the topic thought of it."""


class Material(NamedTuple):
    """What a user can say about a topic; any part may be missing. Every model in topics/ learns from it."""

    words: str = ""  # a few words, or a whole text
    positives: tuple[Page, ...] = ()
    negatives: tuple[Page, ...] = ()
    around: tuple[Page, ...] = ()  # pages that nobody judged, of the sites at hand: what the topic is told apart from


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

    merge: ClassVar[Literal["max", "sum", "join"]] = (
        "max"  # max per (url, lane); sum: one total per url; join: see `join`
    )
    terms: ClassVar[Terms] = Terms()
    notes: ClassVar[
        tuple[str, ...]
    ] = ()  # what the values in an offer's note mean, "": not for people; seeds may have none
    whole_batches: ClassVar[bool] = (
        False  # `batch` pages at a time from the first on; else a tenth of what was fetched so far
    )
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
        """Make one offer of two for the same open URL in the same lane; asked where merge is "join"."""
        return max(held, new, key=lambda offer: offer.value)

    def reprices(self) -> int:
        """How many of the highest-priced offers are to be priced again before the next batch."""
        return 0

    def reprice(self, offers: Sequence[Offer]) -> Sequence[float]:
        """What open offers are worth now; asked before each batch for the highest-priced ones, if `reprices` says so."""
        return [offer.value for offer in offers]

    def hear(self, news: News) -> Iterable[Say]:
        """A fact from another shard; commutative."""
        return ()

    def dry(self) -> Iterable[Say]:
        """All shards idle, nothing under way: end a stage."""
        return ()

    def know_site(self, text: str, name: str) -> None:
        """Start from what an earlier crawl learned of a site: the text of its file, and the file's name for errors."""
        raise ConfigError(
            f"site = {name}: this strategy cannot start from a site file; leave it out, or use structure, structure-plus or "
            "profile"
        )

    def reasons(self, offer: Offer) -> Sequence[str]:
        """What speaks for an offer, in sentences for people; asked after a restore, when its needs may be stand-ins."""
        return ()

    def picture(self, crawl: PastCrawl) -> Iterable[Section]:
        """What it has learned, for people to look at; asked after a restore, when its needs may be stand-ins."""
        return ()

    def why(self) -> str:
        """Why it does not go by its own method on this site; "" when it does."""
        return ""


class Lease(NamedTuple):
    """An offer handed out to be fetched."""

    number: int  # counts up; the order in which they are handed out again after a crash
    offer: Offer  # value: all it had gathered; lane: the one it was taken from
    weight: Weight  # that lane's, when it was taken
    kept: tuple[Any, ...] | None = None  # what Keep stored, if it was fetched before

    @property
    def price(self) -> float:
        return self.weight.shift + self.weight.scale * self.offer.value


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

    @abstractmethod
    def known(self, url: str) -> tuple[Any, ...] | None:
        """What Keep stored with a fetched URL, () if nothing; None when it was not fetched."""

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


class Letter(NamedTuple):
    """A say on its way to another shard."""

    sender: int
    receiver: int
    number: int  # counts up from 1 for each pair of shards
    say: Offer | News


class LaneState(NamedTuple):
    lane: Lane
    weight: Weight
    open: int
    dropped: int


class Fetcher(ABC):
    """Offer in, Page out; it never raises for what the web does."""

    @abstractmethod
    async def fetch(self, offer: Offer) -> Page: ...
