"""A neural net with one small hidden layer, trained by scikit-learn and kept as plain arrays."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from ..model_file import Saved
from ..text.vocabulary import FIRST, Floats
from .folded import Space

if TYPE_CHECKING:
    import scipy.sparse as sp

HIDDEN, RATE, EPOCHS, VALIDATION = 4, 0.3, 500, 0.3
BATCH = 10  # examples between two steps
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
    def learn(cls, space: Space, rows: sp.csr_matrix, labels: Floats) -> Self:
        """From vectors that the space made."""
        from sklearn.exceptions import ConvergenceWarning  # slow to import, and only needed here
        from sklearn.neural_network import MLPClassifier

        model = MLPClassifier(
            HIDDEN, activation="logistic", solver="sgd", learning_rate_init=RATE, max_iter=EPOCHS, tol=1e-5,
            batch_size=min(BATCH, int(rows.shape[0] * (1 - VALIDATION))), early_stopping=_can_validate(labels),
            validation_fraction=VALIDATION,
            n_iter_no_change=PATIENCE, random_state=0,
        )  # fmt: skip
        with warnings.catch_warnings():  # 500 epochs are the most there are, converged or not
            warnings.simplefilter("ignore", ConvergenceWarning)
            model.fit(rows, labels)
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
        return float(self._out(weights @ self.hidden[found]))

    def scores(self, rows: sp.csr_matrix) -> Floats:
        """The scores of vectors that the space made."""
        return self._out(rows @ self.hidden[FIRST:-1])

    def pull(self) -> Floats:
        """How much each word moves the score where the hidden nodes are undecided."""
        return np.asarray(self.space.idf * (self.hidden @ self.out) / 4)

    def _out(self, sums: Floats) -> Floats:
        return np.asarray((1.0 / (1.0 + np.exp(-np.clip(sums + self.bias, -40.0, 40.0)))) @ self.out + self.last)


def _can_validate(labels: Floats) -> bool:
    """Whether 30 % for validation leave something of both kinds on both sides."""
    return bool(min(labels.sum(), len(labels) - labels.sum()) >= 4)
