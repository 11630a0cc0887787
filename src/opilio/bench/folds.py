"""How well a topic model judges pages that it has not seen: 5-fold over labelled pages."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from .. import registry
from ..errors import ConfigError
from ..nouns import RELEVANT, Material, Page, Topic
from ..topics.calibration import auc, brier, parts, reliability
from .plots import Line, plot

FOLDS = 5


class Verdict(NamedTuple):
    """What a model said of pages, and what was true."""

    scores: list[float]
    truth: list[bool]

    @property
    def confusion(self) -> tuple[int, int, int, int]:
        """Pages that are relevant and were found, relevant and missed, not relevant but found, neither."""
        pairs = [(truth, scores >= RELEVANT) for scores, truth in zip(self.scores, self.truth, strict=True)]
        hit, miss, false, calm = (
            pairs.count(kind) for kind in ((True, True), (True, False), (False, True), (False, False))
        )
        return hit, miss, false, calm

    @property
    def measures(self) -> dict[str, float]:
        hit, miss, false, _ = self.confusion
        return {
            "precision": hit / max(1, hit + false),
            "recall": hit / max(1, hit + miss),
            "f1": 2 * hit / max(1, 2 * hit + miss + false),
            "auc": auc(self.scores, self.truth),
            "brier": brier(self.scores, self.truth),
        }


def five_fold(model: str, material: Material, tick: Callable[[int], None] = lambda done: None) -> Verdict:
    """Every page is judged by a model that learned from the others; which go together is left to chance, always the same."""
    pages, truth = _shuffled(material)
    if min(sum(truth), len(truth) - sum(truth)) < FOLDS:
        kinds = f"{sum(truth)} pages on the topic and {len(truth) - sum(truth)} off it"
        raise ConfigError(
            f"a test in {FOLDS} folds needs {FOLDS} pages of each kind, and there are {kinds}: label more"
        )
    scores = np.zeros(len(pages))
    for number, held in enumerate(parts(np.array(truth, dtype=float), FOLDS), 1):
        rest = sorted(set(range(len(pages))) - set(held.tolist()))
        kinds_of = [tuple(pages[row] for row in rest if truth[row] == kind) for kind in (True, False)]
        topic = registry.learn(model, Material(material.words, kinds_of[0], kinds_of[1]))
        scores[held] = [topic.page(pages[row]) for row in held]
        tick(number)
    return Verdict(scores.tolist(), truth)


def judged(topic: Topic, material: Material) -> Verdict:
    """All pages, judged by a model as it is."""
    pages, truth = _shuffled(material)
    return Verdict([topic.page(page) for page in pages], truth)


def drawn(verdicts: dict[str, Verdict], of: str = "pages") -> str:
    """The reliability plot as SVG: of those that were given a probability, this many were relevant."""
    lines = [Line("as given", "oracle", [0.0, 1.0], [0.0, 1.0], [0.0, 0.0])]
    for number, (name, verdict) in enumerate(verdicts.items()):
        bins = reliability(*verdict)
        errors = [(one.true * (1 - one.true) / one.pages) ** 0.5 for one in bins]
        lines.append(Line(name, f"s{number}", [one.given for one in bins], [one.true for one in bins], errors))
    return plot(f"Share of {of} that are relevant", "probability that was given", lines)


def _shuffled(material: Material) -> tuple[Sequence[Page], list[bool]]:
    both = [(page, True) for page in material.positives] + [(page, False) for page in material.negatives]
    readable = [(page, kind) for page, kind in both if page.text.strip()]
    random.Random(0).shuffle(readable)
    return [page for page, _ in readable], [kind for _, kind in readable]
