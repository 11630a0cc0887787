"""Logistic regression over the words of title, body and anchors: the default where there are examples of both kinds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np

from ...model_file import Saved
from ...nouns import Material, Page, Topic
from ...text.vocabulary import Floats, Ints
from ..calibration import Platt, Stack, held_back, platt, stack
from ..contexts import Contexts, is_short
from ..counted import Counted
from ..folded import MOST, Folded, Weighty
from ..logistic import Logistic
from ..material import Example, both, something

LOOSE = 100.0  # C of the regressions: rows have length 1, so weights must be large to say anything
BODY = 1  # place of the whole text among the fields


class Linear(Saved, Topic):
    """P = σ(Σ slope·(w·x + b) + shift) over three fields of a page: title, text, anchors of its links.

    x has 1 + ln tf for every word of the examples, and length 1; one regression a field. How much a field counts is
    learned too, from the scores of examples that were held back, so anchors count where pages link to their own kind.
    """

    def __init__(self, fields: tuple[Folded, ...], stack: Stack, plain: Platt, short: Contexts) -> None:
        self.fields, self.stack, self.plain, self.short = fields, stack, plain, short

    @classmethod
    def learn(cls, material: Material) -> Self:
        language = something(material)
        examples, labels = both(material, "linear")
        whole = Counted.of([one.text for one in examples], language)
        flat = np.ones(len(whole.vocabulary.words))
        fields = [whole.others(list(texts)).unit(flat) for texts in zip(*map(_fields, examples), strict=True)]

        def judge(rest: Ints, held: Ints) -> Floats:
            models = [Logistic.fit(field[rest], labels[rest], LOOSE) for field in fields]
            return np.column_stack([model.scores(f[held]) for model, f in zip(models, fields, strict=True)])

        scores = held_back(labels, judge)
        models = [Logistic.fit(field, labels, LOOSE) for field in fields]
        space = whole.space(flat)
        folded = tuple(Folded.of(space, model.weights, model.bias) for model in models)
        short = Contexts.learn(whole, examples, labels)
        return cls(folded, stack(scores, labels), platt(scores[:, BODY], labels), short)

    def text(self, text: str) -> float:
        return self.short.text(text) if is_short(text) else self.plain.one(self.fields[BODY].score(text))

    def page(self, page: Page) -> float:
        numbers, starts = self.fields[BODY].space.vocabulary.read(page)  # of all fields in one go
        body, anchors = starts[1], starts[2] if len(starts) > 2 else len(numbers)
        title, text, others = self.fields
        scores = title.rate(numbers[:body]), text.rate(numbers[:anchors]), others.rate(numbers[anchors:])
        return self.stack.one(scores)

    def links(self, page: Page) -> Sequence[float]:
        return self.short.links(page.links)

    def decisive(self, most: int = MOST) -> list[Weighty]:
        return self.fields[BODY].decisive(most)


def _fields(one: Example) -> tuple[str, str, str]:
    return one.title, one.text, one.anchors
