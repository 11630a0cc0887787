"""Logistic regression: the one that scikit-learn fits, without the second that importing scikit-learn takes."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np

from ..text.vocabulary import Floats

STEPS = 1000
SEARCHES = 50  # along one direction
FLAT = 1e-4  # the largest slope that counts as none
SMALL = 64 * np.finfo(float).eps  # the least gain that is worth a step


class Logistic(NamedTuple):
    """score = weights · row + bias: the log odds of a row being of the first kind."""

    weights: Floats
    bias: float

    @classmethod
    def fit(cls, rows: Any, labels: Floats, looseness: float, counts: Floats | None = None) -> Self:
        """To rows, dense or sparse, with labels 1 and 0; ridge on the weights: 1 / looseness for the sum of all losses.

        A row may count more or less than once.
        """
        from scipy.optimize import minimize  # slow to import, and only needed here

        count, width = rows.shape
        ridge = 1.0 / (looseness * count)
        times: Any = 1.0 if counts is None else counts

        def loss(theta: Floats) -> tuple[float, Floats]:
            weights = theta[:-1]
            odds = rows @ weights + theta[-1]
            pull = times * (1.0 / (1.0 + np.exp(-np.clip(odds, -700.0, 700.0))) - labels) / count
            value = np.mean(times * (np.logaddexp(0.0, odds) - labels * odds)) + 0.5 * ridge * (weights @ weights)
            return float(value), np.append(rows.T @ pull + ridge * weights, pull.sum())

        options: Any = {"maxiter": STEPS, "maxls": SEARCHES, "gtol": FLAT, "ftol": SMALL}
        theta = minimize(loss, np.zeros(width + 1), jac=True, method="L-BFGS-B", options=options).x
        return cls(theta[:-1], float(theta[-1]))

    def scores(self, rows: Any) -> Floats:
        return np.asarray(rows @ self.weights + self.bias)
