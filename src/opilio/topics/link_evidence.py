"""Links, and other short texts, judged as pages are: by the words of the topic, and by likeness to the examples.

A few words around a link say a word once or not at all, so what words weigh is simply added up. Those of the link itself speak of
its target alone and count four times more. How far a link stands out is seen by windows that are cut out of the pages around.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

import numpy as np

from ..model_file import Saved
from ..nouns import Link, Page
from ..text.vocabulary import Floats, Vocabulary
from .contexts import ANCHOR, anchors, windows
from .evidence import Evidence, Scale
from .material import Example, example

BESIDE = 0.6  # what the words of the topic count that stand beside a link, not in it
FEW = 5.0  # examples after which likeness may count twice as much: with few, a few words that are alike prove little
MOST = 60  # pages that windows are cut out of
AT_ONCE = 20  # pages whose windows are looked up together


@dataclass(frozen=True)
class LinkEvidence(Saved):
    vocabulary: Vocabulary
    query: Floats  # what words weigh, by their numbers
    likeness: Floats
    evidence: Evidence

    @classmethod
    def learn(
        cls,
        vocabulary: Vocabulary,
        query: Floats,
        likeness: Floats,
        like: Evidence,
        good: Sequence[Page],
        around: Sequence[Page],
    ) -> Self:
        on, off = (_windows(pages[:MOST], vocabulary, likeness) for pages in (good, around))
        spread = float(off.std()) if len(off) else 0.0
        typical = float(on.mean()) if len(on) else 1.0
        scale = Scale(float(off.mean()) if len(off) else 0.0, max(spread, 0.05), typical)
        most_like = 1 + len(good) / FEW
        evidence = Evidence(like.base, like.words, like.likeness, 0.0, like.most, most_like, scale, like.apart)
        return cls(vocabulary, query, likeness, evidence)

    def links(self, links: Sequence[Link]) -> list[float]:
        """The probability that each link leads to a page on the topic."""
        if not links:
            return []
        like = self.vocabulary.promised(links, self.likeness).reshape(2, -1)
        return self._probabilities(self._named(links), like[0] + ANCHOR * like[1])

    def _named(self, links: Sequence[Link]) -> Floats:
        """What the words of the topic say for each link; nothing where it was not named in words."""
        if not self.query.any():
            return np.zeros(len(links))
        named = self.vocabulary.promised(links, self.query).reshape(2, -1)
        return np.asarray(np.maximum(np.minimum(named[1], 1.0), BESIDE * np.minimum(named[0], 1.0)))

    def text(self, text: str) -> float:
        named, like = (self.vocabulary.sums([text], weights) for weights in (self.query, self.likeness))
        return self._probabilities(np.minimum(named, 1.0), like)[0]

    def _probabilities(self, words: Floats, likeness: Floats) -> list[float]:
        logs = self.evidence.base + self.evidence.words * words + self.evidence.alike(likeness)
        found: list[float] = self.evidence.bounded(logs).tolist()
        return found


def _windows(pages: Sequence[Page], vocabulary: Vocabulary, weights: Floats) -> Floats:
    """What links weigh that have windows of these pages around them."""
    found = [np.zeros(0)]
    for start in range(0, len(pages), AT_ONCE):
        some = [cut(one.title, one.body) for one in map(example, pages[start : start + AT_ONCE])]
        beside, own = ([text for page in some for text in page[side]] for side in (0, 1))
        found.append(vocabulary.sums(beside, weights) + ANCHOR * vocabulary.sums(own, weights))
    return np.concatenate(found)


@lru_cache(maxsize=2 * MOST)  # a topic that learns again cuts the same pages
def cut(title: str, body: str) -> tuple[list[str], list[str]]:
    """Windows of a page, and the own words of links in them."""
    return list(windows(body)), anchors(Example(title, body, ""))
