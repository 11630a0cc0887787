"""Naive Bayes with kernel densities over the 2,000 best words (the paper behind `otie`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from ..learning.calibration import Platt, crossed
from ..learning.contexts import Contexts, is_short
from ..learning.densities import Densities
from ..learning.examples import both, example, something
from ..learning.saved import Saved
from ..learning.vocabularies import best
from ..nouns import Material, Page, Topic


class Bayes(Saved, Topic):
    """ln P(on)/P(off) + Σ ln p(tf | on)/p(tf | off) over the 2,000 words with the highest χ²; Platt's curve."""

    def __init__(self, densities: Densities, curve: Platt, short: Contexts) -> None:
        self.densities, self.curve, self.short = densities, curve, short

    @classmethod
    def learn(cls, material: Material) -> Self:
        language = something(material)
        pages = both(material, "bayes")
        yes, no = ([one.text for one in kind] for kind in pages)

        def train(yes: Sequence[str], no: Sequence[str]) -> Densities:
            return Densities.learn(best(yes, no, language)[0], yes, no)

        curve = crossed(yes, no, lambda yes, no: train(yes, no).score)
        return cls(train(yes, no), curve, Contexts.learn(language, *pages))

    def text(self, text: str) -> float:
        return self.short.text(text) if is_short(text) else self.curve.one(self.densities.score(text))

    def page(self, page: Page) -> float:
        return self.curve.one(self.densities.score(example(page).text))

    def links(self, page: Page) -> Sequence[float]:
        return self.short.links(page.links)
