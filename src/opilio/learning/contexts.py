"""Short texts: the 20 words around a link are no page, so they are judged by weights and curves of their own.

A window says a word once or not at all. So its score is the plain sum of what its words weigh in a logistic regression over
whole pages, (1 + ln tf)·idf each, and the words of the anchor, which speak of the target alone, count four times more. The
curves are fitted to windows cut out of the examples, by weights that were learned without them.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from sklearn.linear_model import LogisticRegression

from ..nouns import Link
from .calibration import Platt, parted, platt
from .examples import Example
from .folded import LOOSE, Space
from .saved import Saved
from .text import words
from .vocabularies import whole
from .words import Floats, Vocabulary, sums

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
    curve: Platt = Platt()  # of a text
    link: Platt = Platt()  # of a link

    @classmethod
    def learn(cls, language: str, yes: Sequence[Example], no: Sequence[Example]) -> Self:
        """From pages on the topic and off it, two of each at least."""
        folds = min(FOLDS, len(yes), len(no))
        cuts: list[tuple[float, float, int]] = []
        for fold in range(folds):
            (yes_rest, yes_held), (no_rest, no_held) = parted(yes, fold, folds), parted(no, fold, folds)
            model = cls._weighed(language, yes_rest, no_rest)
            for label, held in ((1, yes_held), (0, no_held)):
                cuts += ((*scores, label) for scores in model._cut(held))
        plain, linked, labels = zip(*cuts, strict=True)
        model = cls._weighed(language, yes, no)
        return cls(model.vocabulary, model.weights, platt(plain, labels), platt(linked, labels))

    @classmethod
    def _weighed(cls, language: str, yes: Sequence[Example], no: Sequence[Example]) -> Self:
        texts = [one.text for one in [*yes, *no]]
        space = Space(*whole(texts, language))
        model = LogisticRegression(C=LOOSE, max_iter=1000)
        model.fit(space.matrix(texts), [1] * len(yes) + [0] * len(no))
        return cls(space.vocabulary, space.idf * space.vocabulary.array(model.coef_[0]))

    def _cut(self, examples: Sequence[Example]) -> list[tuple[float, float]]:
        """Scores of windows of the examples, as they are and as contexts of links whose anchor is the page's title."""
        cut = [(one.title, window) for one in examples for window in windows(one.body)]
        plain = self._sums([window for _, window in cut])
        linked = plain + (1 + ANCHOR) * self._sums([title for title, _ in cut])
        return list(zip(plain.tolist(), linked.tolist(), strict=True))

    def _sums(self, texts: Sequence[str]) -> Floats:
        return sums(self.weights, *self.vocabulary.rows(texts)) if texts else np.zeros(0)

    def links(self, links: Sequence[Link]) -> list[float]:
        """The probability that each link leads to a page on the topic."""
        found = self._sums([link.context for link in links] + [link.anchor for link in links])
        scores: list[float] = self.link.many(found[: len(links)] + ANCHOR * found[len(links) :]).tolist()
        return scores

    def text(self, text: str) -> float:
        return self.curve.one(float(self._sums([text])[0]))


def is_short(text: str) -> bool:
    """Whether a text is to be judged as a link's context rather than as a page."""
    return len(text) < 1_000 and len(text.split()) < SHORT


def windows(text: str, most: int = WINDOWS) -> list[str]:
    """Windows of 20 words at places that chance, always the same, picks out of a text."""
    parts = text.split()
    last = max(1, len(parts) - WINDOW + 1)
    starts = random.Random(0).sample(range(last), min(most, last))
    found = [" ".join(parts[start : start + WINDOW]) for start in starts]
    return [window for window in found if words(window)]
