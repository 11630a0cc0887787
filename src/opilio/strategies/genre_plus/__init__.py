"""Genre plus: best-first that learns as it goes on what kinds of pages good links stand: genres, and unlabelled templates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...errors import ConfigError
from ...nouns import (
    DROP,
    RELEVANT,
    Keep,
    Lane,
    Link,
    Offer,
    Page,
    PastCrawl,
    Reweigh,
    Say,
    Strategy,
    Terms,
    Topic,
    Weight,
)  # fmt: skip
from ...picture import Section
from ..genre.model import Guess, guess, model
from .kinds import Leaders, further_kinds, kinds_of
from .lane_worth import STEPS, LaneWorth
from .link_sample import HOPS, SAMPLE, note_known, spread
from .outcomes import Outcomes
from .picture import genre_picture

AGAIN = 10  # pages between two looks at what lanes are worth
MOVED = 0.01  # a price that moved by less is left as it is


class GenrePlus(Strategy):
    """price = R + (C·D·(P[I,G] - P[I] + hope) + Σ D·(P[I,K] - P[I] + hope))/slope over the further kinds K that a page is of.

    With `relevance` given, the paper's w_R·R + (1 - w_R)·C·P[I,G], but with a P that is learned in the crawl.
    A template is what pages share that have most of their element paths in common; a site can be a kind too.

    R is the relevance of the page that the link stands on, I whether that is RELEVANT, G its genre, C how sure that is, P[I,G]
    the mean relevance of what links on such pages led to (in the paper, the share of relevant pages), P[I] the same for all
    genres, D how much of what genres differ by is more than chance (1 - df/Q), hope how far above what was seen of a genre the
    truth may lie (one standard error, less that of all genres), and the slope is by how much P rises with R: the weights of
    both terms, measured. A lane is (I, C in tenths, G), so that a new P is a handful of weights. Note: R, G, C.
    """

    terms = Terms("relevance of the parent", scale="weight of relevance", shift="gain by genre", lane="genre")
    notes = ("relevance of the parent", "genre of the parent", "confidence")

    def __init__(
        self, topic: Topic, further: str = "template", relevance: float | None = None, sample: int = 0, online: bool = True,
        model: str = "",
    ) -> None:  # fmt: skip
        if relevance is not None and not 0 <= relevance <= 1:
            raise ConfigError(f"strategy genre-plus: relevance={relevance} must be from 0 to 1")
        self.further = further_kinds(further)
        self.topic = topic
        self.relevance, self.sample, self.online, self.model = relevance, sample, online, model
        self.pages_ = 0
        self.outcomes_ = Outcomes()
        self.waiting_: dict[str, list[Lane]] = {}  # of the sample: links not followed yet, and where they stand
        self.shifts_: dict[Lane, float] = {}  # of each lane, when it was last weighed
        self.leaders_: Leaders = []

    def start(self, seeds: Iterable[Link], pages: Iterable[Page]) -> Iterable[Say]:
        value, lane = (0.0, SAMPLE) if self.sample else (1.0, ())
        return [Offer(link, value, lane) for link in seeds]

    def observe(self, page: Page) -> Iterable[Say]:
        relevance = self.topic.page(page) if page.document else 0.0
        self._learn(page, self._counts(relevance))
        found = guess([page], model(self.model))[0] if page.document else None
        yield Keep((relevance, ("genre", found.genre)) if found else (relevance,))
        if found and page.links:
            yield from self._offers(page, relevance, found)
        self.pages_ += 1
        if self.pages_ == self.sample:
            self.waiting_ = {}
            yield Reweigh()
        elif self.pages_ % AGAIN == 0 and not self._sampling():
            worth = self._worth()
            yield from [Reweigh(lane) for lane, shift in self.shifts_.items() if abs(worth.shift(lane) - shift) > MOVED]

    def picture(self, crawl: PastCrawl) -> Iterable[Section]:
        return genre_picture(self.outcomes_)

    def weigh(self, lane: Lane) -> Weight:
        if lane == SAMPLE:
            return Weight(2.0 + HOPS) if self._sampling() else DROP
        if not lane:
            return Weight()
        self.shifts_[lane] = shift = self._worth().shift(lane)
        return Weight(shift, 1.0 if self.relevance is None else self.relevance)

    def _worth(self) -> LaneWorth:
        return LaneWorth(self.outcomes_, self.relevance, self.online)

    # what a page is, and what it teaches

    def _sampling(self) -> bool:
        return self.pages_ < self.sample

    def _counts(self, relevance: float) -> float:
        """In the paper a page is relevant or not; how sure the model is tells more, most of all where it is wrong."""
        return relevance if self.relevance is None else float(relevance >= RELEVANT)

    def _learn(self, page: Page, good: float) -> None:
        outcomes, lane = self.outcomes_, page.offer.lane
        for source in self.waiting_.pop(page.url, ()):
            outcomes.note(source[0], source[2:], good)
        if len(lane) > 2 and self.online and not self._sampling():
            outcomes.note(lane[0], lane[2:], good)
            outcomes.compare(page.value, good, lane[2:])

    def _offers(self, page: Page, relevance: float, found: Guess) -> Iterator[Say]:
        known = "relevant" if relevance >= RELEVANT else "irrelevant"
        lane = (known, str(round(found.confidence * STEPS)), *kinds_of(page, found.genre, self.further, self.leaders_))
        note = (relevance, found.genre, found.confidence)
        if self._sampling():
            yield from spread(self.outcomes_, self.waiting_, page, lane, note, self._counts)
        elif self.sample and self.online and self.relevance is not None:
            note_known(self.outcomes_, page, lane, self._counts)
        yield from [Offer(link, relevance, lane, note) for link in page.links]
