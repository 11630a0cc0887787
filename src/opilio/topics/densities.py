"""Naive Bayes with kernel densities, folded into a table: what each word says when it is on a page so many times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from ..model_file import Saved
from ..text.vocabulary import FIRST, Floats, Vocabulary
from .counted import Counted

MOST = 20  # counts are told apart up to here
NARROW = 1 / 6  # a kernel is at least this wide, in counts: a sixth of the step between two of them
DOUBT = 0.5  # of an example is spread over all counts, so that none is impossible


@dataclass(frozen=True)
class Densities(Saved):
    """score = base + Σ table[word, count] over the words that are there; base is what their absence says."""

    vocabulary: Vocabulary
    table: Floats
    base: float

    @classmethod
    def learn(cls, counted: Counted, labels: Floats) -> Self:
        counts = np.minimum(counted.counts.toarray(), MOST)
        ratio = np.log(_densities(counts[labels > 0])) - np.log(_densities(counts[labels == 0]))
        absent = ratio[:, :1]
        base = float(absent.sum() + np.log(labels.sum() / (len(labels) - labels.sum())))
        filler = np.zeros((1, MOST + 1))
        return cls(counted.vocabulary, np.concatenate([filler, filler, ratio - absent, filler]), base)

    def scores(self, counted: Counted) -> Floats:
        """The scores of texts that were counted with the same vocabulary."""
        counts = np.minimum(counted.counts.toarray(), MOST).astype(np.int64)
        chosen = self.table[FIRST:-1][np.arange(counts.shape[1]), counts]
        return np.asarray(chosen.sum(axis=1) + self.base)

    def score(self, text: str) -> float:
        found, counts = self.vocabulary.bag(text)
        return float(self.table[found, np.minimum(counts, MOST)].sum()) + self.base


def _densities(counts: Floats) -> Floats:
    """For each word, how likely it is to be in a text 0, 1, 2 ... times: a bell around each count that was seen."""
    from scipy.special import ndtr  # slow to import, and only needed here

    width = np.maximum((counts.max(axis=0) - counts.min(axis=0)) / len(counts) ** 0.5, NARROW)
    edges = np.arange(MOST + 2) - 0.5
    edges[0], edges[-1] = -np.inf, np.inf
    mass = np.zeros((counts.shape[1], MOST + 1))
    for row in counts:  # one example at a time: all at once would need hundreds of megabytes for large sets
        mass += np.diff(ndtr((edges[None, :] - row[:, None]) / width[:, None]), axis=1)
    return np.asarray((mass + DOUBT / (MOST + 1)) / (len(counts) + DOUBT))
