"""Neural net with one hidden layer of four over the 2,000 best words (the paper behind `otie`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

import numpy as np

from ...model_file import Saved
from ...nouns import Material, Page, Topic
from ...text.vocabulary import Floats, Ints
from ..calibration import Platt, held_back, platt
from ..contexts import Contexts, is_short
from ..counted import Counted, plain_idf
from ..folded import MOST, Weighty, strongest
from ..material import both, example, something
from ..network import Network

if TYPE_CHECKING:
    import scipy.sparse as sp

FOLDS = 3  # for the curve: each fold trains a net


class Net(Saved, Topic):
    """tf·ln(|E|/df) in, four hidden nodes, rate 0.3, at most 500 epochs, 30 % of the examples to validate; Platt's curve."""

    def __init__(self, network: Network, curve: Platt, short: Contexts) -> None:
        self.network, self.curve, self.short = network, curve, short

    @classmethod
    def learn(cls, material: Material) -> Self:
        language = something(material)
        examples, labels = both(material, "net")
        counted = Counted.of([one.text for one in examples], language)

        def judge(rest: Ints, held: Ints) -> Floats:
            network, rows = _trained(counted, rest, labels)
            return network.scores(rows[held])

        curve = platt(held_back(labels, judge, FOLDS), labels)
        network, _ = _trained(counted, np.arange(len(labels)), labels)
        return cls(network, curve, Contexts.learn(counted, examples, labels))

    def text(self, text: str) -> float:
        return self.short.text(text) if is_short(text) else self.curve.one(self.network.score(text))

    def page(self, page: Page) -> float:
        return self.curve.one(self.network.score(example(page).text))

    def links(self, page: Page) -> Sequence[float]:
        return self.short.links(page.links)

    def decisive(self, most: int = MOST) -> list[Weighty]:
        return strongest(self.network.space.vocabulary, self.network.pull(), most)


def _trained(counted: Counted, rows: Ints, labels: Floats) -> tuple[Network, sp.csr_matrix]:
    """The net, and the vectors of all texts as it wants them."""
    part = counted.some(counted.best(rows, labels))
    idf = plain_idf(part.spread(rows), len(rows))
    vectors = part.unit(idf, None)
    return Network.learn(part.space(idf, None), vectors[rows], labels[rows]), vectors
