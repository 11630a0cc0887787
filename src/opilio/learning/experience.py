"""What a crawl has learned from its pages: what came of each kind of links, how relevant pages are, and what signals count."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import log
from typing import Any

import numpy as np

from ..codec import saved
from ..nouns import Link, Offer
from ..text.vocabulary import Floats
from .evidence_kinds import PAGE, PageKinds, address_kinds, around_kinds, title_kinds, where, word_kinds
from .evidence_signals import LEAST_CASH, Signals
from .named_words import NamedWords
from .percentiles import Percentiles
from .signal_mix import SignalMix
from .track_record import TrackRecord
from .url_evidence import Evidence
from .visit_log import VisitLog


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

    @classmethod
    def of(cls, prior: Iterable[float]) -> Experience:
        """None, before the first page; what each signal counts at first is given."""
        first = list(prior)
        return cls(SignalMix([*first, 0.0]), VisitLog(len(first)))

    def signals(self, offers: Sequence[Offer], named: NamedWords) -> Floats:
        """What speaks for offers, by what is known now: a row for each."""
        known = Signals(self.record, self.relevances, named, self.cash / max(1, self.links))
        return known.of([offer.link for offer in offers], [Evidence.of(offer.note) for offer in offers])

    def learn(
        self, offer: Offer, url: str, relevance: float, title: str, signals: list[float], prior: Mapping[str, float]
    ) -> None:
        """What came of an offer that had these signals; the title of its page says what such links say."""
        evidence = Evidence.of(offer.note) if offer.note else None
        words = dict.fromkeys((*word_kinds(offer.link).tolist(), *title_kinds(title).tolist()))
        links = where(evidence.kinds if evidence else "")
        lasting = np.array([*links[:, :PAGE].ravel().tolist(), *words, *address_kinds(url)], np.int64)
        others = [np.unique(links[:, PAGE]), around_kinds(offer.link)] if evidence else []
        self.record.count(relevance)
        self.record.learn(np.concatenate([lasting, *others]), relevance)
        self.relevances.add(relevance)
        self.visits.add(url, signals, relevance, lasting)
        if evidence:
            self.record.improve(*self.visits.credit(evidence.first, relevance))
            self.mix.chosen += 1
        if self.mix.chosen >= self.mix.due:
            self.mix.learn([*prior.values()], *self.visits.examples())

    def see(self, url: str, links: Iterable[Link], known: Mapping[str, tuple[Any, ...] | None], share: float) -> None:
        """The links of a page, through each of which so much cash flows; of those to pages that were fetched it is known at once
        what such links bring."""
        self.links += len(known)
        self.cash += len(known) * log(share + LEAST_CASH)
        kinds, notes = PageKinds(url), [(link.path, known[link.url]) for link in links if link.url != url]
        fetched = [(kinds(path), note[0]) for path, note in notes if note]
        keys = where("".join(text for text, _ in fetched))
        self.record.learn(keys.ravel(), np.repeat([relevance for _, relevance in fetched], 3))
