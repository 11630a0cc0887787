"""Multinomial naive Bayes over title, body and anchor text (the paper behind `genre`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from ..learning.calibration import Platt, crossed
from ..learning.contexts import Contexts, is_short
from ..learning.examples import Example, both, example, something
from ..learning.fields import Multinomials
from ..learning.saved import Saved
from ..learning.vocabularies import whole
from ..nouns import Material, Page, Topic


class Multinomial(Saved, Topic):
    """Each field has its own distribution of words, on and off the topic; both kinds count the same. Platt's curve."""

    def __init__(self, multinomials: Multinomials, curve: Platt, short: Contexts) -> None:
        self.multinomials, self.curve, self.short = multinomials, curve, short

    @classmethod
    def learn(cls, material: Material) -> Self:
        language = something(material)
        yes, no = both(material, "multinomial")
        vocabulary, _ = whole([one.text for one in yes + no], language)
        curve = crossed(yes, no, lambda yes, no: Multinomials.learn(vocabulary, yes, no).score)
        return cls(Multinomials.learn(vocabulary, yes, no), curve, Contexts.learn(language, yes, no))

    def text(self, text: str) -> float:
        return (
            self.short.text(text) if is_short(text) else self.curve.one(self.multinomials.score(Example("", text, "")))
        )

    def page(self, page: Page) -> float:
        return self.curve.one(self.multinomials.score(example(page)))

    def links(self, page: Page) -> Sequence[float]:
        return self.short.links(page.links)
