"""How much each of several signals counts: a prior, corrected by what the pages that were chosen brought.

Bayesian logistic regression: the weights w maximise Σ y·ln p + (1-y)·ln(1-p) - λ/2·|w - w0|² with p = 1 / (1 + exp(-w·x)), over
the pages fetched so far with their signals x and yields y. With few pages the prior w0 decides; the more there are, the more it
is what works here. A signal never counts against a page: pages are chosen by high signals, and among those even a good signal
may seem to speak the other way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..codec import saved
from ..text.vocabulary import Floats

PULL = 100.0  # λ: so many pages' worth of trust in the prior
STEPS, CLOSE, LONGEST = 15, 1e-4, 2.0
FIRST, GROWTH = 20, 1.1  # pages before the weights are first corrected, and how many times more before each next time


@saved
@dataclass(slots=True)
class SignalMix:
    """Weights of signals; the last one is the intercept."""

    weights: list[float]
    chosen: int = 0  # pages that were chosen by signals so far
    due: int = FIRST

    def prices(self, signals: Floats) -> Floats:
        """The weighted sum of the signals in each row."""
        found: Floats = signals @ np.array(self.weights[:-1]) + self.weights[-1]
        return found

    def learn(self, prior: Sequence[float], signals: Floats, yields: Floats) -> None:
        """Correct the weights by pages that were chosen; a signal that counts nothing at first is left out."""
        self.due = int(self.due * GROWTH) + 1
        design = np.column_stack([signals, np.ones(len(signals))])
        found = fitted(design, yields, np.array([*prior, 0.0]), np.array(self.weights))
        used = np.array(prior) > 0
        self.weights = [*np.where(used, np.maximum(found[:-1], 0.0), 0.0).tolist(), float(found[-1])]


def fitted(design: Floats, yields: Floats, prior: Floats, start: Floats) -> Floats:
    """The weights, by Newton's method."""
    weights = start
    for _ in range(STEPS):
        p = 1.0 / (1.0 + np.exp(-np.clip(design @ weights, -30.0, 30.0)))
        gradient = design.T @ (p - yields) + PULL * (weights - prior)
        hessian = (design * (p * (1.0 - p))[:, None]).T @ design + PULL * np.eye(len(prior))
        step = np.linalg.solve(hessian, gradient)
        longest = float(np.abs(step).max())
        weights = weights - step * min(1.0, LONGEST / longest if longest else 1.0)
        if longest < CLOSE:
            break
    return weights
