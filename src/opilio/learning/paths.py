"""Pages as bags of element paths, and links by the path that leads to them (Xu, Gao and Callan 2018)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..html.leaves import COUNTED
from ..html.places import tag_path

LEAST_PAGES = 4  # a path in fewer pages says nothing about templates

Bag = Mapping[str, int]
Matrix = NDArray[np.float64]


@lru_cache(maxsize=65536)  # templates repeat themselves
def apath(path: str) -> str:
    """The path of a link: its tags from the root, with the classes of the last element in brackets."""
    *above, last = path.split("/")
    tag, _, classes = last.partition(".")
    tags = [element.partition(".")[0] for element in above]
    return "/".join([*tags, f"{tag}[{classes.replace('.', ' ')}]" if classes else tag])


@lru_cache(maxsize=65536)
def marked(path: str) -> str:
    """The path of a leaf: its tags from the root, with the classes of the nearest element that has any in brackets.

    Not those of all elements: what <body> is called is often the section of the site.
    """
    styles = (element.partition(".")[2] for element in reversed(path.split("/")))
    classes = next((COUNTED.sub("0", style) for style in styles if style), "")
    return f"{tag_path(path)}[{classes.replace('.', ' ')}]" if classes else tag_path(path)


def tags(path: str) -> str:
    """An apath without its classes."""
    return path.partition("[")[0]


class Weights(NamedTuple):
    """Which paths count, and how much each is worth: log(|D|/df + 1)."""

    columns: dict[str, int]
    idf: Matrix

    def row(self, bag: Bag) -> Matrix:
        """A page as a vector: log(tf + 1)·log(|D|/df + 1), summing up to 1; all zero where no path is known."""
        known = [(column, count) for path, count in bag.items() if (column := self.columns.get(path)) is not None]
        vector = np.zeros(len(self.columns))
        if known:
            places, counts = np.array(known).T
            weights = np.log1p(counts) * self.idf[places]
            vector[places] = weights / weights.sum()
        return vector

    def rows(self, bags: Sequence[Bag]) -> Matrix:
        return np.array([self.row(bag) for bag in bags]).reshape(len(bags), len(self.columns))


def weights(bags: Sequence[Bag], least: int = LEAST_PAGES) -> Weights:
    """The weights of all paths that are in at least this many of the pages."""
    pages = Counter(path for bag in bags for path in bag)
    paths = sorted(path for path, count in pages.items() if count >= least)
    frequency = np.array([pages[path] for path in paths], dtype=float)
    idf = np.log(len(bags) / frequency + 1) if paths else np.zeros(0)
    return Weights({path: column for column, path in enumerate(paths)}, idf)
