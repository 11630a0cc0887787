"""What is left to find: named methods, each with its error, and silence where a crawl cannot tell yet.

Next hundred, by persistence: the next hundred pages will bring about what the last did; the error is how far that was wrong
in the second half of the crawl, from each hundred to the next.

Recall, by the price curve: of the pages fetched so far, those with high prices were relevant more often; the URLs that
wait have prices too, so that many of them should be relevant. The curve is made to rise: classes of prices are put together
until it does. What no page has linked to yet is not counted. In a long crawl the newest pages speak for all, so
that what is read of them stays bounded; of the URLs that wait all are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import merge
from itertools import islice
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..frontier.inspect import prices
from ..nouns import RELEVANT
from ..store.reader import Reading

HUNDRED = 100
FEWEST = 3  # hundreds of pages before the next one can be told
LEAST = 100  # pages of the second half before the price curve can be told
BINS = 20  # of prices
RECENT = 0.5  # share of the crawl whose prices are comparable with those of now
MOST = 20_000  # pages that are read for the price curve, the newest: a crawl asks for it again and again while it grows
PAID = """SELECT number, shift + scale * value, coalesce(relevance, 0) >= ? FROM pages WHERE source != ''
    ORDER BY number DESC"""


class Estimate(NamedTuple):
    value: float
    error: float  # one standard error

    def recall(self, found: int) -> tuple[float, float, float]:
        """Of this many found and this many left: the share found, and the ends of its 95 % interval."""
        low, high = (max(0.0, self.value + side * 1.96 * self.error) for side in (1, -1))
        return tuple(found / max(1e-9, found + left) for left in (self.value, low, high))  # type: ignore[return-value]


def next_hundred(flags: Sequence[bool]) -> Estimate | None:
    """Relevant pages that the next hundred fetches should bring: as many as the last hundred did."""
    hundreds = len(flags) // HUNDRED
    if hundreds < FEWEST:
        return None
    counts = np.asarray(flags[-hundreds * HUNDRED :], float).reshape(hundreds, HUNDRED).sum(axis=1)
    wrong = np.diff(counts)[-max(2, int(hundreds * RECENT)) :]
    return Estimate(float(counts[-1]), float(np.sqrt(np.mean(wrong**2))))


def by_price(db: Reading) -> Estimate | None:
    """Relevant pages among the URLs that wait, by the price curve."""
    rows = _recent(db)
    if len(rows) < LEAST:
        return None
    _, paid, good = np.array([tuple(row) for row in rows], float).T
    edges = np.unique(np.quantile(paid, np.linspace(0, 1, BINS + 1)[1:-1]))
    seen, hits = _counted(edges, paid), _counted(edges, paid, good)
    wait = sum((_counted(edges, part) for part in prices(db)), np.zeros(len(edges) + 1))
    if not wait.any():
        return None
    blocks = _rising(np.column_stack((seen, hits, wait)))
    rate = (blocks[:, 1] + 0.5) / (blocks[:, 0] + 1)
    variance = rate * (1 - rate) / (blocks[:, 0] + 1)
    return Estimate(float(blocks[:, 2] @ rate), float(np.sqrt(blocks[:, 2] ** 2 @ variance)))


def _counted(
    edges: NDArray[np.float64], values: NDArray[np.float64], weights: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """How many of the values are between each two edges."""
    return np.bincount(np.searchsorted(edges, values), weights, len(edges) + 1).astype(float)


def _recent(db: Reading) -> list[tuple[int, float, bool]]:
    """Number, price and relevance of the pages that count, the newest first; each shard is read from its end, and no further.

    Weights change as a crawl learns, so the prices of its beginning say little.
    """
    read = (shard.execute(PAID, (RELEVANT,)) for shard in db.shards)
    rows = list(islice(merge(*read, key=itemgetter(0), reverse=True), MOST))
    return rows[: len(rows) - int(len(rows) * (1 - RECENT))]


def _rising(classes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Classes of (fetched, relevant, waiting) put together until the share of relevant ones rises with the price."""
    blocks: list[NDArray[np.float64]] = []
    for one in classes:
        block = one.astype(float)
        while blocks and blocks[-1][1] * block[0] >= block[1] * blocks[-1][0]:
            block = block + blocks.pop()
        blocks.append(block)
    return np.array(blocks)
