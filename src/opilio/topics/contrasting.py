"""How a contrast is learned: what sets the examples apart from the pages around, and from pages that people called off topic."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median
from typing import Any, NamedTuple, Self

import numpy as np

from ..nouns import Material, Page
from ..text.vocabulary import Floats, Vocabulary
from .bags import FIELDS, bags_of
from .calibration import parts as folds
from .evidence import ALONE, Evidence, Scale, sigmoid
from .ground import DOUBT, Counts, Ground, focused, known_pages, query_words
from .link_evidence import LinkEvidence
from .logistic import Logistic
from .material import something
from .models.contrast import PARTS, TEXT, unit

BEST = 100  # of likeness: words that count
HINT, SELDOM = 1e-4, 2e-3  # so much of every word is around
SUPPOSED, OF_PAGES = 0.5, 5.0  # mean and spread of likeness where few pages are known: as if so many pages had shown it
LOOKS, GLANCE = 3, 0.1  # looks at the pages around, and what each of them counts at the first
FAINT = 0.05  # what a page around counts at least that is likely relevant
STEEP, HALFWAY, SOME = 6.0, 0.6, 1.0  # a page so near to the examples is likely one of them, where there are some
HELD = 30  # examples that are held back, one by one, to see what is typical
LOOSE = 33.0  # of the regression
SHORTER = 4.0  # times shorter than the pages around are examples that cannot be compared with them
FOLDS = 5
TINY = 1e-9  # of the longest row's square
BLOCKS = np.array([[0.5], [1.0], [1.0]])  # what title, text and anchors count in the regression


def learned(material: Material) -> tuple[Any, ...]:
    """All that a contrast is made of."""
    language = something(material)
    good, bad, around = known_pages(material, language)
    bags = bags_of(language)
    named = query_words(material.words, language)
    counted = Counts.of(bags, language, good, bad, around)
    columns = counted.columns([bags.number(word) for word in named])
    ground, lengths = counted.ground(columns, named, focused(bags, good, named, columns))
    like = _likeness(ground)
    reached = like if named else like._replace(evidence=like.evidence.reaching(len(good), _logs(ground, like)))
    apart = _difference(ground, reached) if min(len(good), len(bad)) >= 2 else Apart.unknown(ground, reached)
    evidence = apart.evidence
    if _comparable(good, around):
        evidence = evidence.agreeing(_held_logs(ground, like, apart), _logs(ground, like, apart))
    vocabulary = Vocabulary(language, ground.names)
    by_number = vocabulary.array(ground.query), vocabulary.array(_in_passing(ground, like))
    short = LinkEvidence.learn(vocabulary, *by_number, like.evidence, good, [*bad, *around])
    hosts = tuple(counted.hosts)
    usual = np.array([counted.usual(host, columns) for host in hosts])
    weights = like.weights, apart.weights
    return vocabulary, ground.query, ground.expected, *weights, lengths, hosts, usual, evidence, short


def _comparable(good: Sequence[Page], around: Sequence[Page]) -> bool:
    """Whether examples are as long as pages: rows of a table stand apart from these, whatever they are about."""
    if not good or not around:
        return False
    return SHORTER * median(len(page.text) for page in good) >= median(len(page.text) for page in around)


def _in_passing(ground: Ground, like: Likeness) -> Floats:
    """What a word weighs that is said in passing, as in a link: how much more of it the examples have, times how rare it is."""
    if not len(ground.good):
        return np.zeros(len(ground.names))
    more = ground.good[:, TEXT].mean(axis=0) - like.usual[TEXT]
    return np.asarray(more * -np.log(like.usual[TEXT] + SELDOM))


class Likeness(NamedTuple):
    """What sets the examples apart from the pages around."""

    weights: Floats  # of words, field by field
    usual: Floats  # how much of each word is around
    evidence: Evidence
    held: Floats  # the likeness of some examples, each without itself

    def scores(self, rows: Floats) -> Floats:
        return likeness(rows, self.weights)


class Apart(NamedTuple):
    """What tells pages on the topic from those off it, and what all that speaks for a page counts then."""

    weights: Floats  # of words, field by field
    evidence: Evidence
    held: Floats  # the scores of the same examples, each by a regression without it
    around: Floats  # the scores of the pages around

    @classmethod
    def unknown(cls, ground: Ground, like: Likeness) -> Self:
        """Where nobody has said what is off the topic."""
        around = len(ground.rest) - ground.off
        return cls(np.zeros_like(like.weights), like.evidence, np.zeros(len(like.held)), np.zeros(around))


def likeness(rows: Floats, weights: Floats) -> Floats:
    """What the fields of each page weigh together: one product of matrices, for pages are many and their words, too."""
    return np.asarray(rows.reshape(len(rows), weights.size) @ (weights * PARTS[:, None]).ravel())


def _likeness(ground: Ground) -> Likeness:
    """Pages around count as around as far as they are not likely relevant: little at the first look, then by what that showed."""
    weights = np.ones(len(ground.rest))
    weights[ground.off :] = GLANCE
    known = Profile.of(ground.good.mean(axis=0), ground.focus) if len(ground.good) else None
    held = Held.of(ground.good[:: _each(ground)], ground.good, ground.focus)
    for _ in range(LOOKS):
        like = _look(ground, weights, known, held)
        weights[ground.off :] = np.maximum(FAINT, 1.0 - _suspects(ground, like))
    return like._replace(evidence=like.evidence.moved(_logs(ground, like)))


def _each(ground: Ground) -> int:
    """Of how many examples one is held back."""
    return max(1, len(ground.good) // HELD)


def _suspects(ground: Ground, like: Likeness) -> Floats:
    """How likely pages around are relevant; where many are, they do not stand out: so by likeness to the examples, too."""
    if not len(ground.good):
        return sigmoid(_logs(ground, like))
    scale, good = like.evidence.scale, len(ground.good)
    near = scale.near(like.scores(ground.rest[ground.off :]))
    return np.maximum(sigmoid(_logs(ground, like)), sigmoid(STEEP * (near - HALFWAY)) * good / (good + SOME))


def _logs(ground: Ground, like: Likeness, apart: Apart | None = None) -> Floats:
    """The log odds of the pages around."""
    apart = apart or Apart.unknown(ground, like)
    named = ground.named[len(ground.good) + ground.off :]
    return apart.evidence.logs(named, like.scores(ground.rest[ground.off :]), apart.around)


def _held_logs(ground: Ground, like: Likeness, apart: Apart) -> Floats:
    """The log odds of examples, each without itself."""
    return apart.evidence.logs(ground.named[: len(ground.good) : _each(ground)], like.held, apart.held)


def _look(ground: Ground, weights: Floats, known: Profile | None, held: Held) -> Likeness:
    usual = (np.tensordot(weights, ground.rest, 1) + DOUBT * 0.5 * ground.common) / (weights.sum() + DOUBT)
    words = known.weights(usual) if known else np.zeros((FIELDS, len(ground.names)))
    scores = likeness(ground.rest, words)
    whole = float(weights.sum()) + OF_PAGES
    mean = float(weights @ scores + OF_PAGES * SUPPOSED) / whole
    spread = math.sqrt((weights @ (scores - mean) ** 2 + OF_PAGES * SUPPOSED**2) / whole)
    alike = held.likeness(usual) if known else np.zeros(0)
    scale = Scale(mean, spread, float(alike.mean()) if known else 1.0)
    return Likeness(words, usual, Evidence.supposed(len(ground.good), bool(ground.query.any()), scale), alike)


class Profile(NamedTuple):
    """What words weigh for one set of examples, or for several: r^2.5 · ln(r/u) · focus, the largest, with length 1.

    The looks at the pages around change u alone, so the rest is worked out once.
    """

    power: Floats  # r^2.5 · focus
    log: Floats  # of r

    @classmethod
    def of(cls, mean: Floats, focus: Floats) -> Self:
        return cls(mean * mean * np.sqrt(mean) * focus, np.log(mean + 1e-9))

    def weights(self, usual: Floats) -> Floats:
        """Of each word in each field."""
        raw = np.maximum(0.0, self.power * (self.log - np.log(usual + HINT)))
        least = np.sort(raw, axis=-1)[..., -BEST:][..., :1]
        return unit(np.where(raw >= least, raw, 0.0))


class Held(NamedTuple):
    """Examples, each with the profile of all others."""

    examples: Floats
    profiles: Profile
    share: float

    @classmethod
    def of(cls, some: Floats, good: Floats, focus: Floats) -> Self:
        """Some of the good ones; a single one is as much like the others as pages mostly are."""
        if len(good) == 1:
            return cls(some, Profile.of(good, focus), ALONE)
        return cls(some, Profile.of((good.sum(axis=0) - some) / max(1, len(good) - 1), focus), 1.0)

    def likeness(self, usual: Floats) -> Floats:
        """How much each is like the others."""
        return self.share * np.asarray((self.examples * self.profiles.weights(usual)).sum(axis=2) @ PARTS)


def _difference(ground: Ground, like: Likeness) -> Apart:
    """By a regression over pages of both kinds.

    The pages around stand in where there are fewer than two off the topic for each on it.
    """
    known, good, off = len(ground.good) + ground.off, len(ground.good), ground.off
    rows = (unit(np.concatenate([ground.good, ground.rest])) * BLOCKS).reshape(good + len(ground.rest), -1)
    labels = np.concatenate([np.ones(good), np.zeros(len(ground.rest))])
    counts = np.ones(len(rows))
    counts[known:] = (1 - sigmoid(_logs(ground, like))) * max(0.0, 2 * good - off) / max(1, len(rows) - known)
    used = counts > 0
    some = rows if used.all() else rows[used]
    flat = _flattened(some)
    held = _held_back(flat, labels[used], counts[used], known)
    found = Logistic.fit(flat, labels[used], LOOSE, counts[used]).weights
    weights = some.T @ np.linalg.solve(flat.T, found)
    around = rows[known:] @ weights
    among = around if len(around) else held
    apart = Scale(float(among.mean()), float(among.std()) or 1.0, 1.0)
    evidence = like.evidence.learned(
        _parts(ground.named[:known], _held_likeness(ground, like), held, like.evidence, apart),
        labels[:known],
        _parts(ground.named[known:], like.scores(ground.rest[off:]), around, like.evidence, apart),
        apart,
    )
    return Apart(weights.reshape(FIELDS, -1) * BLOCKS, evidence, held[: good : _each(ground)], around)


def _flattened(rows: Floats) -> Floats:
    """The rows in terms of as many axes as there are rows: a regression with a ridge is the same, and much quicker.

    With K the products of all rows and K = L·Lᵀ, the rows of L stand for the rows; weights of these axes, divided by Lᵀ, say how
    much of each row is in the weights of words.
    """
    products = rows @ rows.T
    products.flat[:: len(rows) + 1] += TINY * products.diagonal().max()  # some pages are alike
    return np.asarray(np.linalg.cholesky(products))


def _held_back(rows: Floats, labels: Floats, counts: Floats, known: int) -> Floats:
    """The scores of known pages, which come first, by regressions that were fitted without them."""
    scores = np.zeros(known)
    for held in folds(labels[:known], FOLDS):
        rest = np.delete(np.arange(len(rows)), held)
        scores[held] = rows[held] @ Logistic.fit(rows[rest], labels[rest], LOOSE, counts[rest]).weights
    return scores


def _held_likeness(ground: Ground, like: Likeness) -> Floats:
    off, good, focus = ground.rest[: ground.off], ground.good, ground.focus
    few = (good[start : start + HELD] for start in range(0, len(good), HELD))  # many at once take much room
    return np.concatenate([*(Held.of(some, good, focus).likeness(like.usual) for some in few), like.scores(off)])


def _parts(named: Floats, likeness: Floats, difference: Floats, evidence: Evidence, apart: Scale) -> Floats:
    """What the scores add to log odds where the difference counts 1."""
    return np.column_stack([evidence.words * named, evidence.alike(likeness), (difference - apart.mean) / apart.spread])
