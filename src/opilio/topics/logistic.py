"""Logistic regression: the one that scikit-learn fits, without the half second that its import, or scipy's optimisers', takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np

from ..text.vocabulary import Floats

STEPS = 100
FLAT = 1e-7  # the largest slope that counts as none
ENOUGH, SHORTEST = (
    1e-4,
    1e-6,
)  # share of the gain that a slope promises which a step must bring; of a step, if that is not there


class Logistic(NamedTuple):
    """score = weights · row + bias: the log odds of a row being of the first kind."""

    weights: Floats
    bias: float

    @classmethod
    def fit(cls, rows: Any, labels: Floats, looseness: float, counts: Floats | None = None) -> Self:
        """To rows, dense or sparse, with labels 1 and 0; ridge on the weights: 1 / looseness for the sum of all losses.

        A row may count more or less than once.
        """
        loss = Loss(rows, labels, 1.0 if counts is None else counts, 1.0 / looseness)
        theta = np.zeros(rows.shape[1] + 1)
        for _ in range(STEPS):
            odds = loss.odds(theta)
            slope, bend = loss.slope(theta, odds)
            if np.abs(slope).max() < FLAT:
                break
            theta = loss.descend(theta, odds, slope, solved(bend, slope))
        return cls(theta[:-1], float(theta[-1]))

    def scores(self, rows: Any) -> Floats:
        return np.asarray(rows @ self.weights + self.bias)


class Loss(NamedTuple):
    """What is made as small as can be, divided by the number of rows: losses of all rows, and the ridge."""

    rows: Any
    labels: Floats
    counts: Any
    ridge: float

    def odds(self, theta: Floats) -> Floats:
        return np.asarray(self.rows @ theta[:-1] + theta[-1])

    def value(self, theta: Floats, odds: Floats) -> float:
        losses = self.counts * (np.logaddexp(0.0, odds) - self.labels * odds)
        return float(losses.sum() + 0.5 * self.ridge * (theta[:-1] @ theta[:-1])) / len(self.labels)

    def slope(self, theta: Floats, odds: Floats) -> tuple[Floats, Callable[[Floats], Floats]]:
        """The slope, and how it changes along a direction."""
        p = 1.0 / (1.0 + np.exp(-np.clip(odds, -700.0, 700.0)))
        curve = self.counts * p * (1.0 - p)

        def bend(way: Floats) -> Floats:
            return self._back(curve * self.odds(way), way)

        return self._back(self.counts * (p - self.labels), theta), bend

    def descend(self, theta: Floats, odds: Floats, slope: Floats, way: Floats) -> Floats:
        """As far along a way as the loss gets smaller: mostly all of it."""
        share, value, promised = 1.0, self.value(theta, odds), float(slope @ way)
        while share > SHORTEST:
            there = theta - share * way
            if self.value(there, self.odds(there)) <= value - ENOUGH * share * promised:
                return there
            share /= 2
        return theta - share * way

    def _back(self, pulls: Floats, theta: Floats) -> Floats:
        """What pulls at rows, as pulls at weights and bias; with that of the ridge."""
        return np.append(self.rows.T @ pulls + self.ridge * theta[:-1], pulls.sum()) / len(self.labels)


def solved(bend: Callable[[Floats], Floats], slope: Floats) -> Floats:
    """The way along which the slope vanishes, nearly, by conjugate gradients: a table of how it bends is never made."""
    way, left = np.zeros_like(slope), slope
    towards, square = left, float(left @ left)
    close = square * min(0.01, square)
    for _ in range(len(slope)):
        bent = bend(towards)
        length = square / float(towards @ bent)
        way, left = way + length * towards, left - length * bent
        before, square = square, float(left @ left)
        if square <= close:
            break
        towards = left + square / before * towards
    return way
