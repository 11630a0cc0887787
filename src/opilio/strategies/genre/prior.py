"""P[I,G]: how often links on pages of a relevance class and a genre lead to relevant pages, by a sample taken beforehand."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple, Self

from ...errors import UnreadableError
from ...nouns import RELEVANT, Page
from .model import GENRES

CLASSES = ("relevant", "irrelevant")
# Tables 2 and 3 of the paper, the mean of both topics: what is known without a sample of one's own.
PRINTED = {
    "relevant": {"blog": 0.828, "image": 0.534, "news": 0.6195, "video": 0.671, "other": 0.5545},
    "irrelevant": {"blog": 0.071, "image": 0.021, "news": 0.0345, "video": 0.0105, "other": 0.0075},
}


class Read(NamedTuple):
    """What the sample tells of a page."""

    relevance: float
    genre: str
    links: frozenset[str]


class Prior(NamedTuple):
    """N_R and N_T of each class and genre: links to relevant pages, and all links between pages of the sample."""

    counts: Mapping[tuple[str, str], tuple[int, int]]

    @classmethod
    def of(cls, pages: Mapping[str, Read]) -> Self:
        """From the pages of a sample by URL; links that lead out of it tell nothing."""
        counts = {(kind, genre): (0, 0) for kind in CLASSES for genre in GENRES}
        for page in pages.values():
            led = [pages[url].relevance >= RELEVANT for url in page.links if url in pages]
            good, seen = counts[key := (class_of(page.relevance), page.genre)]
            counts[key] = good + sum(led), seen + len(led)
        return cls(counts)

    @classmethod
    def load(cls, path: Path) -> Self:
        """From a file that `save` wrote."""
        try:
            rows = json.loads(path.read_text(encoding="utf-8"))
            return cls(
                {
                    (kind, genre): (int(rows[kind][genre][0]), int(rows[kind][genre][1]))
                    for kind in CLASSES
                    for genre in GENRES
                }
            )
        except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
            raise UnreadableError(
                f"{path}: it is no prior of genres ({error}); make one with `opilio genre prior`"
            ) from None

    def save(self, path: Path) -> None:
        rows = {kind: {genre: list(self.counts[kind, genre]) for genre in GENRES} for kind in CLASSES}
        path.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")

    def rates(self) -> dict[str, dict[str, float]]:
        """P[I,G]; of a genre that the sample has no links of, that of all genres."""
        return {kind: {genre: self._rate(kind, genre) for genre in GENRES} for kind in CLASSES}

    def _rate(self, kind: str, genre: str) -> float:
        good, seen = self.counts[kind, genre]
        if not seen:
            good, seen = (sum(self.counts[kind, other][place] for other in GENRES) for place in (0, 1))
        return good / seen if seen else 0.0


def rates(path: str) -> Mapping[str, Mapping[str, float]]:
    """P[I,G] by a file, or by the paper's tables."""
    return Prior.load(Path(path)).rates() if path else PRINTED


def class_of(relevance: float) -> str:
    """I."""
    return CLASSES[relevance < RELEVANT]


def read_all(
    pages: Iterable[Page], relevance: Callable[[Page], float], genre: Callable[[Page], str]
) -> dict[str, Read]:
    """What a sample tells, page by page."""
    return {
        page.url: Read(relevance(page), genre(page), frozenset(link.url for link in page.links))
        for page in pages
        if page.document
    }
