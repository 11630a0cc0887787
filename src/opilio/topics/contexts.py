"""Short texts: the 20 words around a link are no page, so they are judged by weights and curves of their own.

A window says a word once or not at all. So its score is the plain sum of what its words weigh: idf times how much more of
the word there is in the mean page on the topic than in the mean page off it, (1 + ln tf)·idf each, of length 1. A weight
must not lean on what else is on the page, as those of a regression do. The words of the anchor, which speak of the target
alone, count four times more. The curves are fitted to windows cut out of the examples, by weights that were learned without them.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, Self

import numpy as np

from ..model_file import Saved
from ..nouns import Link
from ..text.vocabulary import Floats, Ints, Vocabulary, sums
from .calibration import Platt, halfway, parts, platt
from .counted import Counted, smooth_idf
from .material import Example

WINDOW = 20  # words
WINDOWS = 10  # cut out of each example
ANCHOR = 4.0  # what an anchor's word counts beyond its place in the context
SHORT = 60  # words; a longer text is judged as a page
FOLDS = 3


@dataclass(frozen=True)
class Contexts(Saved):
    """Judges links by anchor and context, and other short texts by their words."""

    vocabulary: Vocabulary
    weights: Floats
    curve: Platt  # of a text
    link: Platt  # of a link

    @classmethod
    def learn(cls, counted: Counted, examples: Sequence[Example], labels: Floats) -> Self:
        """From pages on the topic and off it, two of each at least, and their texts, counted."""
        cuts = [Cut.of(one, counted.vocabulary) for one in examples]
        scores: list[tuple[float, float, float]] = []
        for held in parts(labels, FOLDS):
            weights = _weights(counted, np.setdiff1d(np.arange(len(labels)), held), labels)
            scores += [(*pair, labels[row]) for row in held for pair in cuts[row].scores(weights)]
        plain, linked, truth = zip(*scores, strict=True)
        everything = _weights(counted, np.arange(len(labels)), labels)
        return cls(counted.vocabulary, everything, platt(plain, truth), platt(linked, truth))

    @classmethod
    def supposed(cls, vocabulary: Vocabulary, weights: Floats, yes: Sequence[Example]) -> Self:
        """With weights that are known, and no pages off the topic; without any page, all good words at once are typical."""
        scores = [pair for one in yes for pair in Cut.of(one, vocabulary).scores(weights)]
        whole = float(np.maximum(weights, 0.0).sum())
        plain, linked = np.mean(scores, axis=0).tolist() if scores else (whole, whole)
        return cls(vocabulary, weights, halfway(plain), halfway(linked))

    def _sums(self, texts: Sequence[str]) -> Floats:
        return self.vocabulary.sums(texts, self.weights)

    def links(self, links: Sequence[Link]) -> list[float]:
        """The probability that each link leads to a page on the topic."""
        found = self.vocabulary.promised(links, self.weights)
        scores: list[float] = self.link.many(found[: len(links)] + ANCHOR * found[len(links) :]).tolist()
        return scores

    def text(self, text: str) -> float:
        return self.curve.one(float(self._sums([text])[0]))


class Cut(NamedTuple):
    """Windows of one example, as numbers of words: as they are, and as contexts of links."""

    numbers: Ints
    starts: Ints
    anchors: Ints
    places: Ints

    @classmethod
    def of(cls, one: Example, vocabulary: Vocabulary) -> Self:
        return cls(*vocabulary.rows(windows(one.body)), *vocabulary.rows(anchors(one)))

    def scores(self, weights: Floats) -> list[tuple[float, float]]:
        plain = sums(weights, self.numbers, self.starts)
        linked = plain + ANCHOR * sums(weights, self.anchors, self.places)
        return list(zip(plain.tolist(), linked.tolist(), strict=True))


def _weights(counted: Counted, rows: Ints, labels: Floats) -> Floats:
    """What each word weighs by the pages in these rows."""
    idf = smooth_idf(counted.spread(rows), len(rows))
    vectors = counted.unit(idf)
    yes, no = (vectors[rows[labels[rows] == kind]].mean(axis=0) for kind in (1, 0))
    return counted.vocabulary.array(idf * np.asarray(yes - no).ravel())


def is_short(text: str) -> bool:
    """Whether a text is to be judged as a link's context rather than as a page."""
    return len(text) < 1_000 and len(text.split()) < SHORT


def anchors(one: Example) -> list[str]:
    """Of each window, the words of a link: the page's title for every second one, which is how others link to it.

    Of the rest, two words of their own."""
    return [
        " ".join(window.split()[9:11]) if place % 2 else one.title for place, window in enumerate(windows(one.body))
    ]


@lru_cache(maxsize=256)  # a topic that learns again cuts the same pages
def windows(text: str, most: int = WINDOWS) -> Sequence[str]:
    """Windows of 20 words at places that chance, always the same, picks out of a text."""
    found = text.split()
    last = max(1, len(found) - WINDOW + 1)
    starts = random.Random(0).sample(range(last), min(most, last))
    return [" ".join(found[start : start + WINDOW]) for start in starts]
