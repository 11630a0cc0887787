"""From scores to probabilities, and how far those can be trusted."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import mul
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from ..model_file import Saved
from ..text.vocabulary import Floats, Ints

if TYPE_CHECKING:
    import numpy.typing as npt

STEPS = 100
HAIR = 1e-6  # of ridge: a perfect split would have no end
FOLDS = 5
ODDS = math.log(19)  # of a probability of 0.95


@dataclass(frozen=True)
class Platt(Saved):
    """Probability = 1 / (1 + exp(-(slope · score + shift)))."""

    slope: float = 1.0
    shift: float = 0.0

    def one(self, score: float) -> float:
        return squash(self.slope * score + self.shift)

    def many(self, scores: Floats) -> Floats:
        against = np.minimum(-self.slope * scores - self.shift, 40.0)
        return np.asarray(1.0 / (np.exp(against, out=against) + 1.0))


def squash(x: float) -> float:
    """The logistic function, without overflow."""
    return 1.0 / (1.0 + math.exp(-x)) if x > -40.0 else math.exp(max(x, -700.0))


@dataclass(frozen=True)
class Stack(Saved):
    """Probability = 1 / (1 + exp(-(Σ slope · score + shift))): several scores of one thing."""

    slopes: Floats
    shift: float

    def one(self, scores: Sequence[float]) -> float:
        return squash(sum(map(mul, self.slopes.tolist(), scores)) + self.shift)  # numpy would take longer to begin


def platt(scores: npt.ArrayLike, labels: npt.ArrayLike) -> Platt:
    """The Platt curve of scores with labels 0 or 1."""
    found = stack(np.asarray(scores, dtype=float)[:, None], labels, HAIR)
    return Platt(float(found.slopes[0]), found.shift)


def supposed(scores: Sequence[float], least: float) -> Platt:
    """Without examples of the opposite: 0.95 at the mean of scores that are typical of the topic, 0.5 where few of them are.

    That is 1.5 deviations below the mean. Few scores say little about a deviation, so it is `least` of the mean at least.
    """
    mean = float(np.mean(scores)) or 1.0
    below = 1.5 * max(float(np.std(scores)), least * mean)
    return Platt(ODDS / below, ODDS * (1 - mean / below))


def halfway(typical: float) -> Platt:
    """For scores that are about 0 off the topic: 0.05 there, 0.95 at the score that is typical on it, 0.5 in the middle."""
    return Platt(2 * ODDS / (typical if typical > 0 else 1.0), -ODDS)


def stack(scores: npt.ArrayLike, labels: npt.ArrayLike, ridge: float = 1.0) -> Stack:
    """Platt's curve over several scores a row; a score that speaks against the rest is left out."""
    x, y = np.asarray(scores, dtype=float), np.asarray(labels, dtype=float)
    positives, negatives = y.sum(), len(y) - y.sum()
    target = np.where(y > 0, (positives + 1) / (positives + 2), 1 / (negatives + 2))
    spread, middle = x.std(axis=0), x.mean(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    used = np.ones(x.shape[1], dtype=bool)
    theta = _newton((x - middle) / spread, target, ridge)
    while x.shape[1] > 1 and (theta[:-1][used] < 0).any():
        used &= theta[:-1] > 0
        theta = _newton((x - middle) / spread * used, target, ridge)
    slopes = theta[:-1] * used / spread
    return Stack(slopes, float(theta[-1] - slopes @ middle))


def _newton(x: Floats, target: Floats, ridge: float) -> Floats:
    """Logistic regression, its last number the shift, with ridge on the others so that it always ends."""
    design = np.column_stack([x, np.ones(len(x))])
    theta, hold = np.zeros(design.shape[1]), np.full(design.shape[1], ridge)
    hold[-1] = HAIR
    for _ in range(STEPS):
        p = 1.0 / (1.0 + np.exp(-np.clip(design @ theta, -40, 40)))
        gradient = design.T @ (p - target) + hold * theta
        hessian = (design * (p * (1 - p))[:, None]).T @ design + np.diag(hold)
        step = np.linalg.solve(hessian, gradient)
        step *= min(1.0, 5.0 / (float(np.abs(step).max()) or 1.0))
        theta = theta - step
        if float(np.abs(step).max()) < 1e-9:
            break
    return theta


Judge: TypeAlias = Callable[[Ints, Ints], Floats]  # rows to learn from, rows to score -> their scores, one row each


def held_back(labels: Floats, judge: Judge, folds: int = FOLDS) -> Floats:
    """The scores that each example gets from a model that learned without it."""
    found: dict[int, Floats] = {}
    for held in parts(labels, folds):
        rest = np.delete(np.arange(len(labels)), held)
        found |= dict(zip(held.tolist(), judge(rest, held), strict=True))
    return np.array([found[row] for row in range(len(labels))])


def parts(labels: Floats, folds: int) -> list[Ints]:
    """The rows of each fold; every kind is spread evenly over them, and there are no more folds than rows of a kind."""
    kinds = [np.flatnonzero(labels == kind) for kind in sorted(set(labels.tolist()))]
    folds = min(folds, *map(len, kinds))
    return [np.sort(np.concatenate([kind[fold::folds] for kind in kinds])) for fold in range(folds)]


def brier(probabilities: npt.ArrayLike, labels: npt.ArrayLike) -> float:
    """Mean squared distance of probability and truth; 0 is perfect, always saying the base rate b gives b·(1-b)."""
    return float(np.mean((np.asarray(probabilities, dtype=float) - np.asarray(labels, dtype=float)) ** 2))


def auc(scores: npt.ArrayLike, labels: npt.ArrayLike) -> float:
    """The chance that a positive is scored above a negative, ties half (area under the ROC curve)."""
    x, y = np.asarray(scores, dtype=float), np.asarray(labels, dtype=bool)
    values, place = np.unique(x, return_inverse=True)
    count = np.bincount(place, minlength=len(values))
    ranks = (np.cumsum(count) - (count - 1) / 2)[place]
    positives, negatives = int(y.sum()), int((~y).sum())
    if not positives or not negatives:
        return math.nan
    return float((ranks[y].sum() - positives * (positives + 1) / 2) / (positives * negatives))


class Bin(NamedTuple):
    given: float  # mean probability
    true: float  # share of positives
    pages: int


def reliability(probabilities: npt.ArrayLike, labels: npt.ArrayLike, bins: int = 10) -> Sequence[Bin]:
    """What was said against what was true, in equally wide bins; empty ones left out."""
    p, y = np.asarray(probabilities, dtype=float), np.asarray(labels, dtype=float)
    place = np.minimum((p * bins).astype(int), bins - 1)
    filled = [place == number for number in range(bins) if (place == number).any()]
    return [Bin(float(p[here].mean()), float(y[here].mean()), int(here.sum())) for here in filled]
