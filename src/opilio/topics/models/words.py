"""A few words, or a text, and nothing else: BM25 with the frequencies of the web at large."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np

from ...model_file import Saved
from ...nouns import Material, Page, Topic
from ...text.background import PAGES, shares
from ...text.tokens import words
from ...text.vocabulary import FIRST, NOTHING, Floats, Ints, Vocabulary
from ..calibration import Platt
from ..folded import MOST as SHOWN
from ..folded import Weighty, strongest
from ..material import positives, something

K1, B = 1.2, 0.75
LENGTH = 400.0  # words of a page of average length, stop words left out
MOST = 200  # query words, the weightiest: a whole text is a query too
STEEP = 8.0
FEW, EVEN = 6, 0.75  # each of so few words was said on purpose: none counts less than this share of the rarest
TITLE = 3  # a word of the title counts as often


class Words(Saved, Topic):
    """BM25 of the topic's words, as a share of the most it can be: 0.5 is where half of what they weigh is there.

    score = Σ idf·tf·(K1+1) / (tf + K1·(1-B+B·length/LENGTH)) / Σ idf·(K1+1), idf = ln(1 + (N-n+0.5)/(n+0.5)).
    Long queries are never matched in full, so the middle of the curve falls with the square root of their length.
    """

    def __init__(self, vocabulary: Vocabulary, weights: Floats, curve: Platt) -> None:
        self.vocabulary, self.weights, self.curve = vocabulary, weights, curve

    @classmethod
    def learn(cls, material: Material) -> Self:
        language = something(material)
        counts: dict[str, float] = {}
        for text in [material.words, *(page.text for page in positives(material))]:
            for word in words(text, language):
                counts[word] = counts.get(word, 0.0) + 1.0
        query = sorted(counts)
        pages = shares(query, language) * PAGES
        idf = np.log1p((PAGES - pages + 0.5) / (pages + 0.5))
        if len(query) <= FEW:
            idf = np.maximum(idf, EVEN * idf.max())
        weights = idf * np.log1p([counts[word] for word in query])
        best = np.argsort(-weights, kind="stable")[:MOST]
        vocabulary = Vocabulary(language, [query[place] for place in best])
        middle = min(0.5, (0.5 / len(best)) ** 0.5)
        return cls(vocabulary, weights[best] / weights[best].sum(), Platt(STEEP, -STEEP * middle))

    def text(self, text: str) -> float:
        return float(self._probabilities([text])[0])

    def page(self, page: Page) -> float:
        return self.text(f"{page.title}\n" * TITLE + page.text)

    def links(self, page: Page) -> Sequence[float]:
        contexts: list[float] = self._probabilities([link.context for link in page.links]).tolist()
        return contexts

    def decisive(self, most: int = SHOWN) -> list[Weighty]:
        return strongest(self.vocabulary, np.concatenate([np.zeros(FIRST), self.weights]), most)

    def _probabilities(self, texts: Sequence[str]) -> Floats:
        if not texts:
            return np.zeros(0)
        numbers, starts = self.vocabulary.rows(texts)
        counts = self._counts(numbers, starts)
        length = counts[:, NOTHING + 1 :].sum(axis=1, keepdims=True)
        found = counts[:, FIRST:]
        score = found / (found + K1 * (1 - B + B * length / LENGTH))
        return self.curve.many(score @ self.weights)

    def _counts(self, numbers: Ints, starts: Ints) -> Floats:
        """How often each word is in each text."""
        width = len(self.vocabulary.words) + FIRST
        row = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(numbers)))
        flat = np.bincount(row * width + numbers.clip(NOTHING), minlength=len(starts) * width)
        return flat.reshape(len(starts), width).astype(np.float64)
