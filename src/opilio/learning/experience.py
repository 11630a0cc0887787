"""What a crawl has learned from its pages: what came of each kind of links, how relevant pages are, and what signals count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import log
from typing import NamedTuple

import numpy as np

from ..codec import saved
from ..nouns import Offer
from ..text.vocabulary import Floats
from .evidence_kinds import PAGE, address_kinds, around_kinds, title_kinds, where, word_kinds
from .evidence_signals import LEAST_CASH, Signals
from .named_words import NamedWords
from .percentiles import Percentiles
from .signal_mix import SignalMix
from .track_record import TrackRecord
from .url_evidence import Evidence, PageLinks
from .visit_log import VisitLog

NEXT = 20  # of offers that are priced together may be fetched next
REMEMBERED = 400  # of these: more than are in flight


class Visit(NamedTuple):
    """What came of an offer: all that is learned from it, in plain values, so that other shards can."""

    url: str
    relevance: float
    signals: list[float]  # that it was chosen by, if it was
    first: str  # the page on which the first link to it was seen
    kinds: bytes  # the keys of those that it is of
    others: bytes  # of those that matter at once only: other links of the same pages, words around

    @classmethod
    def of(cls, offer: Offer, url: str, relevance: float, title: str, signals: list[float]) -> Visit:
        """The title of its page says what such links say."""
        evidence = Evidence.of(offer.note) if offer.note else None
        words = dict.fromkeys((*word_kinds(offer.link).tolist(), *title_kinds(title).tolist()))
        links = where(evidence.kinds if evidence else "")
        lasting = np.array([*links[:, :PAGE].ravel().tolist(), *words, *address_kinds(url)], np.int64)
        others = [np.unique(links[:, PAGE]), around_kinds(offer.link)] if evidence else [links[:0, PAGE]]
        first = evidence.first if evidence else ""
        return cls(url, relevance, signals, first, lasting.tobytes(), np.concatenate(others).tobytes())


@saved
@dataclass(slots=True)
class Experience:
    """Offers are known by their evidence; see its module for the parts."""

    mix: SignalMix
    visits: VisitLog
    record: TrackRecord = field(default_factory=TrackRecord)
    relevances: Percentiles = field(default_factory=Percentiles)
    links: int = 0  # that were seen
    cash: float = 0.0  # the logarithms of what flowed through these, together
    priced: dict[str, bytes] = field(default_factory=dict)  # the signals of URLs that are likely to be fetched next

    @classmethod
    def of(cls, prior: Iterable[float]) -> Experience:
        """None, before the first page; what each signal counts at first is given."""
        first = list(prior)
        return cls(SignalMix([*first, 0.0]), VisitLog(len(first)))

    def signals(self, offers: Sequence[Offer], named: NamedWords) -> Floats:
        """What speaks for offers, by what is known now: a row for each."""
        known = Signals(self.record, self.relevances, named, self.cash / max(1, self.links))
        return known.of([offer.link for offer in offers], [offer.note for offer in offers])

    def remember(self, offers: Sequence[Offer], signals: Floats, prices: Floats) -> None:
        """By which signals the highest-priced of some offers were priced: what is fetched is chosen by these."""
        for number in prices.argsort()[-NEXT:].tolist():
            url = offers[number].link.url
            self.priced.pop(url, None)
            self.priced[url] = signals[number].tobytes()
        while len(self.priced) > REMEMBERED:
            del self.priced[next(iter(self.priced))]

    def chosen_by(self, offer: Offer, named: NamedWords) -> list[float]:
        """The signals that an offer was chosen by; where these are forgotten, those of now."""
        known = self.priced.pop(offer.link.url, None)
        signals = np.frombuffer(known) if known else self.signals([offer], named)[0]
        found: list[float] = signals.tolist()
        return found

    def learn(self, visit: Visit, prior: Mapping[str, float]) -> None:
        """Learn from what came of an offer, of this shard or another."""
        url, relevance, signals, first, kinds, others = visit
        self.record.count(relevance)
        self.record.learn(np.frombuffer(kinds + others, np.int64), relevance)
        self.relevances.add(relevance)
        self.visits.add(url, signals, relevance, np.frombuffer(kinds, np.int64))
        if signals:
            self.record.improve(*self.visits.credit(first, relevance))
            self.mix.chosen += 1
        if self.mix.chosen >= self.mix.due:
            self.mix.learn([*prior.values()], *self.visits.examples())

    def see(self, links: PageLinks, share: float) -> None:
        """The links of a page, through each of which so much cash flows; of those to pages that were fetched it is known at once
        what such links bring."""
        self.links += len(links.known)
        self.cash += len(links.known) * log(share + LEAST_CASH)
        kinds, notes = links.fetched()
        self.record.learn(where("".join(kinds)).ravel(), np.repeat([relevance for relevance, *_ in notes], 3))
