"""Path strings: what of a page is template and what is content (Zhang and Nasraoui 2009)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

from ...html.leaves import TEXT, Leaf

Pair: TypeAlias = tuple[str, str]  # PSNV: a path string and the text that stands there


def pairs(leaves: Iterable[Leaf]) -> set[Pair]:
    """The PSNV pairs of a page, each once."""
    return {(leaf.path, leaf.text) for leaf in leaves if leaf.kind == TEXT}


def schema(pages: Sequence[set[Pair]], share: float = 1.0) -> set[Pair]:
    """The pairs that are on all pages of a set, or on at least this share of them."""
    counts = Counter(pair for page in pages for pair in page)
    return {pair for pair, count in counts.items() if count >= share * len(pages)}


class Differentiation(NamedTuple):
    """How well path strings tell template from content on a set of pages: the lower INT, the better."""

    T: int  # PSNV pairs of all pages together, each once
    S: int  # of them, schema
    V: int  # of them, values
    US: int  # path strings of schema pairs, each once
    UV: int  # path strings of values
    INT: int  # path strings that have both


def differentiation(pages: Sequence[set[Pair]], share: float = 1.0) -> Differentiation:
    """The figures of the paper's Table 1 for pages of one type."""
    every = set().union(*pages)
    fixed = schema(pages, share)
    fixed_paths = {path for path, _ in fixed}
    free_paths = {path for path, _ in every - fixed}
    both = len(fixed_paths & free_paths)
    return Differentiation(len(every), len(fixed), len(every) - len(fixed), len(fixed_paths), len(free_paths), both)
