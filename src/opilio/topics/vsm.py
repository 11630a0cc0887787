"""The vector space model: cosine of a page with a profile made of words and example pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Self

import numpy as np

from ..learning.background import PAGES, RARE, shares
from ..learning.calibration import Platt, platt
from ..learning.examples import Example, example, negatives, positives, something
from ..learning.text import words
from ..learning.words import OTHER, Floats, Ints, Vocabulary
from ..nouns import Material, Page, Topic

THETA = 0.5  # θ, the share of the title
SQUASH = Platt(25.0, -3.0)  # without negative examples: a cosine of 0.12 is the middle
LOG10 = float(np.log(10.0))


class Vsm(Topic):
    """SC = θ·cos(title, T) + (1-θ)·cos(content, T) with weights (log10 tf + 1)·idf, idf = log10(d/df).

    d and df count the pages of the material and a background of 10,000 pages, so a page is judged the same at every
    time of a crawl. T is the mean of the unit vectors of the topic's words and of the centroid of the examples.
    """

    def __init__(self, vocabulary: Vocabulary, idf: Floats, profile: Floats, curves: tuple[Platt, Platt]) -> None:
        self.vocabulary, self.idf, self.profile = vocabulary, idf, profile
        self.curve, self.short = curves

    @classmethod
    def learn(cls, material: Material) -> Self:
        language = something(material)
        yes, no = positives(material), negatives(material)
        vocabulary, idf = _vocabulary(language, [material.words, *(one.text for one in yes + no)])
        model = cls(vocabulary, idf, np.zeros_like(idf), (SQUASH, SQUASH))
        model.profile = model._profile(material.words, yes)
        if len(yes) > 1 and len(no) > 1:
            model.curve = model._calibrated(material.words, yes, no)
        return model

    def text(self, text: str) -> float:
        return self.short.one(self._cosine(text))

    def page(self, page: Page) -> float:
        return self.curve.one(self.score(example(page)))

    def links(self, page: Page) -> Sequence[float]:
        return [self.text(link.context) for link in page.links]

    def score(self, one: Example) -> float:
        """SC of title and content."""
        return THETA * self._cosine(one.title) + (1 - THETA) * self._cosine(one.body)

    def _cosine(self, text: str) -> float:
        found, weights = self._vector(text)
        return float(self.profile[found] @ weights)

    def _vector(self, text: str) -> tuple[Ints, Floats]:
        """The words of a text with their weights, as a unit vector."""
        found, counts = self.vocabulary.bag(text)
        weights = (np.log(counts) / LOG10 + 1.0) * self.idf[found]
        if len(found) and found[0] == OTHER:  # that many words, each there once
            weights[0] = self.idf[OTHER] * counts[0] ** 0.5
        length = float(np.sqrt(weights @ weights))
        return found, weights / length if length else weights

    def _profile(self, said: str, yes: Sequence[Example]) -> Floats:
        parts = [self._mean([said])] if words(said) else []
        parts += [self._mean([one.text for one in yes])] if yes else []
        return _unit(np.sum(parts, axis=0))

    def _mean(self, texts: Sequence[str]) -> Floats:
        total = np.zeros_like(self.idf)
        for text in texts:
            found, weights = self._vector(text)
            total[found] += weights
        total[OTHER] = 0.0
        return _unit(total)

    def _calibrated(self, said: str, yes: Sequence[Example], no: Sequence[Example]) -> Platt:
        """The curve of scores that the examples get from profiles made without them."""
        whole, scores = self.profile, []
        for left_out in range(len(yes)):
            self.profile = self._profile(said, [*yes[:left_out], *yes[left_out + 1 :]])
            scores.append(self.score(yes[left_out]))
        self.profile = whole
        scores += [self.score(one) for one in no]
        return platt(scores, [1] * len(yes) + [0] * len(no))


def _vocabulary(language: str, texts: Iterable[str]) -> tuple[Vocabulary, Floats]:
    """Every word of the material with its idf."""
    pages: dict[str, int] = {}
    total = float(PAGES)
    for text in texts:
        total += 1
        for word in set(words(text, language)):
            pages[word] = pages.get(word, 0) + 1
    vocabulary = Vocabulary(language, sorted(pages))
    seen = np.array([pages[word] for word in vocabulary.words])
    idf = np.log10(total / (seen + shares(vocabulary.words, language) * PAGES))
    return vocabulary, vocabulary.array(np.maximum(idf, 0.0), other=float(-np.log10(RARE)))


def _unit(vector: Floats) -> Floats:
    length = float(np.sqrt(vector @ vector))
    return vector / length if length else vector
