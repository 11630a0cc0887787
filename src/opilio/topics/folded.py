"""Trained linear models as plain arrays: scoring a text costs its words and a dot product."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Self, TypeAlias

import numpy as np

from .. import native
from ..model_file import Saved
from ..text.vocabulary import FIRST, OTHER, Floats, Ints, Vocabulary, bagged

if TYPE_CHECKING:
    import numpy.typing as npt

Weighty: TypeAlias = tuple[str, float]  # a word, and how much it speaks for the topic; below 0: against it
MOST = 20  # words that are shown
LONG = 1 << 14  # words of a text that are worked out one by one


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
        found, weights = self.spread(numbers)
        length = math.sqrt(weights @ weights)
        return found, weights / length if length else weights

    def spread(self, numbers: Ints) -> tuple[Ints, Floats]:
        """The same, of whatever length it is."""
        found, counts = bagged(numbers)
        weights = tempered(counts, self.damping) * self.idf[found]
        if len(found) and found[0] == OTHER:
            weights[0] = self.idf[OTHER] * counts[0] ** 0.5
        return found, weights


def tempered(counts: Ints, damping: float | None) -> Ints | Floats:
    """What it counts that a word is there so often."""
    return counts if damping is None else np.log(counts) * damping + 1.0


@cache
def terms(damping: float | None) -> Floats:
    """For texts that are not long, the same by that number; first of all words outside the vocabulary together."""
    counts = np.arange(1, LONG)
    found = np.zeros((2, LONG))
    found[:, 1:] = np.sqrt(counts), tempered(counts, damping)
    return found


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
        if not native.has("rate") or len(numbers) >= LONG:
            return self.rate_plainly(numbers)
        space = self.space
        product, square = native.functions.rate(numbers, terms(space.damping), space.idf, self.weights)
        return product / math.sqrt(square) + self.bias if square else self.bias

    def rate_plainly(self, numbers: Ints) -> float:
        """The same in Python."""
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
