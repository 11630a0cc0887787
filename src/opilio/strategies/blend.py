"""Blend: all signals together, each counting as much as it has shown to be worth in this crawl."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import log
from typing import ClassVar

from ..batch import column
from ..learning.evidence_words import mix_picture, reasons
from ..learning.host_search import HostSearch
from ..learning.latest import Latest
from ..learning.named_words import NamedWords
from ..learning.page_likeness import Like
from ..learning.percentiles import Percentiles
from ..learning.signal_mix import SignalMix
from ..learning.texts import Texts
from ..learning.track_record import TrackRecord
from ..learning.url_evidence import (
    NOTES,
    PRIOR,
    Evidence,
    PageKinds,
    Signals,
    address_kinds,
    around_kinds,
    merged,
    parted,
    title_kinds,
    word_kinds,
)
from ..learning.visit_log import Visit, VisitLog
from ..learning.wanted import Wanted
from ..nouns import RELEVANT, Keep, Link, Offer, Page, PastCrawl, Say, Strategy, Terms, Topic
from ..picture import Section

FIRST = 100.0  # the price of what comes before everything else: example pages, and seeds where there is no other start
SEED = 1.0  # the price of a seed where there are example pages: their best links go before it
FEW = 100  # offers that are priced again before each batch
MANY, GROWTH = 10_000, 1.25  # and so many whenever the crawl has grown so many times
DOUBTFUL = 0.7  # the power of relevance that is learned from: a page in doubt is nearer to the topic than most
KEPT = 0.1  # share of its cash that a page hands on even if it is not relevant


class Blend(Strategy):
    """price = Σ weight · signal + draw: the log odds that fetching a URL pays.

    The signals are: the topic's own words in its links, the words around them, the relevance of the pages that link to it, how
    many more relevant pages than others do, what links at such places, in such lists, on the same pages and with such words
    turned out to be and led to, what pages of its host and folder were, the importance that flows to it, and how little is known
    of its host. The weights begin with a prior and are learned from the pages that were fetched. A page pays if it is new and
    relevant, or if it leads to pages that are; it is relevant if it is about the topic, like an example page, or both. The draw
    is for hosts of which little was fetched, where there are few hosts.
    """

    merge = "join"
    notes = NOTES
    one_of = ("topic", "like")
    most_at_once = 10  # so that a chain of next pages is not followed by one page a batch
    terms = Terms("log odds that fetching it pays")
    prior: ClassVar[Mapping[str, float]] = PRIOR

    def __init__(self, topic: Topic | None = None, like: Like | None = None, words: str = "") -> None:
        self.wanted = Wanted(topic, like)
        self.named_ = NamedWords.of(words)
        self.record_ = TrackRecord()
        self.relevances_ = Percentiles()
        self.visits_ = VisitLog()
        self.texts_ = Texts()
        self.search_ = HostSearch()
        self.mix_ = SignalMix([*self.prior.values(), 0.0])
        self.repriced_ = 0  # pages that were fetched when many offers were last priced again
        self.offered_, self.cash_ = 0, 0.0  # offers made so far, and the logarithms of their cash together
        self._signals = Latest(self._computed)

    def start(self, seeds: Iterable[Link], pages: Iterable[Page]) -> Iterable[Say]:
        examples = {page.url for page in pages}
        return [Offer(link, FIRST if not examples or link.url in examples else SEED) for link in seeds]

    def observe(self, page: Page) -> Iterable[Say]:
        relevance = self.wanted.page(page) ** DOUBTFUL if page.document else 0.0
        new = page.document is not None and self.texts_.add(page.text)
        self._learn(page.offer, page.url, relevance if new else 0.0, page.title)
        yield Keep((relevance,))
        yield from self._offers(page, relevance)

    def wasted(self, offer: Offer) -> Iterable[Say]:
        self._learn(offer, offer.link.url, 0.0)
        return ()

    def join(self, held: Offer, new: Offer) -> Offer:
        if not held.note or not new.note:
            return held if held.value >= new.value else new
        one, other = Evidence.of(held.note), Evidence.of(new.note)
        best, evidence = held if one.context >= other.context else new, one.joined(other)
        return replace(best, value=self._price(self._signals(), best.link, evidence), note=tuple(evidence))

    def reprices(self) -> int:
        return MANY if self.record_.pages > GROWTH * self.repriced_ else FEW

    def reprice(self, offers: Sequence[Offer]) -> Sequence[float]:
        if self.reprices() == MANY:
            self.repriced_ = int(self.record_.pages)
        signals = self._signals()
        return [
            self._price(signals, offer.link, Evidence.of(offer.note)) if offer.note else offer.value for offer in offers
        ]

    def reasons(self, offer: Offer) -> Sequence[str]:
        if not offer.note:
            return ()
        said = reasons(self.record_, self.named_, offer.link, Evidence.of(offer.note))
        return [*self.wanted.reasons(offer.link.url), *said, *self.search_.reasons(self.record_, offer.link.url)]

    def picture(self, crawl: PastCrawl) -> Iterable[Section]:
        return mix_picture(self.mix_, self.prior)

    def _learn(self, offer: Offer, url: str, relevance: float, title: str = "") -> None:
        """What came of the links that led to a page; its own title says what such links say."""
        evidence = Evidence.of(offer.note) if offer.note else None
        signals = self._signals().of(offer.link, evidence) if evidence else []
        links = [*evidence.each_kind(), *around_kinds(offer.link)] if evidence else []
        kinds = [*links, *dict.fromkeys((*word_kinds(offer.link), *title_kinds(title))), *address_kinds(url)]
        self._signals.forget()
        self.record_.count(relevance)
        self.record_.learn(kinds, relevance)
        self.relevances_.add(relevance)
        self.visits_.add(url, Visit(signals, relevance, kinds))
        if evidence:
            self.record_.improve(*self.visits_.credit(evidence.first, relevance))
            self.mix_.chosen += 1
        if self.mix_.chosen >= self.mix_.due:
            self.mix_.learn([*self.prior.values()], *self.visits_.examples())

    def _offers(self, page: Page, relevance: float) -> Iterable[Offer]:
        """An offer for each URL that is not fetched; of those that are, it is known at once what such links bring."""
        links, contexts = page.links, self.wanted.links(page) if page.links else ()
        kinds = PageKinds(page.url)
        self.search_.see((page.url, *column(links, "url")))
        known = dict(zip(column(links, "url"), page.known.all(column(links, "url")), strict=True))
        for link in links:
            if (fetched := known[link.url]) and link.url != page.url:
                self.record_.learn(parted(kinds(link.path)), fetched[0])
        cash = (Evidence.of(page.offer.note).cash if page.offer.note else 1.0) * min(1.0, KEPT + relevance)
        share = cash / max(1, len(known))

        def evidence(number: int) -> Evidence:
            context = contexts[number]
            promising = int(context >= RELEVANT)
            link = links[number]
            named = self.named_.mask(link.anchor, link.url)
            return Evidence(context, promising, relevance, relevance, 1, share, named, page.url, (kinds(link.path),))

        found = merged(links, evidence)
        self.offered_ += len(found)
        self.cash_ += len(found) * log(share + 1e-9)
        self._signals.forget()
        signals = self._signals()
        for url, (link, says) in found.items():
            self.named_.count(says.named)
            if known[url] is None:
                yield Offer(link, self._price(signals, link, says), note=tuple(says))

    def _computed(self) -> Signals:
        return Signals(self.record_, self.relevances_, self.named_, self.cash_ / max(1, self.offered_))

    def _price(self, signals: Signals, link: Link, evidence: Evidence) -> float:
        return self.mix_.price(signals.of(link, evidence)) + self.search_.draw(self.record_, link.url)
