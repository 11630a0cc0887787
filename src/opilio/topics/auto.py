"""The best model that the material allows, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from ..learning.saved import Saved
from ..nouns import Material, Page, Topic
from .bayes import Bayes
from .judge import Judge
from .linear import Linear
from .multinomial import Multinomial
from .net import Net
from .seeds import Seeds
from .svm import Svm
from .vsm import Vsm
from .words import Words

ENOUGH = 5  # examples of each kind, for a model that learns the difference
MODELS = (Bayes, Judge, Linear, Multinomial, Net, Seeds, Svm, Vsm, Words)  # all that `Auto.load` may find in a file


class Auto(Saved, Topic):
    """Judges by another model: `.model`, chosen for the reason in `.why`."""

    def __init__(self, model: Topic, why: str) -> None:
        self.model, self.why = model, why

    @classmethod
    def learn(cls, material: Material) -> Self:
        yes, no = len(material.positives), len(material.negatives)
        if min(yes, no) >= ENOUGH:
            return cls(Linear.learn(material), f"linear, because there are {yes} examples on the topic and {no} off it")
        if yes:
            few = f"only {no}" if no else "none"
            said = f"there are {yes} examples on the topic and {few} off it ({ENOUGH} of each would do for linear)"
            return cls(Seeds.learn(material), f"seeds, because {said}")
        return cls(Words.learn(material), "words, because there are no examples on the topic")

    def text(self, text: str) -> float:
        return self.model.text(text)

    def page(self, page: Page) -> float:
        return self.model.page(page)

    def links(self, page: Page) -> Sequence[float]:
        return self.model.links(page)
