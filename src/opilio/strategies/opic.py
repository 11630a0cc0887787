"""OPIC: importance flows along links and adds up, whatever the topic (Abiteboul et al. 2003)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Literal

from ..learning.cash_picture import cash_picture
from ..learning.flow import AGAIN, SHARES, due, handed_on, weight_again
from ..nouns import Keep, Lane, Link, Offer, Page, PastCrawl, Reweigh, Say, Strategy, Terms, Weight
from ..picture import Section
from ..urls import digest

LANES = 4096  # for the selections that go round: pages of one lane share their turn


class Opic(Strategy):
    """The price of a URL is its cash; a page hands its cash on to its links in equal shares.

    Kept with a page: its history, the cash that has passed through it, which approaches PageRank as pages are visited again.
    `select`: greedy takes the richest; random any lane of pages with equal chance; cycle every lane in turn.
    `recrawl`: after this many pages the richest fetched one is fetched again; 0 never, 1 fetched pages compete with the rest.
    `virtual`: every page also links to a virtual page, which links to all seeds.
    """

    terms = Terms("cash", shift="turn of its group", lane="group of pages")
    merge = "sum"
    whole_batches = True
    notes = SHARES

    def __init__(
        self,
        seed: int = 0,
        select: Literal["greedy", "random", "cycle"] = "greedy",
        recrawl: int = 0,
        virtual: bool = False,
    ) -> None:
        self.seed, self.select, self.recrawl, self.virtual = seed, select, recrawl, virtual
        self.pages_ = 0
        self.turns_: dict[Lane, tuple[float, int]] = {}
        self.seeds_: list[str] = []
        self.held_ = 0.0  # the virtual page's cash

    def start(self, seeds: Iterable[Link], pages: Iterable[Page]) -> Iterable[Say]:
        self.seeds_ = sorted({link.url for link in seeds})
        return [self._placed(Offer(Link(url), 1 / len(self.seeds_))) for url in self.seeds_]

    def observe(self, page: Page) -> Iterable[Say]:
        history = page.kept[0] if page.kept else 0
        yield Keep((history + page.value,))
        links = {link.url: link for link in page.links}
        cash = page.value
        if self.virtual and links:
            self.held_ += cash / (len(links) + 1)
            cash -= cash / (len(links) + 1)
        yield from map(self._placed, handed_on(page, cash, list(links.values()), [1] * len(links)))
        yield from self._virtual_page()
        self.pages_ += 1
        if due(self.pages_, self.recrawl) and self.recrawl > 1:
            yield Reweigh(AGAIN)
        if self.select != "greedy":
            yield from self._next_turn(page.offer.lane)

    def picture(self, crawl: PastCrawl) -> Iterable[Section]:
        return cash_picture(crawl)

    def weigh(self, lane: Lane) -> Weight:
        if lane == AGAIN:
            return weight_again(self.pages_, self.recrawl)
        if self.select == "greedy":
            return Weight()
        return Weight(-self._turn(lane)[0], 0.0)

    def _placed(self, offer: Offer) -> Offer:
        lane = () if self.select == "greedy" else (self.select, str(digest(offer.link.url) % LANES))
        again = {0: None, 1: lane}.get(self.recrawl, AGAIN) if offer.again else None
        return Offer(offer.link, offer.value, lane, offer.note, again)

    def _virtual_page(self) -> Iterable[Say]:
        if self.held_ * len(self.seeds_) >= 1:
            share, self.held_ = self.held_ / len(self.seeds_), 0.0
            yield from (self._placed(Offer(Link(url), share, again=AGAIN)) for url in self.seeds_)

    def _turn(self, lane: Lane) -> tuple[float, int]:
        """When a lane is due, and how often it was: a Poisson process makes the choice uniform, equal steps make a cycle."""
        return self.turns_.get(lane) or (self._pause(lane, 0), 0)

    def _next_turn(self, lane: Lane) -> Iterable[Say]:
        when, count = self._turn(lane)
        self.turns_[lane] = (when + self._pause(lane, count + 1), count + 1)
        yield Reweigh(lane)

    def _pause(self, lane: Lane, count: int) -> float:
        if self.select == "cycle":
            return 1.0
        chance = (digest(f"{self.seed} {lane} {count}") + 1) / 2**64
        return -math.log(chance)
