"""The vector space model: cosine of a page with a profile made of words and example pages."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Self

import numpy as np

from ...model_file import Saved
from ...nouns import Material, Page, Topic
from ...text.background import PAGES, RARE, known, shares
from ...text.tokens import words
from ...text.vocabulary import OTHER, Floats
from ..calibration import Platt, platt, supposed
from ..contexts import Contexts, is_short
from ..folded import MOST, Folded, Space, Weighty
from ..material import Example, example, negatives, positives, something

THETA = 0.5  # θ, the share of the title
LOG10 = 1 / math.log(10)
SPREAD, WIDE = 0.15, 0.4  # least deviation of a page's score, as a share of the mean; where there is but one
TYPICAL = 0.15  # score of a page about a few words, where there is no example to tell


class Vsm(Saved, Topic):
    """SC = θ·cos(title, T) + (1-θ)·cos(content, T) with weights (log10 tf + 1)·idf, idf = log10(d/df).

    d and df count the pages of the material and a background of 10,000 pages, so a page is judged the same at every
    time of a crawl. T is the mean of the unit vectors of the topic's words and of the centroid of the examples.
    """

    def __init__(self, profile: Folded, curve: Platt, short: Contexts) -> None:
        self.profile, self.curve, self.short = profile, curve, short

    @classmethod
    def learn(cls, material: Material) -> Self:
        language = something(material)
        yes, no = positives(material), negatives(material)
        space = _space(language, [one.text for one in yes + no] + [material.words])
        profile = _profile(space, material.words, _sum(space, [one.text for one in yes]) if yes else None)
        short = Contexts.supposed(space.vocabulary, profile.weights * space.idf, yes)
        return cls(profile, _curve(space, material.words, yes, no), short)

    def text(self, text: str) -> float:
        return self.short.text(text) if is_short(text) else self.curve.one((1 - THETA) * self.profile.score(text))

    def page(self, page: Page) -> float:
        return self.curve.one(_score(self.profile, example(page)))

    def links(self, page: Page) -> Sequence[float]:
        return self.short.links(page.links)

    def decisive(self, most: int = MOST) -> list[Weighty]:
        return self.profile.decisive(most)


def _score(profile: Folded, one: Example) -> float:
    """SC of title and content."""
    return THETA * profile.score(one.title) + (1 - THETA) * profile.score(one.body)


def _space(language: str, texts: Sequence[str]) -> Space:
    vocabulary, counts = known(texts, language)
    seen = np.array([counts[word] for word in vocabulary.words]) + shares(vocabulary.words, language) * PAGES
    idf = np.maximum(np.log10((PAGES + len(texts)) / seen), 0.0)
    return Space(vocabulary, vocabulary.array(idf, other=-math.log10(RARE)), LOG10)


def _profile(space: Space, topic: str, centre: Floats | None) -> Folded:
    """Words and centre of the examples, each of length 1, or the one that there is."""
    named = words(topic, space.vocabulary.language)
    parts = [_unit(part) for part in (_sum(space, [topic]) if named else None, centre) if part is not None]
    return Folded(space, _unit(np.sum(parts, axis=0)))


def _sum(space: Space, texts: Sequence[str]) -> Floats:
    total = np.zeros_like(space.idf)
    for text in texts:
        found, weights = space.vector(text)
        total[found] += weights
    total[OTHER] = 0.0
    return total


def _unit(vector: Floats) -> Floats:
    length = float(np.sqrt(vector @ vector))
    return vector / length if length else vector


def _curve(space: Space, topic: str, yes: Sequence[Example], no: Sequence[Example]) -> Platt:
    """The curve of scores that examples get from a profile made without them."""
    if len(yes) < 2:
        return supposed([TYPICAL], WIDE)
    centre = _sum(space, [one.text for one in yes])
    scores = [_score(_profile(space, topic, centre - _sum(space, [one.text])), one) for one in yes]
    if len(no) < 2:
        return supposed(scores, SPREAD)
    whole = _profile(space, topic, centre)
    return platt(scores + [_score(whole, one) for one in no], [1] * len(yes) + [0] * len(no))
