"""Evidence as numbers, by what is known now: each about 0 when it says nothing, and higher the more it speaks for a URL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..key_index.by_numpy import Numbers
from ..nouns import Link
from ..text.vocabulary import Floats
from .evidence_kinds import DIGITS, LIST, PAGE, PLACE, address_kinds, around_kinds, where, word_kinds
from .named_words import NamedWords
from .percentiles import Percentiles
from .track_record import TrackRecord, log_odds

EDGE = 0.02  # how near to 0 or 1 a share may come
FLOW = (-3.0, 5.0)  # how far cash counts
LEAST_CASH = 1e-9
LIFT = 5.0
PRIOR = {  # the signals, and what each counts before anything is learned
    "words of the topic in the link": 2.0,
    "words around the link": 0.25,
    "pages with such words around the link": 0.2,
    "relevance of its parents": 0.2,
    "relevant pages among those that link to it": 0.4,
    "links at such places": 0.3,
    "what links at such places led to": 0.4,
    "links in such lists": 0.3,
    "what links in such lists led to": 0.2,
    "other links of the pages that link to it": 0.4,
    "links with such words": 0.3,
    "what links with such words led to": 0.4,
    "links with such words around": 0.3,
    "pages of its host": 0.3,
    "pages of its folder": 0.3,
    "what pages of its folder led to": 0.2,
    "importance that flows to it": 0.3,
    "little known of its host": 0.3,
}


class Signals:
    """What is known now; all URLs that are asked for together are computed together."""

    def __init__(self, record: TrackRecord, relevances: Percentiles, named: NamedWords, mean_cash: float) -> None:
        self._record, self._relevances, self._named, self._mean_cash = record, relevances, named, mean_cash
        self._base = record.base
        self._odds = log_odds(self._base)

    def of(self, links: Sequence[Link], evidence: Sequence[tuple[Any, ...]]) -> Floats:
        """A row for each URL, with a column for each signal in the order of PRIOR; evidence as the notes of offers hold it."""
        if not links:
            return np.zeros((0, len(PRIOR)))
        context, promising, parent, good, pages, cash, named, _, kinds = zip(*evidence, strict=True)
        share = self._relevances.of(np.array(parent))
        at_places, worded, around, addresses = self._kinds(links, kinds)
        site, folder, led_to, unknown = addresses
        columns = [
            self._named.shares(named),
            log_odds(np.array(context)),
            np.log(1.0 + np.array(promising)),
            log_odds(np.minimum(1.0 - EDGE, np.maximum(EDGE, share))),
            self._lift(np.array(good), np.array(pages)),
            *at_places,
            *worded,
            around[0],
            site,
            folder,
            led_to,
            np.minimum(FLOW[1], np.maximum(FLOW[0], np.log(np.array(cash) + LEAST_CASH) - self._mean_cash)),
            unknown,
        ]
        return np.column_stack(columns)

    def _lift(self, good: Floats, pages: Floats) -> Floats:
        """How many more of the relevant pages link to it than of the others."""
        of_good = np.log((good + 1) / (self._record.relevance + 2))
        of_bad = np.log((np.maximum(0.0, pages - good) + 1) / (self._record.pages - self._record.relevance + 2))
        found: Floats = np.minimum(LIFT, np.maximum(-LIFT, of_good - of_bad))
        return found

    def _kinds(self, links: Sequence[Link], kinds: Sequence[str]) -> tuple[Floats, Floats, Floats, Floats]:
        """What is known of the kinds of links: by their places, words, words around them and addresses. Looked up together."""
        places, counts = where("".join(kinds)), [len(one) // DIGITS for one in kinds]
        words, around = [word_kinds(link) for link in links], [around_kinds(link) for link in links]
        addresses = np.array([address_kinds(link.url) for link in links], np.int64)
        parts = [places.ravel(), np.concatenate(words), np.concatenate(around), addresses.ravel()]
        ends = np.cumsum([len(part) for part in parts])[:-1]
        at, worded, near, there = np.split(self._record.numbers(np.concatenate(parts)), ends)
        return (
            self._links(at.reshape(-1, 3), _first_of_page(places[:, PAGE], counts), counts),
            self._words(worded, [len(one) for one in words]),
            self._words(near, [len(one) for one in around]),
            self._addresses(there.reshape(-1, 2)),
        )

    def _links(self, numbers: Numbers, first: Floats, counts: Sequence[int]) -> Floats:
        """What links at such places, and in the same lists, turned out to be and led to: means over the links.

        And what other links of the pages that link to it turned out to be: the mean over these pages.
        """
        around = self._record.rates(numbers[:, PLACE], self._base)
        at, inside = log_odds(around), log_odds(self._record.rates(numbers[:, LIST], around))
        of_page = log_odds(self._record.rates(numbers[:, PAGE], self._base)) - self._odds
        sums = _sums(np.column_stack([at - self._odds, inside - at, of_page[:, 0] * first, first]), counts)
        return np.vstack([sums[:4] / np.array(counts), sums[4] / sums[5]])

    def _words(self, numbers: Numbers, counts: Sequence[int]) -> Floats:
        """What links with such words turned out to be and led to."""
        odds = log_odds(self._record.rates(numbers, self._base)) - self._odds
        found: Floats = _sums(odds, counts) / np.sqrt(np.maximum(1, counts))
        return found

    def _addresses(self, numbers: Numbers) -> Floats:
        """What pages of the host were, pages of the folder were and led to, and how little is known of the host."""
        rates = self._record.rates(numbers[:, 0], self._base)
        wide, near = log_odds(rates), log_odds(self._record.rates(numbers[:, 1], rates))
        inside, seen = near - wide, self._record.rows[numbers[:, 0], 0]
        return np.array([wide[:, 0] - self._odds[0], inside[:, 0], inside[:, 1], 1 / (1 + seen)])


def _sums(rows: Floats, counts: Sequence[int]) -> Floats:
    """Sums over so many rows each: one line for each column."""
    owners = np.repeat(np.arange(len(counts)), counts)
    return np.array([np.bincount(owners, column, len(counts)) for column in rows.T])


def _first_of_page(pages: Numbers, counts: Sequence[int]) -> Floats:
    """1 for the first link of each page among those of a URL, 0 for further ones, which come next: the page counts once."""
    first = np.ones(len(pages))
    first[1:] = pages[1:] != pages[:-1]
    first[np.cumsum(counts) - counts] = 1.0  # the first link of each URL
    return first
