"""Trained linear models as plain arrays: scoring a text costs its words and a dot product."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self, TypeAlias

import numpy as np
import numpy.typing as npt

from .saved import Saved
from .words import FIRST, OTHER, Floats, Ints, Vocabulary, bagged

Weighty: TypeAlias = tuple[str, float]  # a word, and how much it speaks for the topic; below 0: against it
MOST = 20  # words that are shown


@dataclass(frozen=True)
class Space(Saved):
    """Texts as vectors of length 1: 1 + damping · ln tf times idf; plain tf times idf where damping is None.

    Words outside the vocabulary lengthen a text, each as if it were there once, when idf has a value for them.
    """

    vocabulary: Vocabulary
    idf: Floats
    damping: float | None = 1.0

    def vector(self, text: str) -> tuple[Ints, Floats]:
        """The words of a text and their weights."""
        return self.weighed(self.vocabulary.numbers(text))

    def weighed(self, numbers: Ints) -> tuple[Ints, Floats]:
        """The same, of words that have their numbers."""
        found, counts = bagged(numbers)
        weights = (counts if self.damping is None else np.log(counts) * self.damping + 1.0) * self.idf[found]
        if len(found) and found[0] == OTHER:
            weights[0] = self.idf[OTHER] * counts[0] ** 0.5
        length = math.sqrt(weights @ weights)
        return found, weights / length if length else weights


@dataclass(frozen=True)
class Folded(Saved):
    """score = weights · vector + bias."""

    space: Space
    weights: Floats
    bias: float = 0.0

    @classmethod
    def of(cls, space: Space, coefficients: npt.ArrayLike, bias: float) -> Self:
        return cls(space, space.vocabulary.array(coefficients), float(bias))

    def score(self, text: str) -> float:
        return self.rate(self.space.vocabulary.numbers(text))

    def rate(self, numbers: Ints) -> float:
        """The score of a text whose words have their numbers."""
        found, weights = self.space.weighed(numbers)
        return float(self.weights[found] @ weights) + self.bias

    def decisive(self, most: int = MOST) -> list[Weighty]:
        """The words that speak for the topic, and against it, with their weights; the strongest first."""
        return strongest(self.space.vocabulary, self.weights * self.space.idf, most)


def strongest(vocabulary: Vocabulary, strength: Floats, most: int) -> list[Weighty]:
    """The words of the largest values, for or against; `strength` has a place for every number of the vocabulary."""
    strength = strength[FIRST : FIRST + len(vocabulary.words)]
    best = np.argsort(-np.abs(strength), kind="stable")[:most]
    return [(vocabulary.words[place], float(strength[place])) for place in best]
