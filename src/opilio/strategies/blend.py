"""Blend: all signals together, each counting as much as it has shown to be worth in this crawl."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

from ..batch import Many, Together, many
from ..learning.evidence_signals import PRIOR
from ..learning.evidence_words import mix_picture, reasons
from ..learning.experience import Experience, Visit
from ..learning.host_search import HostSearch
from ..learning.named_words import NamedWords
from ..learning.page_likeness import Like
from ..learning.texts import Texts
from ..learning.url_evidence import NOTES, Evidence, PageLinks
from ..learning.wanted import Wanted
from ..nouns import Keep, Lesson, Link, Offer, Page, PastCrawl, Say, Strategy, Terms, Topic
from ..picture import Section

FIRST = 100.0  # the price of what comes before everything else: example pages, and seeds where there is no other start
SEED = 1.0  # the price of a seed where there are example pages: their best links go before it
UNPRICED = -FIRST  # of what gets its price when it is joined: below any seed
FEW = 50  # offers that are priced again before each batch
MANY, GROWTH = 10_000, 1.5  # and so many whenever the crawl has grown so many times
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
        self.past_ = Experience.of(self.prior.values())
        self.texts_ = Texts()
        self.search_ = HostSearch()
        self.repriced_ = 0  # pages that were fetched when many offers were last priced again

    def start(self, seeds: Iterable[Link], pages: Iterable[Page]) -> Iterable[Say]:
        examples = {page.url for page in pages}
        return [Offer(link, FIRST if not examples or link.url in examples else SEED) for link in seeds]

    def observe(self, page: Page) -> Iterable[Say]:
        relevance = self.wanted.page(page) ** DOUBTFUL if page.document else 0.0
        new = page.document is not None and self.texts_.add(page.text)
        lesson = self._learn(page.offer, page.url, relevance if new else 0.0, page.title)
        return Together(Keep((relevance,)), lesson, self._offers(page, relevance))

    def wasted(self, offer: Offer) -> Iterable[Say]:
        return [self._learn(offer, offer.link.url, 0.0)]

    def study(self, lesson: Lesson) -> Iterable[Say]:
        self.past_.learn(Visit(*lesson.fact), self.prior)
        return ()

    def join(self, held: Offer, new: Offer) -> Offer:
        if not held.note or not new.note:
            return held if held.value >= new.value else new
        one, other = Evidence.of(held.note), Evidence.of(new.note)
        best = held if one.context >= other.context else new
        return best.worth(best.value, tuple(one.joined(other)))

    def reprices(self) -> int:
        if self.past_.record.pages <= GROWTH * self.repriced_:
            return FEW
        self.repriced_ = int(self.past_.record.pages)
        return MANY

    def reprice(self, offers: Sequence[Offer]) -> Sequence[float]:
        noted = [offer for offer in offers if offer.note]
        signals = self.past_.signals(noted, self.named_)
        prices = self.past_.mix.prices(signals) + self.search_.draws(self.past_.record, [o.link.url for o in noted])
        self.past_.remember(noted, signals, prices)
        each = iter(prices.tolist())
        return [next(each) if offer.note else offer.value for offer in offers]

    def reasons(self, offer: Offer) -> Sequence[str]:
        if not offer.note:
            return ()
        record, url = self.past_.record, offer.link.url
        found = reasons(record, self.named_, offer.link, Evidence.of(offer.note))
        return [*self.wanted.reasons(url), *found, *self.search_.reasons(record, url)]

    def picture(self, crawl: PastCrawl) -> Iterable[Section]:
        return mix_picture(self.past_.mix, self.prior)

    def _learn(self, offer: Offer, url: str, relevance: float, title: str = "") -> Lesson:
        """Learn from what came of an offer; the same for other shards."""
        signals = self.past_.chosen_by(offer, self.named_) if offer.note else []
        visit = Visit.of(offer, url, relevance, title, signals)
        self.past_.learn(visit, self.prior)
        return Lesson(tuple(visit))

    def _offers(self, page: Page, relevance: float) -> Many[Offer]:
        """An offer for each URL that is not fetched, which is priced when all its evidence is joined."""
        links = PageLinks(page)
        self.search_.see((page.url, *links.known))
        cash = Evidence.of(page.offer.note).cash if page.offer.note else 1.0
        share = cash * min(1.0, KEPT + relevance) / max(1, len(links.known))
        self.past_.see(links, share)
        contexts = self.wanted.links(page) if links.known else ()
        found = links.evidence(contexts, self.named_, relevance, share)
        return many(Offer, [link for link, _ in found], UNPRICED, (), [tuple(says) for _, says in found])
