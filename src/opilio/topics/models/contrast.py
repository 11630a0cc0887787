"""What the topic's words and examples say, against the pages around them: the model that `auto` takes, whatever there is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np

from ...model_file import Saved
from ...nouns import Material, Page, Topic
from ...text.vocabulary import FIRST, OTHER, Floats, Ints, Vocabulary
from ...urls import host
from ..contexts import is_short
from ..evidence import Evidence
from ..folded import MOST, Weighty, strongest
from ..link_evidence import LinkEvidence

K1, B = 1.2, 0.75  # of BM25
PARTS = np.array([0.3, 1.0, 0.75])  # what likeness to the examples counts in title, text, and anchors of links
TITLE, TEXT, ANCHORS = range(3)
NAMED = 2.0  # what a word of the topic counts in a title beside once in the text


class Contrast(Saved, Topic):
    """P = σ(log odds), the odds of `Evidence`; its scores are sums over words of a page of weight times saturated count.

    The saturated count of a word is that of BM25, c / (c + K1·(1-B+B·length/usual length)), where c and length leave out what the
    pages of the host have in common. The weight of a word in likeness is r^2.5 · ln(r/u), with r its mean saturated count in the
    examples and u in the pages around: it has to be large in most examples, and rare around them. The 100 largest weights count,
    for title, text and anchors each; words near words of the topic count more. Those weigh by how rare they are around, and count
    by what there is more of them.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        query: Floats,
        expected: Floats,
        likeness: Floats,
        difference: Floats,
        lengths: tuple[float, ...],
        hosts: tuple[str, ...],
        shared: Floats,
        evidence: Evidence,
        short: LinkEvidence,
    ) -> None:
        """`likeness` and `difference` have a row for each field, `shared` one for each host with all fields in it, the last
        number of each field being how many words are shared in all."""
        self.vocabulary, self.query, self.expected = vocabulary, query, expected
        self.likeness, self.difference = likeness, difference
        self.lengths, self.hosts, self.shared = lengths, hosts, shared
        self.evidence, self.short = evidence, short
        self._rows = {name: row for row, name in enumerate(hosts)}
        self._usual = np.array(lengths)[:, None]
        self._names, self._differs = bool(query.any()), bool(difference.any())

    @classmethod
    def learn(cls, material: Material) -> Self:
        from ..contrasting import learned  # who judges by a saved one needs none of it

        return cls(*learned(material))

    def text(self, text: str) -> float:
        if is_short(text):
            return self.short.text(text)
        numbers = self.vocabulary.numbers(text)
        return self._probability(numbers, 0, len(numbers), "")

    def page(self, page: Page) -> float:
        numbers, starts = self.vocabulary.read(page)
        body, anchors = starts[1], starts[2] if len(starts) > 2 else len(numbers)
        return self._probability(numbers, body, anchors, page.url)

    def links(self, page: Page) -> Sequence[float]:
        return self.short.links(page.links)

    def decisive(self, most: int = MOST) -> list[Weighty]:
        words, likeness = self.evidence.words * self.query, self.evidence.likeness * self.likeness[TEXT]
        apart = self.evidence.difference * self.difference[TEXT] / self.evidence.apart.spread
        return strongest(self.vocabulary, np.concatenate([np.zeros(FIRST), words + likeness + apart]), most)

    def scores(self, counts: Floats) -> tuple[float, float, float]:
        """The three scores of a page, of counts without what is shared: a row a field, the length behind each."""
        rows = saturated(counts[:, :-1], counts[:, -1:], self._usual)
        likeness = float(PARTS @ (self.likeness * rows).sum(axis=1))
        difference = float((self.difference * unit(rows)).sum()) if self._differs else 0.0
        return self._named(counts[TEXT] + NAMED * counts[TITLE]) if self._names else 0.0, likeness, difference

    def _named(self, counts: Floats) -> float:
        """The score of the topic's words."""
        return float(beyond(saturated(counts[:-1], counts[-1], self.lengths[TEXT]), self.expected) @ self.query)

    def _probability(self, numbers: Ints, body: int, anchors: int, url: str) -> float:
        return self.evidence.chance(*self.scores(self._counts(numbers, body, anchors, url)))

    def _counts(self, numbers: Ints, body: int, anchors: int, url: str) -> Floats:
        """How often words are there, all fields in one go; the text begins at the place `body`."""
        width = len(self.query) + FIRST
        places = np.maximum(numbers, 0)
        places[body:] += width
        places[anchors:] += width
        found = np.bincount(places, minlength=len(PARTS) * width).reshape(len(PARTS), width)
        counts = np.empty((len(PARTS), width - FIRST + 1))
        counts[:, :-1], counts[:, -1] = found[:, FIRST:], found[:, OTHER:].sum(axis=1)
        known = self._rows.get(host(url)) if url else None
        return counts if known is None else np.maximum(counts - self.shared[known].reshape(counts.shape), 0.0)


def saturated(counts: Floats, length: Floats | float, usual: Floats | float) -> Floats:
    """What it counts that words are there so often, in a text that is so long."""
    return np.asarray(counts / (counts + K1 * (1 - B + B * length / usual)))


def beyond(found: Floats, expected: Floats) -> Floats:
    """What there is more of a word than on most pages around: 0 for as much, 1 for the most that can be."""
    return np.asarray(np.maximum(found - expected, 0.0) / (1.0 - expected))


def unit(rows: Floats) -> Floats:
    """Each row with length 1."""
    lengths = np.sqrt((rows * rows).sum(axis=-1, keepdims=True))
    return np.asarray(rows / np.where(lengths > 0, lengths, 1.0))
