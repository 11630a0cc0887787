"""By meaning: sentence embeddings of a page's title and beginning. An extra: pip install 'opilio[semantic]'."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np

from ...errors import UnreadableError
from ...model_file import Saved
from ...nouns import Material, Page, Topic
from ...text.vocabulary import Floats, Ints
from ..calibration import Platt, held_back, platt, supposed
from ..folded import MOST, Weighty
from ..logistic import Logistic
from ..material import Example, example, negatives, positives, something
from ..sentences import Encoder, default_folder, encoder
from .linear import Linear
from .seeds import Seeds
from .words import Words

LOOSE = 10.0  # C of the regression: vectors have length 1
LEAST = 2  # examples of each kind, to learn the difference
SPREAD, WIDE = 0.15, 0.4  # least deviation of a page's score, as a share of the mean; where there is but one
ABOUT = Platt(20.0, -6.0)  # for words alone: texts on one subject have a cosine of 0.3 and more, others are near 0


class Semantic(Saved, Topic):
    """score = w·v + bias; v is the embedding of a text's first 256 tokens, of length 1.

    With examples of both kinds w is learned by logistic regression, else it is the mean of the embeddings of words and
    examples. Links are judged by their words, as other models do: embedding the 80 links of a page would take a second.
    """

    def __init__(
        self, folder: str, digest: str, weights: Floats, bias: float, curve: Platt, companion: Linear | Seeds | Words
    ) -> None:
        self.folder, self.digest, self.weights, self.bias = folder, digest, weights, bias
        self.curve, self.companion = curve, companion

    @classmethod
    def learn(cls, material: Material, folder: str = "") -> Self:
        something(material)
        yes, no = positives(material), negatives(material)
        folder = folder or default_folder()
        model = encoder(folder)
        if min(len(yes), len(no)) >= LEAST:
            found = _regression(model, yes, no)
            return cls(folder, model.digest, *found, Linear.learn(material))
        companion = Seeds.learn(material) if yes else Words.learn(material)
        return cls(folder, model.digest, *_mean(model, material.words, yes), companion)

    def text(self, text: str) -> float:
        vector = self._encoder().vectors([text])[0]
        return self.curve.one(float(self.weights @ vector) + self.bias)

    def page(self, page: Page) -> float:
        return self.text(example(page).text)

    def links(self, page: Page) -> Sequence[float]:
        return self.companion.links(page)

    def decisive(self, most: int = MOST) -> list[Weighty]:
        return []

    def _encoder(self) -> Encoder:
        model = encoder(self.folder)
        if model.digest != self.digest:
            raise UnreadableError(f"{self.folder}: this is another sentence model than the topic was trained with")
        return model


def _vectors(model: Encoder, examples: Sequence[Example]) -> Floats:
    return model.vectors([one.text for one in examples]).astype(np.float64)


def _regression(model: Encoder, yes: Sequence[Example], no: Sequence[Example]) -> tuple[Floats, float, Platt]:
    vectors = _vectors(model, [*yes, *no])
    labels = np.array([1.0] * len(yes) + [0.0] * len(no))

    def judge(rest: Ints, held: Ints) -> Floats:
        return Logistic.fit(vectors[rest], labels[rest], LOOSE).scores(vectors[held])

    curve = platt(held_back(labels, judge), labels)
    fitted = Logistic.fit(vectors, labels, LOOSE)
    return fitted.weights, fitted.bias, curve


def _mean(model: Encoder, topic: str, yes: Sequence[Example]) -> tuple[Floats, float, Platt]:
    """The words count as much as all examples together."""
    named = model.vectors([topic])[0].astype(np.float64) if topic.strip() else 0.0
    if not yes:
        return np.asarray(named), 0.0, ABOUT
    vectors = _vectors(model, yes)
    centre = np.asarray(vectors.mean(axis=0) + named)
    if len(yes) == 1:
        return centre, 0.0, supposed([float(centre @ vectors[0]) / 2], WIDE)  # it is its own mean, others are not
    apart = [(vectors.sum(axis=0) - one) / (len(yes) - 1) + named for one in vectors]
    scores = [float(mean @ one) for mean, one in zip(apart, vectors, strict=True)]
    return centre, 0.0, supposed(scores, SPREAD)
