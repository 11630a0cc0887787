"""A strategy that raises an exception, or returns what it must not, wherever a test wants it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from opilio.nouns import Lane, Link, News, Offer, Page, PastCrawl, Reweigh, Say, Strategy, Weight
from opilio.picture import Section

WRONG: dict[str, Any] = {
    "nan": float("nan"),
    "weight-nan": Weight(float("nan")),
    "weight-inf": Weight(float("inf")),
    "tuple": (1.0, 2.0),
    "numbers": [7],
    "offer-nan": [Offer(Link("http://a.test/"), float("nan"))],
}


class Faulty(Strategy):
    """Breadth first, in two lanes that are weighed again after each page; each page is news for the other shards."""

    mended = False

    def __init__(self, method: str = "", times: int = 10**9, wrong: str = "") -> None:
        """The method raises this many times; or it returns what is wrong."""
        self.method, self.times, self.wrong = method, times, wrong
        self.failed_ = 0

    def _fail(self, method: str) -> Any:
        if method != self.method or self.failed_ >= self.times or self.mended:
            return None
        self.failed_ += 1
        if not self.wrong:
            raise KeyError("no such thing")
        return WRONG[self.wrong]

    def start(self, seeds: Iterable[Link], pages: Iterable[Page]) -> Iterable[Say]:
        return self._fail("start") or map(Offer, seeds)

    def observe(self, page: Page) -> Iterable[Say]:
        yield News(("seen", page.url))
        for place, link in enumerate(page.links):
            yield Offer(link, 1.0, (str(place % 2),))
        yield Reweigh(("0",))

    def weigh(self, lane: Lane) -> Weight:
        return self._fail("weigh") or Weight(2.0)

    def hear(self, news: News) -> Iterable[Say]:
        return self._fail("hear") or ()

    def dry(self) -> Iterable[Say]:
        return self._fail("dry") or ()

    def picture(self, crawl: PastCrawl) -> Iterable[Section]:
        return self._fail("picture") or ()

    def why(self) -> str:
        return self._fail("why") or ""
