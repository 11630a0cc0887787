"""Naive Bayes with kernel densities over the 2,000 best words (the paper behind `otie`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np

from ...model_file import Saved
from ...nouns import Material, Page, Topic
from ...text.vocabulary import Floats, Ints
from ..calibration import Platt, held_back, platt
from ..contexts import Contexts, is_short
from ..counted import Counted
from ..densities import Densities
from ..folded import MOST, Weighty, strongest
from ..material import both, example, something


class Bayes(Saved, Topic):
    """ln P(on)/P(off) + Σ ln p(tf | on)/p(tf | off) over the 2,000 words with the highest χ²; Platt's curve."""

    def __init__(self, densities: Densities, curve: Platt, short: Contexts) -> None:
        self.densities, self.curve, self.short = densities, curve, short

    @classmethod
    def learn(cls, material: Material) -> Self:
        language = something(material)
        examples, labels = both(material, "bayes")
        counted = Counted.of([one.text for one in examples], language)

        def judge(rest: Ints, held: Ints) -> Floats:
            part = counted.some(counted.best(rest, labels))
            return Densities.learn(part.rows(rest), labels[rest]).scores(part.rows(held))

        curve = platt(held_back(labels, judge), labels)
        part = counted.some(counted.best(np.arange(len(labels)), labels))
        return cls(Densities.learn(part, labels), curve, Contexts.learn(counted, examples, labels))

    def text(self, text: str) -> float:
        return self.short.text(text) if is_short(text) else self.curve.one(self.densities.score(text))

    def page(self, page: Page) -> float:
        return self.curve.one(self.densities.score(example(page).text))

    def links(self, page: Page) -> Sequence[float]:
        return self.short.links(page.links)

    def decisive(self, most: int = MOST) -> list[Weighty]:
        return strongest(self.densities.vocabulary, self.densities.table[:, 1], most)
