"""Logistic regression over the words of title, body and anchors: the default where there are examples of both kinds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Self

import numpy as np
from sklearn.linear_model import LogisticRegression

from ..learning.calibration import Platt, Stack, held_back, platt, stack
from ..learning.contexts import Contexts, is_short
from ..learning.examples import Example, both, example, something
from ..learning.folded import LOOSE, Folded, Space
from ..learning.saved import Saved
from ..learning.vocabularies import whole
from ..nouns import Material, Page, Topic

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
        yes, no = both(material, "linear")
        vocabulary, idf = whole([one.text for one in yes + no], language)
        space = Space(vocabulary, np.ones_like(idf))
        scores, labels = held_back(yes, no, lambda yes, no: _scorer(_trained(space, yes, no)))
        plain = platt(scores[:, BODY], labels)
        return cls(_trained(space, yes, no), stack(scores, labels), plain, Contexts.learn(language, yes, no))

    def text(self, text: str) -> float:
        return self.short.text(text) if is_short(text) else self.plain.one(self.fields[BODY].score(text))

    def page(self, page: Page) -> float:
        return self.stack.one(_scorer(self.fields)(example(page)))

    def links(self, page: Page) -> Sequence[float]:
        return self.short.links(page.links)


def _trained(space: Space, yes: Sequence[Example], no: Sequence[Example]) -> tuple[Folded, ...]:
    labels = [1] * len(yes) + [0] * len(no)
    return tuple(_regression(space, list(texts), labels) for texts in zip(*map(_fields, [*yes, *no]), strict=True))


def _regression(space: Space, texts: list[str], labels: list[int]) -> Folded:
    model = LogisticRegression(C=LOOSE, max_iter=1000).fit(space.matrix(texts), labels)
    return Folded.of(space, model.coef_[0], model.intercept_[0])


def _scorer(fields: Sequence[Folded]) -> Callable[[Example], Sequence[float]]:
    return lambda one: [field.score(text) for field, text in zip(fields, _fields(one), strict=True)]


def _fields(one: Example) -> tuple[str, str, str]:
    return one.title, one.text, one.anchors
