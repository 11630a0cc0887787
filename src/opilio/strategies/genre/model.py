"""What kind of page it is: news, blog, image, video or other, by a random forest over what the page tells of itself."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ...errors import UnreadableError
from ...nouns import Page
from .features import FURTHER, NINE, all_features, matrix, nine
from .forest import Forest

GENRES = ("news", "blog", "image", "video", "other")
SHIPPED = Path(__file__).parent / "data" / "genre.model"


class Guess(NamedTuple):
    genre: str
    confidence: float  # the share of the forest that says so


@cache
def model(path: str = "") -> Forest:
    """The forest in a file, or the one that comes with the project."""
    forest = Forest.load(Path(path) if path else SHIPPED)
    if set(forest.names) - set(GENRES) or int(forest.asked.max()) >= len(NINE) + len(FURTHER):
        raise UnreadableError(f"{path}: it is not a model of genres; train one with `opilio genre train`")
    return forest


def guess(pages: Sequence[Page], forest: Forest) -> list[Guess]:
    """The genre of each page."""
    if not pages:
        return []
    features = nine if int(forest.asked.max()) < len(NINE) else all_features
    shares = forest.shares_of(matrix([features(page) for page in pages]))
    best = shares.argmax(axis=1)
    return [Guess(forest.names[kind], float(row[kind])) for kind, row in zip(best.tolist(), shares, strict=True)]


def learn(pages: Sequence[Page], labels: Sequence[str], further: bool = False, seed: int = 0) -> Forest:
    """A forest that tells genres as the labels do."""
    features = all_features if further else nine
    return Forest.learn(matrix([features(page) for page in pages]), labels, GENRES, seed)
