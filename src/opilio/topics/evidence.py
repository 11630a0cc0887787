"""How all that speaks for a page becomes one probability: the one place where words, examples and answers are combined.

Three scores speak for a page: how much more of the topic's words it has than pages around (0 to 1), how much it is like the
examples, and on which side of the pages on and off the topic it is. Each is turned into log odds, and these are added:

    log odds = base + words · W + likeness · m · tanh(√(z · t) / m) + difference · d

z says how far a page stands out among the pages around, in standard deviations; t how near it comes to an example that was held
back (1: as near). Both must be large. Where the topic is named in words they count as m at most, which is 2 and a fifth more with
each example: a page may be very much like two examples in what was not meant. d is the score of the regression, in standard
deviations of the pages around.

What a score counts depends on how much there is to go by. For words and examples that is a table of constants. Its shape
was chosen over five collections of pages, each tried with what was fitted on the others; its numbers are rounded from fits to
them, those for words without the manuals of docs/topics-measured.md. With pages off the topic, how much each score counts is
learned from examples that were held back, starting from the constants.

Four corrections follow. The base rate is moved half the way to what the pages around suggest.

Where there are ten examples or more, the odds of pages are made to agree with them, by a level that is added to all log odds and
a slope that they are multiplied by. Examples are pages on the topic, and the pages around are a mixture; so level and slope are
the likelier the higher the examples, each judged without itself, stand above the mean page around:

    L = Π P(example) / mean P(page around), for ten examples at most, and one less than there are

That is learning from presence alone (Ward, Hastie and others 2009). It says much about the slope, for it tells examples that
stand apart from those that are lost among other pages, and little about the level. So both have a prior, and so has the share
of relevant pages around. Taken is the mean of each, weighed by how likely it is. The slope is 1 at most: the constants are steep
enough. Links keep the odds that they have: a few words are no page.

A few examples without words do not show which of their subjects is meant, so hardly any page is more likely relevant than not,
and hardly any would be called relevant. With fewer than five of them the odds of pages therefore reach further: one half is given
to what has a probability of F/2, where F is the best F1 that can be expected on the pages around. To call relevant what is
likelier than F/2 is what brings it (Lipton, Elkan and Narayanaswamy 2014). Each example takes a fifth of this back; with five,
a probability means what it says. The odds of links stay as they are.

And nothing is more certain than what is known: with words and examples that count k no odds are longer than k + 1 to 1, by the
rule of succession. While nobody has said what is off the topic, at most seven examples count for this: more of them do not show
where the topic ends. Pages off the topic do not count: most are far from it and say little about those that seem to be on it. Nor
do those speak against that would be called relevant, had nobody said what they are: when they shortened the odds, all relevant
pages looked nearly alike, and crawls found less.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from ..model_file import Saved
from ..text.vocabulary import Floats
from .calibration import squash

WORDS_SAY = 3  # naming the topic in words is worth so many examples
ONE_SIDED = 7  # examples that make a judgement more certain, where no page is known to be off the topic
USUAL = 0.12  # share of relevant pages among the pages around, where the constants were fitted; it may be e times more or less
HALFWAY, FARTHEST = 0.5, 1.5  # how far the base rate follows the pages around, and the most that this moves log odds
LEVEL, LEVEL_SPREAD = 0.75, 1.5  # what is usually added to log odds, and how far that may be off
ENOUGH = 10  # examples with which odds agree: more of them do not show how far pages of the topic may differ from them
STEEPER, STEEPER_SPREAD = 0.2, 0.8  # the logarithm of what they are usually multiplied by, and the same
LEVELS, LOG_SLOPES = np.arange(-5.0, 5.01, 0.25), np.arange(-1.6, 0.01, 0.1)
HONEST = 5  # examples with which odds are what they say
FEW = 20.0  # pages around that are few
NEAREST = 4.0  # t; a page may be more like the examples than they are among themselves
ALONE = 0.12  # an example that was held back is about so much like the others as a single one is like itself
FIRM, LOOSE = 18.0, 1.0  # how strongly what a score counts is held where it starts, as a ridge: see `_slopes`
BEYOND_WORDS, MORE = 2.0, 5.0  # m where the topic is named in words, and examples that add 1 to it
UNLIMITED = 1e6  # m where it is not
SLOW = 10.0  # pages off the topic that make the regression count half of what it will
STEPS = 100


@dataclass(frozen=True)
class Scale(Saved):
    """Where scores of the pages around lie, and of examples that were held back."""

    mean: float
    spread: float
    typical: float

    def strength(self, scores: Floats) -> Floats:
        """√(z · t)."""
        above = np.maximum(scores - self.mean, 0.0)
        return np.asarray(np.sqrt(above / self.spread * np.minimum(self.near(scores), NEAREST)))

    def strength_of_one(self, score: float) -> float:
        above = max(score - self.mean, 0.0)
        near = above / max(self.typical - self.mean, 2 * self.spread)
        return math.sqrt(above / self.spread * min(near, NEAREST))

    def near(self, scores: Floats) -> Floats:
        """t: 0 for a usual page around, 1 for an example that was held back."""
        return np.asarray(np.maximum(scores - self.mean, 0.0) / max(self.typical - self.mean, 2 * self.spread))


@dataclass(frozen=True)
class Evidence(Saved):
    """What each score counts."""

    base: float
    words: float
    likeness: float
    difference: float
    most: float  # the longest log odds
    most_like: float  # m
    scale: Scale  # of likeness
    apart: Scale  # of the difference; its typical value is not used

    @classmethod
    def supposed(cls, examples: int, named: bool, scale: Scale) -> Self:
        """For so many examples, and the topic named in words or not."""
        base, words, likeness = counts(examples, named)
        known = max(1, min(examples, ONE_SIDED) + WORDS_SAY * named)
        most_like = BEYOND_WORDS + examples / MORE if named else UNLIMITED
        return cls(base, words, likeness, 0.0, math.log(known + 1), most_like, scale, Scale(0.0, 1.0, 1.0))

    def logs(self, words: Floats, likeness: Floats, difference: Floats) -> Floats:
        """Log odds, before the last correction."""
        return np.asarray(self.base + self.parts(words, likeness, difference).sum(axis=1))

    def parts(self, words: Floats, likeness: Floats, difference: Floats) -> Floats:
        """What each score adds to them: a column each."""
        apart = self.difference * (difference - self.apart.mean) / self.apart.spread
        return np.column_stack([self.words * words, self.alike(likeness), apart])

    def alike(self, likeness: Floats) -> Floats:
        """What likeness adds."""
        return np.asarray(self.likeness * self.most_like * np.tanh(self.scale.strength(likeness) / self.most_like))

    def chance(self, words: float, likeness: float, difference: float) -> float:
        """The probability of one page: for single numbers, numpy takes longer to begin than all of this."""
        apart = self.difference * (difference - self.apart.mean) / self.apart.spread
        strength = self.most_like * math.tanh(self.scale.strength_of_one(likeness) / self.most_like)
        logs = self.base + (self.words * words + self.likeness * strength + apart)
        return squash(self.most * math.tanh(logs / self.most) if logs > 0 else max(logs, -40.0))

    def bounded(self, logs: Floats) -> Floats:
        """The probability for log odds, none more certain than what is known."""
        return sigmoid(np.where(logs > 0, self.most * np.tanh(logs / self.most), logs))

    def moved(self, around: Floats) -> Self:
        """With the base rate of the pages around, whose log odds these are."""
        if not len(around):
            return self
        trust, usual, shift = HALFWAY * len(around) / (len(around) + FEW), _logit(USUAL), 0.0
        for _ in range(STEPS):
            share = float(np.clip(sigmoid(around + shift).mean(), 0.002, 0.6))
            shift = trust * (_logit(share) - usual)
        return replace(self, base=self.base + float(np.clip(shift, -FARTHEST, FARTHEST)))

    def agreeing(self, held: Floats, around: Floats) -> Self:
        """With odds that agree with what is known: the log odds of examples that were held back, and of the pages around."""
        if len(held) < ENOUGH or not len(around):
            return self
        level, log_slope = _agreement(held, around)
        slope = math.exp(log_slope)
        return replace(
            self,
            base=level + slope * self.base,
            words=slope * self.words,
            likeness=slope * self.likeness,
            difference=slope * self.difference,
        )

    def reaching(self, examples: int, around: Floats) -> Self:
        """With odds that reach the further the fewer examples there are; `around` are the log odds of the pages around."""
        short = max(0.0, 1 - examples / HONEST) * len(around) / (len(around) + FEW)
        return replace(self, base=self.base - short * _logit(_best_f1(self.bounded(around)) / 2)) if short else self

    def learned(self, parts: Floats, labels: Floats, around: Floats, apart: Scale) -> Self:
        """With what pages on and off the topic show: `parts` are what scores add for those, each held back.

        How much a score counts beside the others is learned from them. The pages around, of which `around` has the parts, keep
        the rest as it was: as many of them are relevant as before, and their log odds are as far apart.
        """
        off, more = float((labels == 0).sum()), max(0.0, float(labels.sum()) - ONE_SIDED)
        before = self.base + around[:, :2].sum(axis=1)
        start = np.array([1.0, 1.0, off / (off + SLOW)])
        slopes = _slopes(parts, labels, start)
        if len(around):
            slopes = slopes * float(before.std() or 1.0) / float((around @ slopes).std() or 1.0)
        base = _level(around @ slopes, float(sigmoid(before).mean())) if len(around) else self.base
        return replace(
            self,
            base=base,
            words=self.words * float(slopes[0]),
            likeness=self.likeness * float(slopes[1]),
            difference=float(slopes[2]),
            most=math.log(math.exp(self.most) + more),
            apart=apart,
        )


def counts(examples: int, named: bool) -> tuple[float, float, float]:
    """Base, and what words and likeness count, for so many examples."""
    n = float(examples)
    if not named:
        return -2.2 - 1.8 * n / (n + 2), 0.0, 3.5 * n / (n + 1.3)
    return -3.7 - 1.1 * n / (n + 1), 5.8 - 1.7 * n / (n + 2), 2.65 * n / (n + 1)


def _slopes(parts: Floats, labels: Floats, start: Floats) -> Floats:
    """Logistic regression with a ridge around where it starts; nothing counts the wrong way round.

    What words and likeness count is held by FIRM, divided by the pages that are known: people are asked about pages that are much
    like the examples, so a few answers of no would show that likeness counts nothing.
    """
    design = np.column_stack([parts, np.ones(len(parts))])
    theta, first = np.append(start, 0.0), np.append(start, 0.0)
    firm = max(LOOSE, FIRM / len(parts))
    hold = np.array([firm, firm, LOOSE, 0.01])
    for _ in range(STEPS):
        p = sigmoid(design @ theta)
        gradient = design.T @ (p - labels) + hold * (theta - first)
        hessian = (design * (p * (1 - p))[:, None]).T @ design + np.diag(hold)
        step = np.linalg.solve(hessian, gradient)
        step *= min(
            1.0, 1.0 / (float(np.abs(step).max()) or 1.0)
        )  # a long one would overshoot where pages are told apart
        theta = theta - step
        if float(np.abs(step).max()) < 1e-6:
            break
    return np.asarray(np.maximum(theta[:-1], 0.0))


def _agreement(held: Floats, around: Floats) -> tuple[float, float]:
    """What is to be added to log odds, and the logarithm of what they are to be multiplied by: the mean over all that may be.

    With few pages around, what they show counts less.
    """
    levels, log_slopes = (grid.ravel() for grid in np.meshgrid(LEVELS, LOG_SLOPES, indexing="ij"))
    slopes = np.exp(log_slopes)[:, None]
    share = sigmoid(levels[:, None] + slopes * around).mean(axis=1)
    seen = -0.5 * (np.log(share / (1 - share)) - _logit(USUAL)) ** 2
    of_examples = -np.logaddexp(0.0, -levels[:, None] - slopes * held).mean(axis=1)
    seen += min(len(held) - 1, ENOUGH) * (of_examples - np.log(share))
    supposed = ((levels - LEVEL) / LEVEL_SPREAD) ** 2 + ((log_slopes - STEEPER) / STEEPER_SPREAD) ** 2
    likely = len(around) / (len(around) + FEW) * seen - 0.5 * supposed
    weights = np.exp(likely - likely.max())
    weights /= weights.sum()
    return float(weights @ levels), float(weights @ log_slopes)


def _best_f1(chances: Floats) -> float:
    """The best F1 that can be expected of calling the likeliest pages relevant, however many."""
    likeliest = np.sort(chances)[::-1]
    return float((2 * np.cumsum(likeliest) / (np.arange(1, len(likeliest) + 1) + likeliest.sum())).max())


def _level(logs: Floats, share: float) -> float:
    """What must be added to log odds so that their mean probability is this share."""
    low, high = -20.0, 20.0
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if float(sigmoid(logs + middle).mean()) > share else (middle, high)
    return (low + high) / 2


def sigmoid(x: Floats) -> Floats:
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(x, -40.0, 40.0))))


def _logit(share: float) -> float:
    return math.log(share / (1 - share))
