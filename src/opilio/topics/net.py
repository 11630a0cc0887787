"""Neural net with one hidden layer of four over the 2,000 best words (the paper behind `otie`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

from ..learning.calibration import Platt, crossed
from ..learning.contexts import Contexts, is_short
from ..learning.examples import both, example, something
from ..learning.folded import Space
from ..learning.network import Network
from ..learning.saved import Saved
from ..learning.vocabularies import best
from ..nouns import Material, Page, Topic

FOLDS = 3  # for the curve: each fold trains a net


class Net(Saved, Topic):
    """tf·ln(|E|/df) in, four hidden nodes, rate 0.3, at most 500 epochs, 30 % of the examples to validate; Platt's curve."""

    def __init__(self, network: Network, curve: Platt, short: Contexts) -> None:
        self.network, self.curve, self.short = network, curve, short

    @classmethod
    def learn(cls, material: Material) -> Self:
        language = something(material)
        pages = both(material, "net")
        yes, no = ([one.text for one in kind] for kind in pages)

        def train(yes: Sequence[str], no: Sequence[str]) -> Network:
            return Network.learn(Space(*best(yes, no, language), damped=False), yes, no)

        curve = crossed(yes, no, lambda yes, no: train(yes, no).score, FOLDS)
        return cls(train(yes, no), curve, Contexts.learn(language, *pages))

    def text(self, text: str) -> float:
        return self.short.text(text) if is_short(text) else self.curve.one(self.network.score(text))

    def page(self, page: Page) -> float:
        return self.curve.one(self.network.score(example(page).text))

    def links(self, page: Page) -> Sequence[float]:
        return self.short.links(page.links)
