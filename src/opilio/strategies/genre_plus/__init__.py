"""Genre plus: best-first that learns as it goes on what kinds of pages good links stand: genres, and unlabelled templates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

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
)
from ...picture import Section
from ...urls import site
from ..genre.model import Guess, guess, model
from .outcomes import Outcomes
from .picture import genre_picture
from .templates import Leaders, template

SAMPLE: Lane = ("sample",)
FURTHER = ("template", "site")
HOPS = 2  # from the seeds: as far as the sample goes
STEPS = 10  # that confidence is told in
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
        self,
        topic: Topic,
        further: str = "template",
        relevance: float | None = None,
        sample: int = 0,
        online: bool = True,
        model: str = "",
    ) -> None:
        if relevance is not None and not 0 <= relevance <= 1:
            raise ConfigError(f"strategy genre-plus: relevance={relevance} must be from 0 to 1")
        self.further = [] if further == "none" else further.split("+")
        if set(self.further) - set(FURTHER):
            raise ConfigError(f"strategy genre-plus: further={further} must be none, or made of {' + '.join(FURTHER)}")
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
            yield from [Reweigh(lane) for lane in self.shifts_ if self._moved(lane)]

    def picture(self, crawl: PastCrawl) -> Iterable[Section]:
        return genre_picture(self.outcomes_)

    def weigh(self, lane: Lane) -> Weight:
        if lane == SAMPLE:
            return Weight(2.0 + HOPS) if self._sampling() else DROP
        if not lane:
            return Weight()
        self.shifts_[lane] = shift = self._shift(lane)
        return Weight(shift, 1.0 if self.relevance is None else self.relevance)

    # what a page is, and what it teaches

    def kinds(self, page: Page, found: Guess) -> tuple[str, ...]:
        """The kinds of a page that are told apart; the first is its genre."""
        names = {
            "template": lambda: f"template {template(self.leaders_, page.paths)}",
            "site": lambda: f"site {site(page.url)}",
        }
        return (found.genre, *(names[name]() for name in self.further))

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
        lane = (known, str(round(found.confidence * STEPS)), *self.kinds(page, found))
        note = (relevance, found.genre, found.confidence)
        if self._sampling():
            yield from self._spread(page, lane, note)
        elif self.sample and self.online and self.relevance is not None:
            self._note_known(page, lane)
        yield from [Offer(link, relevance, lane, note) for link in page.links]

    def _note_known(self, page: Page, lane: Lane) -> None:
        """The sample counted all links: followed ones alone, the best, would raise P, and with it the weight of C."""
        outcomes = self.outcomes_
        for url in {link.url for link in page.links}:
            if fetched := page.known(url):
                outcomes.note(lane[0], lane[2:], self._counts(fetched[0]))

    def _spread(self, page: Page, lane: Lane, note: tuple[Any, ...]) -> Iterator[Say]:
        """All links of the sample count, now or once they are followed; near the seeds all are followed."""
        outcomes = self.outcomes_
        depth = 1 - page.value if page.offer.lane == SAMPLE else HOPS + 1
        for link in {link.url: link for link in page.links}.values():
            if fetched := page.known(link.url):
                outcomes.note(lane[0], lane[2:], self._counts(fetched[0]))
            else:
                self.waiting_.setdefault(link.url, []).append(lane)
            if depth <= HOPS:
                yield Offer(link, -depth, SAMPLE, note)

    # what lanes are worth

    def _shift(self, lane: Lane) -> float:
        outcomes, (relevance, steps, genre, *others) = self.outcomes_, lane
        sure = int(steps) / STEPS
        if self.relevance is not None:
            return (1 - self.relevance) * sure * outcomes.rate(relevance, genre)
        further = sum(
            outcomes.differ(relevance, place) * self._promise(relevance, kind) for place, kind in enumerate(others, 1)
        )
        first = sure * outcomes.differ(relevance) * self._promise(relevance, genre)
        return (first + further) / outcomes.slope()

    def _promise(self, relevance: str, kind: str) -> float:
        # Without hope, a genre that was never tried would stay behind one that is a hair above the average.
        outcomes = self.outcomes_
        return outcomes.gain(relevance, kind) + (outcomes.hope(relevance, kind) if self.online else 0.0)

    def _moved(self, lane: Lane) -> bool:
        return abs(self._shift(lane) - self.shifts_[lane]) > MOVED
