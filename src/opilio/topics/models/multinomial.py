"""Multinomial naive Bayes over title, body and anchor text (the paper behind `genre`)."""

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
from ..fields import Multinomials
from ..folded import MOST, Weighty, strongest
from ..material import Example, both, example, something

BODY = 1  # place of the text among the fields


class Multinomial(Saved, Topic):
    """Each field has its own distribution of words, on and off the topic; both kinds count the same. Platt's curve."""

    def __init__(self, multinomials: Multinomials, curve: Platt, short: Contexts) -> None:
        self.multinomials, self.curve, self.short = multinomials, curve, short

    @classmethod
    def learn(cls, material: Material) -> Self:
        language = something(material)
        examples, labels = both(material, "multinomial")
        whole = Counted.of([one.text for one in examples], language)
        fields = [whole.others(list(texts)) for texts in zip(*examples, strict=True)]

        def judge(rest: Ints, held: Ints) -> Floats:
            return Multinomials.learn(fields, rest, labels).scores(fields, held)

        curve = platt(held_back(labels, judge), labels)
        model = Multinomials.learn(fields, np.arange(len(labels)), labels)
        return cls(model, curve, Contexts.learn(whole, examples, labels))

    def text(self, text: str) -> float:
        return (
            self.short.text(text) if is_short(text) else self.curve.one(self.multinomials.score(Example("", text, "")))
        )

    def page(self, page: Page) -> float:
        return self.curve.one(self.multinomials.score(example(page)))

    def links(self, page: Page) -> Sequence[float]:
        return self.short.links(page.links)

    def decisive(self, most: int = MOST) -> list[Weighty]:
        return strongest(self.multinomials.vocabulary, self.multinomials.weights[BODY], most)
