"""A neural net with one small hidden layer, trained by scikit-learn and kept as plain arrays."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier

from .folded import Space
from .saved import Saved
from .words import FIRST, Floats

HIDDEN, RATE, EPOCHS, VALIDATION = 4, 0.3, 500, 0.3
PATIENCE = 50  # epochs without a better validation score


@dataclass(frozen=True)
class Network(Saved):
    """score = out · σ(hidden · x + bias) + last, the logit of being relevant."""

    space: Space
    hidden: Floats
    bias: Floats
    out: Floats
    last: float

    @classmethod
    def learn(cls, space: Space, yes: Sequence[str], no: Sequence[str]) -> Self:
        model = MLPClassifier(
            HIDDEN, activation="logistic", solver="sgd", learning_rate_init=RATE, max_iter=EPOCHS, batch_size=10,
            early_stopping=_can_validate(yes, no), validation_fraction=VALIDATION, n_iter_no_change=PATIENCE, tol=1e-5,
            random_state=0,
        )  # fmt: skip
        with warnings.catch_warnings():  # 500 epochs are the most there are, converged or not
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(space.matrix([*yes, *no]), [1] * len(yes) + [0] * len(no))
        hidden, out = model.coefs_
        filler = np.zeros((FIRST, HIDDEN))
        return cls(
            space,
            np.concatenate([filler, hidden, filler[:1]]),
            model.intercepts_[0],
            out[:, 0],
            float(model.intercepts_[1][0]),
        )

    def score(self, text: str) -> float:
        found, weights = self.space.vector(text)
        inner = 1.0 / (1.0 + np.exp(-np.clip(weights @ self.hidden[found] + self.bias, -40.0, 40.0)))
        return float(inner @ self.out) + self.last


def _can_validate(yes: Sequence[str], no: Sequence[str]) -> bool:
    """Whether 30 % for validation leave something of both kinds on both sides."""
    return min(len(yes), len(no)) >= 4
