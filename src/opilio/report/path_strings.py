"""How well path strings tell template from content: the paper's table for sets of pages of one type."""

from __future__ import annotations

import random
from collections.abc import Iterator

from ..bench.corpus import Corpus
from ..errors import ConfigError, unknown
from ..html.leaves import leaves
from ..strategies.profile.path_strings import Differentiation, differentiation, pairs


def table(corpus: Corpus, column: str, count: int, seed: int, share: float) -> Iterator[tuple[str, Differentiation]]:
    """For each value of a label column with enough pages, the figures of this many of them, picked by chance."""
    if column not in corpus.columns:
        raise ConfigError(f"{corpus.folder / 'labels.csv'}: {unknown('column', column, corpus.columns)}")
    there = set(corpus.urls)
    groups: dict[str, list[str]] = {}
    for url, labels in sorted(corpus.labels.items()):
        if url in there and labels[column]:
            groups.setdefault(labels[column], []).append(url)
    if not any(len(urls) >= count for urls in groups.values()):
        raise ConfigError(
            f'{corpus.folder / "labels.csv"}: no value of column "{column}" has {count} pages; ask for fewer'
        )
    for kind, urls in sorted(groups.items()):
        if len(urls) >= count:
            chosen = random.Random(f"{seed} {kind}").sample(urls, count)
            yield kind, differentiation([pairs(leaves(corpus.page(url))) for url in chosen], share)
