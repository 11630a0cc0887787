"""A topic that gets better while a crawl runs: by the pages that it meets, and by what people say of pages.

The pages that a crawl meets are what a topic has to be told apart from. A sample of them is kept, and after 25 pages, 50, 100
and so on the model is learned anew: from all that people said, against the sample. Nothing that the model itself thought of a
page is learned, so it cannot drift: which pages are on the topic is for people to say.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol, Self

from ..codec import pack, unpack
from ..nouns import Material, Page, Topic, TopicNews
from ..text.tokens import has_words
from .folded import MOST, Weighty
from .kept_material import Kept, Sample, enter, enter_pressed, opened, pages, press
from .material import example
from .met_pages import MetPages

SAMPLE = 200  # pages of the crawl that are kept
FIRST, GROWTH = 25, 2  # pages before it learns for the first time, and how the pause grows


class Relearning(Protocol):
    """A topic that knows its material and can learn again from other material."""

    why: str
    kept: Kept
    asked: bool
    model: Any

    def save(self, path: Path) -> None: ...
    def again(self, material: Material) -> Self: ...
    def without(self, url: str) -> Self: ...
    def text(self, text: str) -> float: ...
    def page(self, page: Page) -> float: ...
    def links(self, page: Page) -> Sequence[float]: ...
    def decisive(self, most: int = MOST) -> list[Weighty]: ...


class Growing(Topic):
    """Judges by what was learned last."""

    def __init__(self, first: Any, adapts: bool, remarks: Sequence[str] = (), room: int = 0) -> None:
        """Without `adapts`, and for a model that was asked for by name, only what people say is learned.

        `remarks` are what a user should know of what they gave; `room` is for pages to be judged again, in bytes."""
        self.remarks = remarks
        self.given: Relearning = first
        self.adapts = adapts and not first.asked
        self.sample_: Sample = {}
        self.told_: dict[str, tuple[bool, bytes]] = {}
        self.seen_, self.due_, self.stale_ = 0, FIRST, False
        self.learned_ = 0  # times that it has learned anew
        self.judged_: dict[str, bytes] = {}  # pages of other shards that people have judged
        self.shards = 1  # topics like this one there are in the crawl, each of which sees its part
        self._met: list[TopicNews] = []  # pages that entered the sample since somebody asked
        self.met = MetPages(room)
        self.model_ = b""  # the model that judges, once it has
        self._last: tuple[Page | None, float] = (None, 0.0)
        self._opened: tuple[bytes, Relearning] = (b"", first)

    @property
    def now(self) -> Relearning:
        """The model that judges now."""
        if self.stale_:
            self._learn()
        if self.model_ is not self._opened[0]:
            self._opened = (self.model_, unpack(self.model_) if self.model_ else self.given)
        return self._opened[1]

    @property
    def why(self) -> str:
        """What judges, and what it rests on."""
        return self.now.why

    def text(self, text: str) -> float:
        return self.now.text(text)

    def page(self, page: Page) -> float:
        if page is not self._last[0]:  # shard and strategy ask for the same page, one after the other
            judged = self.told_.get(page.url)
            self._last = (page, self.now.page(page) if judged is None else float(judged[0]))
        return self._last[1]

    def links(self, page: Page) -> Sequence[float]:
        return self.now.links(page)

    def labelled(self, page: Page, relevant: bool) -> None:
        if has_words(example(page).text):
            self.told_[page.url] = (relevant, press(page))
            self.sample_.pop(page.url, None)
            self.stale_ = True  # it learns when it is next asked, once for all that it was told
            self._last = (None, 0.0)

    def unlabelled(self, url: str) -> None:
        """Forget what was said of a page."""
        if (judged := self.told_.pop(url, None)) is not None:
            if self.adapts:
                enter(self.sample_, opened(judged[1]), SAMPLE)
            self.stale_, self._last = True, (None, 0.0)

    def observe(self, page: Page, relevance: float) -> None:
        if not self.adapts or not has_words(page.text):
            return
        self.seen_ += self.shards  # the others see as many, about
        if page.url not in self.told_ and enter(self.sample_, page, SAMPLE) and self.shards > 1:
            self._met.append(TopicNews(self.sample_[page.url][1]))
        self.met.add(page, relevance)
        if self.seen_ >= self.due_:
            self.due_ = self.seen_ * GROWTH
            self.stale_ = True

    def news(self) -> Sequence[TopicNews]:
        met, self._met = self._met, []
        return met

    def hear(self, news: TopicNews) -> None:
        """The sample has the pages with the least digests of all shards, in whatever order they are heard of."""
        url = opened(news.page).url
        if news.judged:
            self.judged_[url] = news.page
        elif self.adapts and url not in self.told_:
            enter_pressed(self.sample_, url, news.page, SAMPLE)

    def material(self) -> Material:
        """What people said, at first and since, and the pages around."""
        kept = self.given.kept.material()
        yes, no = self._known(kept.positives, True), self._known(kept.negatives, False)
        if not yes and not kept.words.strip():
            yes = kept.positives  # who says no to every example leaves nothing to go by
        return Material(kept.words, yes, no, kept.around + pages(self.sample_))

    def _known(self, given: Sequence[Page], relevant: bool) -> tuple[Page, ...]:
        """Pages of a kind; what people said since outranks what was given."""
        still = (page for page in given if page.url not in self.told_)
        return (*still, *(opened(page) for answer, page in self.told_.values() if answer == relevant))

    def without(self, url: str) -> Self:
        """The topic as it would be if nobody had named this page, or judged it."""
        other = type(self)(self.given.without(url), self.adapts)
        other.sample_, other.told_ = dict(self.sample_), dict(self.told_)
        other.seen_, other.due_, other.stale_ = self.seen_, self.due_, True
        other.unlabelled(url)
        return other

    def _learn(self) -> None:
        self.stale_ = False
        relearned: Any = self.given.again(self.material())
        self.model_ = pack(relearned)
        self.learned_ += 1
