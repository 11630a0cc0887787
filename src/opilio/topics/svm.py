"""Linear support vector machine over the 2,000 best words (the paper behind `otie`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from sklearn.svm import LinearSVC

from ..learning.calibration import Platt, crossed
from ..learning.contexts import Contexts, is_short
from ..learning.examples import both, example, something
from ..learning.folded import Folded, Space
from ..learning.saved import Saved
from ..learning.vocabularies import best
from ..nouns import Material, Page, Topic


class Svm(Saved, Topic):
    """tf·ln(|E|/df) over the 2,000 words with the highest χ², stemmed, stop words out, rows of length 1; Platt's curve."""

    def __init__(self, folded: Folded, curve: Platt, short: Contexts) -> None:
        self.folded, self.curve, self.short = folded, curve, short

    @classmethod
    def learn(cls, material: Material) -> Self:
        language = something(material)
        pages = both(material, "svm")
        yes, no = ([one.text for one in kind] for kind in pages)

        def train(yes: Sequence[str], no: Sequence[str]) -> Folded:
            space = Space(*best(yes, no, language), damped=False)
            model = LinearSVC(C=1.0, max_iter=10_000, random_state=0)
            model.fit(space.matrix([*yes, *no]), [1] * len(yes) + [0] * len(no))
            return Folded.of(space, model.coef_[0], model.intercept_[0])

        curve = crossed(yes, no, lambda yes, no: train(yes, no).score)
        return cls(train(yes, no), curve, Contexts.learn(language, *pages))

    def text(self, text: str) -> float:
        return self.short.text(text) if is_short(text) else self.curve.one(self.folded.score(text))

    def page(self, page: Page) -> float:
        return self.curve.one(self.folded.score(example(page).text))

    def links(self, page: Page) -> Sequence[float]:
        return self.short.links(page.links)
