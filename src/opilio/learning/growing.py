"""A topic that gets better while a crawl runs: by pages that it is sure of, and by what people say of pages.

Pages that it is sure of are taken for examples, and after 100 pages, 200, 400 and so on a second model is learned with them
and asked beside the first: the mean of their log odds counts. It must not drift: the first model, which knows only what
people said, has to agree with every such page; a trial model, learned without a third of the user's examples, has to judge
these right; and about as many pages of a sample must be relevant with the new model as before. Else all stays as it is.
What people say of pages goes into the first model at once, and the second has to be learned anew.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol, Self

from ..nouns import RELEVANT, Material, Page, Topic
from .examples import example
from .kept import Kept, Sample, enter, opened, pages, press
from .saved import dump, undump
from .text import has_words

SURE = 0.95  # a page that is judged above this is taken for relevant, one below 1 - SURE for not relevant
ON, OFF, ANY = 60, 120, 60  # pages in the samples: on the topic, off it, any
SHARE, FEWEST = 3, 15  # at most so many times the user's own examples are taken on trust, or this number
ENOUGH = 5  # pages of each kind, to learn from
FIRST, GROWTH = 100, 2  # pages before it learns for the first time, and how the pause grows
APART = 3  # every third of the user's examples is held back
AGREED = 0.8  # the share of these that a new model must judge right, unless the old one judged fewer right
SWING, SLACK = 2.0, 0.05  # how many times more or fewer pages may be relevant to it, give or take a few


class Relearning(Protocol):
    """A topic that knows its material and can learn again from other material."""

    why: str
    kept: Kept
    asked: bool

    def save(self, path: Path) -> None: ...
    def again(self, material: Material) -> Self: ...
    def text(self, text: str) -> float: ...
    def page(self, page: Page) -> float: ...
    def links(self, page: Page) -> Sequence[float]: ...


class Growing(Topic):
    """Judges as the first model does until there is a better one."""

    def __init__(self, first: Any, adapts: bool) -> None:
        """Without `adapts`, and for a model that was asked for by name, only what people say is learned."""
        self.given: Relearning = first
        self.adapts = adapts and not first.asked
        self.on_: Sample = {}
        self.off_: Sample = {}
        self.any_: Sample = {}
        self.told_: dict[str, tuple[bool, bytes]] = {}
        self.seen_, self.due_, self.stale_ = 0, FIRST, False
        self.learned_ = 0  # times that a second model was taken
        self.first_, self.second_ = b"", b""  # the first model, once people said more; the one that is asked beside it
        self._last: tuple[Page | None, float] = (None, 0.0)
        self._opened: tuple[bytes, bytes, Relearning, Topic] = (b"", b"", first, first)

    @property
    def first(self) -> Relearning:
        """The model that knows what people said, and nothing else."""
        return self._models()[2]

    @property
    def now(self) -> Topic:
        """The model that judges now: the first one, or both together."""
        return self._models()[3]

    @property
    def why(self) -> str:
        """Which model judges, and the reason."""
        return self.first.why

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
            self.on_.pop(page.url, None)
            self.off_.pop(page.url, None)
            self.stale_ = True  # it learns when it is next asked, once for all that it was told
            self._last = (None, 0.0)
            self.second_, self.due_ = b"", self.seen_ + FIRST

    def observe(self, page: Page, relevance: float) -> None:
        if not self.adapts or not has_words(page.text):
            return
        self.seen_ += 1
        enter(self.any_, page, ANY)
        if max(relevance, 1 - relevance) > SURE and page.url not in self.told_ and self._first_agrees(page, relevance):
            sample, most = (self.on_, ON) if relevance > SURE else (self.off_, OFF)
            enter(sample, page, most)
        if self.seen_ >= self.due_:
            self.due_ = self.seen_ * GROWTH
            self._grow()

    def _models(self) -> tuple[bytes, bytes, Relearning, Topic]:
        if self.stale_:
            self.stale_ = False
            relearned: Any = self.given.again(self._own())
            self.first_ = dump(relearned.bare())
        if self.first_ is not self._opened[0] or self.second_ is not self._opened[1]:
            first: Any = undump(self.first_) if self.first_ else self.given
            now = Both(first, undump(self.second_)) if self.second_ else first
            self._opened = (self.first_, self.second_, first, now)
        return self._opened

    def _first_agrees(self, page: Page, relevance: float) -> bool:
        return not self.second_ or (self.first.page(page) >= RELEVANT) == (relevance >= RELEVANT)

    def _own(self) -> Material:
        """What people said: the material it began with, and what it was told of pages since."""
        kept = self.given.kept.material()
        yes, no = (tuple(opened(page) for said, page in self.told_.values() if said == kind) for kind in (True, False))
        return Material(kept.words, kept.positives + yes, kept.negatives + no)

    def _grow(self) -> None:
        own, old = self._own(), self.now
        if len(self.off_) < ENOUGH or len(self.on_) + len(own.positives) < ENOUGH:
            return
        rest, held = _parted(own)
        if agrees(self._learned(rest), old, held):
            new = self._learned(own)
            if steady(Both(self.first, new), old, pages(self.any_)):
                self.second_ = dump(new.bare())
                self.learned_ += 1

    def _learned(self, own: Material) -> Any:
        """A model of what people said and of the pages that were taken on trust."""
        most = max(FEWEST, SHARE * len(own.positives))
        yes, no = own.positives + pages(self.on_, most), own.negatives + pages(self.off_)
        return self.given.again(Material(own.words, yes, no))


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


def agrees(new: Topic, old: Topic, held: Material) -> bool:
    """Whether a model judges examples of the user's as it should, though it did not learn from them."""
    pairs = [(page, True) for page in held.positives] + [(page, False) for page in held.negatives]
    right = [sum((topic.page(page) >= RELEVANT) == kind for page, kind in pairs) for topic in (new, old)]
    return right[0] >= min(right[1], AGREED * len(pairs))


def steady(new: Topic, old: Topic, sample: Sequence[Page]) -> bool:
    """Whether about as many pages of a sample are relevant to the new model as to the old one."""
    now, then = (sum(topic.page(page) >= RELEVANT for page in sample) / max(1, len(sample)) for topic in (new, old))
    return then / SWING - SLACK <= now <= then * SWING + SLACK


def _parted(own: Material) -> tuple[Material, Material]:
    """The material without every third example, and these."""
    kinds = (own.positives, own.negatives)
    rest = (tuple(page for place, page in enumerate(kind) if place % APART) for kind in kinds)
    return Material(own.words, *rest), Material("", *(kind[::APART] for kind in kinds))
