"""A few pages about the topic, perhaps its name, and nothing off the topic: what sets the pages apart from the web at large."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Self

import numpy as np

from ...errors import ConfigError
from ...model_file import Saved
from ...nouns import Material, Page, Topic
from ...text.background import RARE, known, shares
from ...text.vocabulary import FIRST, Floats
from ..calibration import Platt, supposed
from ..contexts import Contexts, is_short
from ..folded import MOST, Folded, Space, Weighty
from ..material import Example, example, positives, something

ANCHORS = 0.5  # what the anchors of a page's links count beside its text
DOUBT = 2.0  # pages of background that are mixed under the seeds
SPREAD, WIDE = 0.15, 0.4  # least deviation of a page's score, as a share of the mean; for one seed alone
MOST_LEFT_OUT = 10  # seeds that are held back in turn to see what is typical


class Seeds(Saved, Topic):
    """score = cos(text, T) + 0.5·cos(anchors, A); T and A are profiles of the seeds' texts and anchors.

    A word's place in a profile is its mean (1 + ln tf)·idf over the seeds, times the number of seeds that have it, times
    how much likelier it is there than elsewhere: ln((n+B·s)/(N+B)) - ln s, with n of N seeds having it and s its share in
    the background; idf = -ln s. The words that name the topic are added with the weight of all seeds together.
    """

    def __init__(self, body: Folded, anchors: Folded, curve: Platt, short: Contexts) -> None:
        self.body, self.anchors, self.curve, self.short = body, anchors, curve, short

    @classmethod
    def learn(cls, material: Material) -> Self:
        language = something(material)
        seeds = positives(material)
        if not seeds:
            raise ConfigError(
                "model seeds learns from pages about the topic, and there are none: add some, or take model words"
            )
        space = _space(language, [one.text for one in seeds] + [material.words])
        body, anchors = _profiles(space, material.words, seeds)
        short = Contexts.supposed(space.vocabulary, _short(space, material.words, seeds), seeds)
        curve = supposed(_typical(space, material.words, seeds), SPREAD if len(seeds) > 1 else WIDE)
        return cls(body, anchors, curve, short)

    def text(self, text: str) -> float:
        return self.short.text(text) if is_short(text) else self.curve.one(self.body.score(text))

    def page(self, page: Page) -> float:
        return self.curve.one(_score(self.body, self.anchors, example(page)))

    def links(self, page: Page) -> Sequence[float]:
        return self.short.links(page.links)

    def decisive(self, most: int = MOST) -> list[Weighty]:
        return self.body.decisive(most)


def _score(body: Folded, anchors: Folded, one: Example) -> float:
    return body.score(one.text) + ANCHORS * anchors.score(one.anchors)


def _space(language: str, texts: Sequence[str]) -> Space:
    vocabulary, _ = known(texts, language)
    idf = -np.log(shares(vocabulary.words, language))
    return Space(vocabulary, vocabulary.array(idf, other=-math.log(RARE)))


def _profiles(space: Space, topic: str, seeds: Sequence[Example]) -> tuple[Folded, Folded]:
    name, _ = _mean(space, [topic])
    fields = ([one.text for one in seeds], [one.anchors for one in seeds])
    body, anchors = (Folded(space, _profile(space, texts) + name) for texts in fields)
    return body, anchors


def _profile(space: Space, texts: Sequence[str]) -> Floats:
    mean, seen = _mean(space, texts)
    share = np.exp(-space.idf)
    likelier = np.log((seen + DOUBT * share) / (len(texts) + DOUBT)) + space.idf
    return _unit(mean * seen * np.maximum(likelier, 0.0))


def _mean(space: Space, texts: Sequence[str]) -> tuple[Floats, Floats]:
    """The mean vector of texts, and how many of them have each word."""
    mean, seen = np.zeros_like(space.idf), np.zeros_like(space.idf)
    for text in texts:
        found, weights = space.vector(text)
        mean[found] += weights / len(texts)
        seen[found] += 1
    mean[:FIRST] = seen[:FIRST] = 0.0
    return mean, seen


def _short(space: Space, topic: str, seeds: Sequence[Example]) -> Floats:
    """What a word weighs in a short text: idf times (mean seed - mean page of the background + name, as long as the seeds)."""
    mean, _ = _mean(space, [one.text for one in seeds])
    name, _ = _mean(space, [topic])
    share = np.exp(-space.idf) * (space.idf > 0)
    share[:FIRST] = share[-1] = 0.0
    usual = share * space.idf / max(1.0, float(np.sqrt((share * space.idf**2).sum())))
    return space.idf * (mean - usual + name * float(np.sqrt(mean @ mean)))


def _unit(vector: Floats) -> Floats:
    length = float(np.sqrt(vector @ vector))
    return vector / length if length else vector


def _typical(space: Space, topic: str, seeds: Sequence[Example]) -> list[float]:
    """The scores of seeds that were held back; of a single seed, of its halves."""
    if len(seeds) == 1:
        parts = seeds[0].body.split()
        half = len(parts) // 2
        seeds = [seeds[0]._replace(body=" ".join(part)) for part in (parts[:half], parts[half:])]
    scores = []
    for place, one in enumerate(seeds[:MOST_LEFT_OUT]):
        body, anchors = _profiles(space, topic, [*seeds[:place], *seeds[place + 1 :]])
        scores.append(_score(body, anchors, one))
    return scores
