"""A topic that gets better while a crawl runs: by the pages that it meets, and by what people say of pages.

Who gives words or pages about a topic gives nothing off it. The crawl meets plenty. Of a sample of its pages the lowest third,
and whatever is judged below 0.5, are taken for pages off the topic; where people gave few pages on it, the best of the crawl
fill them up. After 200 pages, 800, 3,200 and so on a second model is learned with them and asked beside the first: the mean of
their log odds counts. It must not drift: pages are ranked by the first model, which knows only what people said; examples of
the user's that neither of them learned from must stand as high among the pages of the sample as they did; and the new one may
call neither everything nor nothing relevant. Else all stays as it is.

What people say of pages is learned at once, with the pages that the second model guessed from this crawl: ten answers are too
few to learn a topic from. By the first alone where people named pages enough off the topic, or contradict what it was sure of.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np

from ..codec import pack, unpack
from ..nouns import RELEVANT, Material, Page, Topic
from ..text.tokens import has_words
from .kept_material import Kept, Sample, enter, opened, pages, press
from .material import example

SAMPLE = 180  # pages of the crawl that are kept
LOWEST = 3  # the lowest third of them is taken for pages off the topic
ON = 15  # pages on the topic that are enough: the user's, and the best of the crawl
ENOUGH, MANY = 5, 60  # pages on the topic and off it that it takes to learn; beside so many off it there is no need to
SURE, EXCEPTIONS = (
    0.9,
    2,
)  # answers against judgements as sure as that refute the first model, if there are more than two
FIRST, GROWTH = 200, 4  # pages before it learns for the first time, and how the pause grows
APART = 3  # every third of the user's examples is held back
SWING, SLACK = 4.0, 0.05  # how many times more or fewer pages may be relevant to it, give or take a few


class Relearning(Protocol):
    """A topic that knows its material and can learn again from other material."""

    why: str
    kept: Kept
    asked: bool

    def save(self, path: Path) -> None: ...
    def again(self, material: Material) -> Self: ...
    def bare(self) -> Self: ...
    def text(self, text: str) -> float: ...
    def page(self, page: Page) -> float: ...
    def links(self, page: Page) -> Sequence[float]: ...


class Growing(Topic):
    """Judges as the first model does until there is a better one."""

    def __init__(self, first: Any, adapts: bool) -> None:
        """Without `adapts`, and for a model that was asked for by name, only what people say is learned."""
        self.given: Relearning = first
        self.adapts = adapts and not first.asked
        self.sample_: Sample = {}
        self.best_: dict[str, tuple[float, bytes]] = {}
        self.told_: dict[str, tuple[bool, bytes]] = {}
        self.seen_, self.due_, self.stale_ = 0, FIRST, False
        self.learned_ = 0  # times that a second model was taken
        self.first_, self.second_ = b"", b""  # the first model, once people said more; the one that is asked beside it
        self._last: tuple[Page | None, float] = (None, 0.0)
        self._opened: tuple[bytes, bytes, Relearning, Topic] = (b"", b"", first, first)

    @property
    def first(self) -> Relearning:
        """The model that knows only what people said, at first or since."""
        return self._models()[2]

    @property
    def now(self) -> Topic:
        """The model that judges now: the first one, or both together."""
        return self._models()[3]

    @property
    def why(self) -> str:
        """Which model judges, and the reason."""
        now = self.now
        return (
            f"{self.first.why}; and beside it by {len(self.told_)} answers and pages guessed from this crawl"
            if isinstance(now, Both)
            else self.first.why
        )

    def text(self, text: str) -> float:
        return self.now.text(text)

    def page(self, page: Page) -> float:
        if page is not self._last[0]:  # shard and strategy ask for the same page, one after the other
            said = self.told_.get(page.url)
            self._last = (page, self.now.page(page) if said is None else float(said[0]))
        return self._last[1]

    def links(self, page: Page) -> Sequence[float]:
        return self.now.links(page)

    def told(self, page: Page, relevant: bool) -> None:
        if has_words(example(page).text):
            self.told_[page.url] = (relevant, press(page))
            self.sample_.pop(page.url, None)
            self.best_.pop(page.url, None)
            self.stale_ = True  # it learns when it is next asked, once for all that it was told
            self._last = (None, 0.0)

    def observe(self, page: Page, relevance: float) -> None:
        if not self.adapts or self._needs_none or not has_words(page.text):
            return
        self.seen_ += 1
        if page.url not in self.told_:
            enter(self.sample_, page, SAMPLE)
            self._enter_best(page, relevance)
        if self.seen_ >= self.due_:
            self.due_ = self.seen_ * GROWTH
            self._grow()

    @property
    def _needs_none(self) -> bool:
        """Whether people named so many pages off the topic that none of the crawl's is needed."""
        return len(self.given.kept.negatives) + sum(not said for said, _ in self.told_.values()) >= MANY

    def _models(self) -> tuple[bytes, bytes, Relearning, Topic]:
        if self.stale_:
            self.stale_, self.first_, self.second_ = False, b"", b""
            self._grow()
            if not self.second_:
                relearned: Any = self.given.again(self._own())
                self.first_ = pack(relearned.bare())
        if self.first_ is not self._opened[0] or self.second_ is not self._opened[1]:
            first: Any = unpack(self.first_) if self.first_ else self.given
            now = Both(first, unpack(self.second_)) if self.second_ else first
            self._opened = (self.first_, self.second_, first, now)
        return self._opened

    def _own(self) -> Material:
        """What people said: the material it began with, and what it was told of pages since."""
        kept = self.given.kept.material()
        yes, no = (tuple(opened(page) for said, page in self.told_.values() if said == kind) for kind in (True, False))
        return Material(kept.words, kept.positives + yes, kept.negatives + no)

    def _grow(self) -> None:
        own, old, trusted = self._own(), self.now, self._trusted()
        enough = len(own.positives + trusted.positives) >= ENOUGH and len(trusted.negatives) >= MANY
        if not enough or self._needs_none or self._refuted():
            return
        sample = pages(self.sample_)
        if self._agrees(own, trusted, sample):
            new = self._learned(own, trusted)
            if steady(Both(self.first, new), old, sample):
                self.second_ = pack(new.bare())
                self.learned_ += 1

    def _refuted(self) -> bool:
        """Whether people mostly say the opposite where the model that it began with was sure; two may be exceptions."""
        judged = [(self.given.page(opened(pressed)), said) for said, pressed in self.told_.values()]
        right = [(p >= RELEVANT) == said for p, said in judged if max(p, 1 - p) > SURE]
        return len(right) > EXCEPTIONS and 2 * sum(right) < len(right)

    def _agrees(self, own: Material, trusted: Material, sample: Sequence[Page]) -> bool:
        """Whether examples of the user's that were held back stand as high with a second model as without it."""
        rest, held = _parted(own)
        first: Any = self.given.again(_parted(self.given.kept.material())[0])
        return (
            standing(Both(first, self._learned(rest, trusted)), held, sample) >= standing(first, held, sample) - SLACK
        )

    def _enter_best(self, page: Page, relevance: float) -> None:
        if relevance >= RELEVANT and page.url not in self.best_:
            worst = min(self.best_, key=lambda url: (self.best_[url][0], url)) if len(self.best_) >= ON else ""
            if not worst or relevance > self.best_[worst][0]:
                self.best_.pop(worst, None)
                self.best_[page.url] = (relevance, press(page))

    def _trusted(self) -> Material:
        """The best pages of the crawl, and those of the sample that the first model ranks lowest."""
        first, best = self.first, [opened(pressed) for _, pressed in sorted(self.best_.values(), reverse=True)]
        found = sorted((first.page(page), place, page) for place, page in enumerate(pages(self.sample_)))
        lowest = [page for rank, (p, _, page) in enumerate(found) if p < RELEVANT or rank < len(found) // LOWEST]
        return Material("", tuple(page for page in best if first.page(page) >= RELEVANT), tuple(lowest))

    def _learned(self, own: Material, trusted: Material) -> Any:
        """A model of what people said and of the pages that were guessed from this crawl."""
        on = own.positives + trusted.positives[: max(0, ON - len(own.positives))]
        return self.given.again(Material(own.words, on, own.negatives + trusted.negatives))


class Both(Topic):
    """Two models; the mean of their log odds counts."""

    def __init__(self, one: Any, other: Any) -> None:
        self.one, self.other = one, other

    def text(self, text: str) -> float:
        return _between(self.one.text(text), self.other.text(text))

    def page(self, page: Page) -> float:
        return _between(self.one.page(page), self.other.page(page))

    def links(self, page: Page) -> Sequence[float]:
        return [_between(*pair) for pair in zip(self.one.links(page), self.other.links(page), strict=True)]


def _between(one: float, other: float) -> float:
    """The probability whose log odds are in the middle."""
    for_it, against = math.sqrt(one * other), math.sqrt((1 - one) * (1 - other))
    return for_it / (for_it + against) if for_it + against else 0.5


def standing(topic: Topic, held: Material, sample: Sequence[Page]) -> float:
    """The share of a sample above which pages on the topic stand, and below which pages off it do: 1 at best."""
    usual = np.array([topic.page(page) for page in sample])
    shares = [float((usual < topic.page(page)).mean()) for page in held.positives]
    shares += [float((usual > topic.page(page)).mean()) for page in held.negatives]
    return sum(shares) / len(shares) if shares else 1.0


def steady(new: Topic, old: Topic, sample: Sequence[Page]) -> bool:
    """Whether about as many pages of a sample are relevant to the new model as to the old one."""
    now, then = (sum(topic.page(page) >= RELEVANT for page in sample) / max(1, len(sample)) for topic in (new, old))
    return then / SWING - SLACK <= now <= then * SWING + SLACK


def _parted(own: Material) -> tuple[Material, Material]:
    """The material without every third example, and these."""
    kinds = (own.positives, own.negatives)
    rest = (tuple(page for place, page in enumerate(kind) if place % APART) for kind in kinds)
    return Material(own.words, *rest), Material("", *(kind[::APART] for kind in kinds))
