"""A random forest as arrays of numbers: trained with scikit-learn, asked without it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ...model_file import Saved

TREES, DEEPEST, LEAST = 60, 10, 2  # LEAST: examples in a leaf

Rows = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Forest(Saved):
    """Each node asks whether a number is above a threshold: if so it goes on to `below + 1`, else to `below`.

    A leaf asks for more than infinity and goes on to itself, so that all trees can be walked in step.
    """

    remedy = "name a file that `opilio genre train` made"

    names: tuple[str, ...]  # of the classes
    roots: npt.NDArray[np.int32]
    asked: npt.NDArray[np.int16]  # the number of the row that a node looks at
    thresholds: npt.NDArray[np.float32]
    below: npt.NDArray[np.int32]
    shares: npt.NDArray[np.uint8]  # of each class among the examples that came to a node, of 255
    depth: int

    @classmethod
    def learn(cls, rows: Rows, labels: Sequence[str], names: Sequence[str], seed: int = 0) -> Self:
        """From rows of numbers and the class of each; classes count the same, however many examples they have."""
        from sklearn.ensemble import RandomForestClassifier  # slow to import, and only needed here

        model = RandomForestClassifier(
            TREES, max_depth=DEEPEST, min_samples_leaf=LEAST, class_weight="balanced", random_state=seed
        )
        model.fit(rows, [names.index(label) for label in labels])
        return cls._flat([tree.tree_ for tree in model.estimators_], model.classes_, tuple(names))

    @classmethod
    def _flat(cls, trees: Sequence[Any], classes: Any, names: tuple[str, ...]) -> Self:
        parts: list[tuple[Any, ...]] = []
        roots, start = [], 0
        for tree in trees:
            order = _side_by_side(tree)
            roots.append(start)
            parts.append(_laid_out(tree, order, start, classes, len(names)))
            start += len(order)
        asked, thresholds, below, shares = (np.concatenate(part) for part in zip(*parts, strict=True))
        return cls(
            names,
            np.array(roots, dtype=np.int32),
            asked.astype(np.int16),
            thresholds.astype(np.float32),
            below.astype(np.int32),
            shares,
            max(int(tree.max_depth) for tree in trees),
        )

    def shares_of(self, rows: Rows) -> npt.NDArray[np.float64]:
        """For each row the probability of each class."""
        place = np.repeat(self.roots[:, None], len(rows), axis=1)
        turn = np.arange(len(rows))
        for _ in range(self.depth):
            place = self.below[place] + (rows[turn, self.asked[place]] > self.thresholds[place])
        votes = self.shares[place].sum(axis=0, dtype=np.float64)
        return np.asarray(votes / votes.sum(axis=1, keepdims=True))


def _side_by_side(tree: Any) -> list[int]:
    """The nodes of a tree, breadth first, so that two children are neighbours."""
    order = [0]
    for node in order:
        if tree.children_left[node] >= 0:
            order += [int(tree.children_left[node]), int(tree.children_right[node])]
    return order


def _laid_out(tree: Any, order: list[int], start: int, classes: Any, width: int) -> tuple[Any, ...]:
    leaf = tree.children_left[order] < 0
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order)) + start
    below = np.where(leaf, place[order], place[tree.children_left[order]])
    thresholds = np.where(leaf, np.inf, tree.threshold[order])
    counts = tree.value[order, 0, :]
    shares = np.zeros((len(order), width), dtype=np.uint8)
    shares[:, classes] = np.round(255 * counts / counts.sum(axis=1, keepdims=True))
    return np.where(leaf, 0, tree.feature[order]), thresholds, below, shares
