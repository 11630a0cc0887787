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
    for title, text and anchors each. Words of the topic weigh by how rare they are around.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        query: Floats,
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
        self.vocabulary, self.query, self.likeness, self.difference = vocabulary, query, likeness, difference
        self.lengths, self.hosts, self.shared = lengths, hosts, shared
        self.evidence, self.short = evidence, short
        self._rows = {name: row for row, name in enumerate(hosts)}
        self._differs = bool(difference.any())

    @classmethod
    def learn(cls, material: Material) -> Self:
        from ..contrasting import learned  # who judges by a saved one needs none of it

        return cls(*learned(material))

    def text(self, text: str) -> float:
        if is_short(text):
            return self.short.text(text)
        nothing = np.zeros(0, dtype=np.int64)
        return self._probability([nothing, self.vocabulary.numbers(text), nothing], "")

    def page(self, page: Page) -> float:
        numbers, starts = self.vocabulary.read(page)
        body, anchors = starts[1], starts[2] if len(starts) > 2 else len(numbers)
        return self._probability([numbers[:body], numbers[body:anchors], numbers[anchors:]], page.url)

    def links(self, page: Page) -> Sequence[float]:
        return self.short.links(page.links)

    def decisive(self, most: int = MOST) -> list[Weighty]:
        words, likeness = self.evidence.words * self.query, self.evidence.likeness * self.likeness[TEXT]
        apart = self.evidence.difference * self.difference[TEXT] / self.evidence.apart.spread
        return strongest(self.vocabulary, np.concatenate([np.zeros(FIRST), words + likeness + apart]), most)

    def scores(self, counts: Floats) -> tuple[float, float, float]:
        """The three scores of a page, of counts without what is shared: a row a field, the length behind each."""
        rows = saturated(counts, self.lengths)
        named = counts[TEXT, :-1] + NAMED * counts[TITLE, :-1]
        length = counts[TEXT, -1] + NAMED * counts[TITLE, -1]
        words = float(_saturated(named, length, self.lengths[TEXT]) @ self.query)
        likeness = float(PARTS @ (self.likeness * rows).sum(axis=1))
        difference = float((self.difference * unit(rows)).sum()) if self._differs else 0.0
        return words, likeness, difference

    def _probability(self, fields: Sequence[Ints], url: str) -> float:
        scores = self.scores(self._counts(fields, url))
        return float(self.evidence.probability(*(np.array([score]) for score in scores))[0])

    def _counts(self, fields: Sequence[Ints], url: str) -> Floats:
        width = len(self.query) + FIRST
        counts = np.empty((len(fields), width - FIRST + 1))
        for row, numbers in zip(counts, fields, strict=True):
            found = np.bincount(np.maximum(numbers, 0), minlength=width)
            row[:-1], row[-1] = found[FIRST:], found[OTHER:].sum()
        known = self._rows.get(host(url)) if url else None
        return counts if known is None else np.maximum(counts - self.shared[known].reshape(counts.shape), 0.0)


def saturated(counts: Floats, lengths: Sequence[float]) -> Floats:
    """What it counts that words are there so often; the last number of each row is how many words there are."""
    return np.array([_saturated(row[:-1], row[-1], usual) for row, usual in zip(counts, lengths, strict=True)])


def _saturated(counts: Floats, length: float, usual: float) -> Floats:
    return np.asarray(counts / (counts + K1 * (1 - B + B * length / usual)))


def unit(rows: Floats) -> Floats:
    """Each row with length 1."""
    lengths = np.sqrt((rows * rows).sum(axis=-1, keepdims=True))
    return np.asarray(rows / np.where(lengths > 0, lengths, 1.0))
