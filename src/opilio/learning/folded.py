"""Trained linear models as plain arrays: scoring a text costs its words and a dot product."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from .saved import Saved
from .words import FIRST, Floats, Ints, Vocabulary

LOOSE = 100.0  # C of logistic regressions: rows have length 1, so weights must be large to say anything


@dataclass(frozen=True)
class Space(Saved):
    """Texts as vectors: damped or plain counts times idf, of length 1."""

    vocabulary: Vocabulary
    idf: Floats
    damped: bool = True  # 1 + ln tf in place of tf

    def vector(self, text: str) -> tuple[Ints, Floats]:
        """The words of a text and their weights."""
        found, counts = self.vocabulary.bag(text)
        weights = (np.log(counts) + 1.0 if self.damped else counts) * self.idf[found]
        length = float(np.sqrt(weights @ weights))
        return found, weights / length if length else weights

    def matrix(self, texts: list[str]) -> sp.csr_matrix:
        """One row a text, one column a word."""
        vectors = [self.vector(text) for text in texts]
        columns = np.concatenate([found for found, _ in vectors]) - FIRST
        values = np.concatenate([weights for _, weights in vectors])
        starts = np.cumsum([0, *(len(found) for found, _ in vectors)])
        kept = columns >= 0
        starts = np.concatenate([[0], np.cumsum(kept)])[starts]
        return sp.csr_matrix((values[kept], columns[kept], starts), shape=(len(texts), len(self.vocabulary.words)))


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
        found, weights = self.space.vector(text)
        return float(self.weights[found] @ weights) + self.bias

    def decisive(self, most: int = 20) -> list[tuple[str, float]]:
        """The words that speak for the topic, and against it, with their weights; the strongest first."""
        strength = self.weights[FIRST:-1] * self.space.idf[FIRST:-1]
        best = np.argsort(-np.abs(strength), kind="stable")[:most]
        return [(self.space.vocabulary.words[place], float(strength[place])) for place in best]
