"""Linear support vector machine over the 2,000 best words (the paper behind `otie`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from ...model_file import Saved
from ...nouns import Material, Page, Topic
from ...text.vocabulary import Floats, Ints
from ..calibration import Platt, held_back, platt
from ..counted import Counted, plain_idf
from ..folded import MOST, Folded, Weighty
from ..material import both, example, something


class Svm(Saved, Topic):
    """tf·ln(|E|/df) over the 2,000 words with the highest χ², stemmed, stop words out, rows of length 1; Platt's curve.

    Pages and the words around a link are judged alike.
    """

    def __init__(self, folded: Folded, curve: Platt) -> None:
        self.folded, self.curve = folded, curve

    @classmethod
    def learn(cls, material: Material) -> Self:
        language = something(material)
        examples, labels = both(material, "svm")
        counted = Counted.of([one.text for one in examples], language)

        def judge(rest: Ints, held: Ints) -> Floats:
            part, idf, model = _trained(counted, rest, labels)
            scores: Floats = model.decision_function(part.unit(idf, None)[held])
            return scores

        curve = platt(held_back(labels, judge), labels)
        part, idf, model = _trained(counted, np.arange(len(labels)), labels)
        folded = Folded.of(part.space(idf, None), model.coef_[0], model.intercept_[0])
        return cls(folded, curve)

    def text(self, text: str) -> float:
        return self.curve.one(self.folded.score(text))

    def page(self, page: Page) -> float:
        return self.curve.one(self.folded.score(example(page).text))

    def links(self, page: Page) -> Sequence[float]:
        return [self.text(link.context) for link in page.links]

    def decisive(self, most: int = MOST) -> list[Weighty]:
        return self.folded.decisive(most)


def _trained(counted: Counted, rows: Ints, labels: Floats) -> tuple[Counted, Floats, Any]:
    from sklearn.svm import LinearSVC  # slow to import, and only needed here

    part = counted.some(counted.best(rows, labels))
    idf = plain_idf(part.spread(rows), len(rows))
    model = LinearSVC(C=1.0, max_iter=10_000, random_state=0)
    return part, idf, model.fit(part.unit(idf, None)[rows], labels[rows])
