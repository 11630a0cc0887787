"""Which clusters of pages are worth having (Cai et al. 2008): large ones, of long pages, that do not repeat each other."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

LEAST = 0.02  # of the informativeness of the best cluster


def informativeness(names: Sequence[str], measured: Sequence[tuple[int, int]]) -> dict[str, float]:
    """Of each cluster: pages x mean length of their texts x share of texts that differ.

    `measured` has length and digest of the text of each page. That these three count is theirs, that they are multiplied ours.
    """
    pages = Counter(names)
    lengths: Counter[str] = Counter()
    texts: Mapping[str, set[int]] = defaultdict(set)
    for name, (length, text) in zip(names, measured, strict=True):
        lengths[name] += length
        texts[name].add(text)
    return {name: count * (lengths[name] / count) * (len(texts[name]) / count) for name, count in pages.items()}


def informative(names: Sequence[str], measured: Sequence[tuple[int, int]]) -> set[str]:
    """The clusters that are worth having."""
    found = informativeness(names, measured)
    least = LEAST * max(found.values(), default=0.0)
    return {name for name, worth in found.items() if worth >= least and worth > 0}
