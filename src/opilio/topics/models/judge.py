"""Two of three: a page counts as relevant when at least two of svm, bayes and net say so."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from ...model_file import Saved
from ...nouns import Material, Page, Topic
from ..folded import MOST, Weighty
from .bayes import Bayes
from .net import Net
from .svm import Svm


class Judge(Saved, Topic):
    """The middle one of three probabilities: it is 0.5 or more exactly when two of the three are."""

    def __init__(self, svm: Svm, bayes: Bayes, net: Net) -> None:
        self.svm, self.bayes, self.net = svm, bayes, net

    @classmethod
    def learn(cls, material: Material) -> Self:
        return cls(Svm.learn(material), Bayes.learn(material), Net.learn(material))

    def text(self, text: str) -> float:
        return sorted(model.text(text) for model in (self.svm, self.bayes, self.net))[1]

    def page(self, page: Page) -> float:
        return sorted(model.page(page) for model in (self.svm, self.bayes, self.net))[1]

    def links(self, page: Page) -> Sequence[float]:
        return self.svm.links(page)  # similarities are the support vector machine's; the three classify pages

    def decisive(self, most: int = MOST) -> list[Weighty]:
        return self.svm.decisive(most)
