"""The best model that the material allows, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from ..nouns import Material, Page, Topic
from .linear import Linear
from .vsm import Vsm
from .words import Words


class Auto(Topic):
    """Judges by another model: `.model`, chosen for the reason in `.why`."""

    def __init__(self, model: Topic, why: str) -> None:
        self.model, self.why = model, why

    @classmethod
    def learn(cls, material: Material) -> Self:
        if material.positives and material.negatives:
            return cls(Linear.learn(material), "linear: there are examples of both kinds")
        if material.positives:
            return cls(Vsm.learn(material), "vsm: there are examples, but none of what is not wanted")
        return cls(Words.learn(material), "words: there are no examples")

    def text(self, text: str) -> float:
        return self.model.text(text)

    def page(self, page: Page) -> float:
        return self.model.page(page)

    def links(self, page: Page) -> Sequence[float]:
        return self.model.links(page)
