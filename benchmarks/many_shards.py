"""How throughput grows with the number of shards, up to 1,000, in a simulation: `python -m benchmarks.many_shards [--write]`.

A second is one step. Sites have as many pages as a Zipf law says, belong to shards by chance, and give one page a second each
(the delay). A site is known once a page led to it: every page brings a few letters to other sites, more often to large ones, and
these are heard some seconds later. A part of the sites is worth fetching; their pages cost between 0.5 and 1, those of others
less than 0.3, and the best ones of a site come first. A shard fetches up to its rate, the best first, as far as the
rule for turns lets it: the rule is the one that crawls use (engine/parallel/turns.py).

What is put in: rate and letters as measured by `python -m benchmarks.scale_paper`, and the rest as printed. Compared are crawls
without and with turns, by the pages a second that they reach in the end and the share of them that is worth fetching.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from opilio.bench.plots import Line, plot
from opilio.engine.parallel.protocol import Report
from opilio.engine.parallel.turns import listed, turns

PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "many-shards.svg"
SHARDS = (1, 4, 16, 64, 256, 1000)
WORTH = (1.0, 0.1, 0.01)  # shares of the sites that are worth fetching
SITES = 1000  # of the web, for each shard
LARGER = 3  # times as many pages as the shards can fetch in the time are there
SECONDS, LAST = 200, 100  # of a crawl, and at its end those that count
RATE = 200  # pages a second that a shard can handle, with less than half of a core
LETTERS = 9  # that a page sends
LATER = 5  # seconds until a letter is heard
BATCH = 50
NOBODY = Report(0, 0, 0.0, 0, 0, 0, [], 0, False, 0, False, {}, {}, [], "")


class Course(NamedTuple):
    """What a crawl reaches in the end."""

    rate: float  # pages a second
    harvest: float  # share of all pages that are worth fetching
    waiting: float  # share of the shards that had to wait for others
    busiest: float  # letters a second to the shard that gets most
    skew: float  # pages of the largest shard, as a multiple of the mean


class Web:
    """Sites with their sizes, what a page of each is worth, and which shard has it."""

    def __init__(self, shards: int, worth: float, seconds: int, seed: int = 0) -> None:
        chance = np.random.default_rng(seed)
        self.sites = SITES * shards
        popular = 1 / np.arange(1, self.sites + 1)
        self.share = popular / popular.sum()
        self.size = np.maximum(1, self.share * LARGER * shards * RATE * seconds).astype(np.int64)
        self.good = chance.random(self.sites) < worth
        self.best = np.where(self.good, chance.uniform(0.5, 1.0, self.sites), chance.uniform(0.0, 0.3, self.sites))
        self.shard = np.random.default_rng(seed + 1).integers(0, shards, self.sites)


class Crawl:
    """One crawl, second by second; in each, shards ask for leave a few times."""

    def __init__(self, web: Web, shards: int, turns: bool, seed: int = 2) -> None:
        self._web, self._shards, self._turns = web, shards, turns
        self._chance = np.random.default_rng(seed)
        self._fetched = np.zeros(web.sites, np.int64)
        self._known = np.zeros(web.sites, bool)
        self._known[self._chance.choice(np.flatnonzero(web.good), 10)] = True
        self._underway: list[np.ndarray] = []  # sites in letters that were not heard yet
        self._pages = np.zeros(shards, np.int64)
        self._cumulated = np.cumsum(web.share)[:-1]

    def second(self) -> tuple[int, int, int, int]:
        """Pages of a second, those worth it, shards that waited, and letters to the shard that gets most."""
        web = self._web
        price = web.best * (1 - self._fetched / web.size)
        open_ = np.flatnonzero(self._known & (self._fetched < web.size))
        order = open_[np.lexsort((-price[open_], web.shard[open_]))]
        ends = np.searchsorted(web.shard[order], np.arange(self._shards + 1))
        counts = np.zeros(self._shards, np.int64)  # that are fetched
        for _ in range(RATE // listed(BATCH)):
            counts += self._allowed(price[order], ends[:-1] + counts, ends[1:])
        place = np.arange(len(order)) - ends[web.shard[order]]
        taken = order[place < counts[web.shard[order]]]
        self._fetched[taken] += 1
        self._pages += counts
        waits = int(np.count_nonzero((counts == 0) & (np.diff(ends) > 0)))
        return len(taken), int(web.good[taken].sum()), waits, self._post(len(taken))

    def _allowed(self, prices: np.ndarray, begins: np.ndarray, ends: np.ndarray) -> np.ndarray:
        """Of those that wait between these places, how many each shard may fetch."""
        most: np.ndarray = np.minimum(listed(BATCH), ends - begins)
        if not self._turns:
            return most
        lists = [prices[begin : begin + count].tolist() for begin, count in zip(begins, most, strict=True)]
        reports = [
            NOBODY._replace(pages=int(pages), prices=each) for pages, each in zip(self._pages, lists, strict=True)
        ]
        allowed: np.ndarray = np.minimum(most, turns(reports, BATCH))
        return allowed

    def _post(self, pages: int) -> int:
        """Letters of these pages; those of some seconds ago are heard now."""
        self._underway.append(np.searchsorted(self._cumulated, self._chance.random(LETTERS * pages)))
        heard = self._underway.pop(0) if len(self._underway) > LATER else np.zeros(0, np.int64)
        self._known[heard] = True
        return int(np.bincount(self._web.shard[heard], minlength=self._shards).max(initial=0))

    @property
    def skew(self) -> float:
        return float(self._pages.max() / max(1e-9, self._pages.mean()))


def crawled(shards: int, worth: float, turns: bool, seconds: int = SECONDS) -> Course:
    crawl = Crawl(Web(shards, worth, seconds), shards, turns)
    seen = np.array([crawl.second() for _ in range(seconds)])
    last = seen[-LAST:]
    waiting = last[:, 2].mean() / shards
    harvest = seen[:, 1].sum() / max(1, seen[:, 0].sum())
    return Course(last[:, 0].mean(), harvest, waiting, last[:, 3].mean(), crawl.skew)


def table(shards: Sequence[int], seconds: int) -> Iterator[tuple[float, int, Course, Course]]:
    for worth in WORTH:
        for count in shards:
            yield worth, count, crawled(count, worth, False, seconds), crawled(count, worth, True, seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=SECONDS)
    parser.add_argument("--shards", type=int, nargs="+", default=SHARDS, help="of each crawl; more of them take longer")
    parser.add_argument("--write", action="store_true", help=f"draw {PICTURE.name}")
    told = parser.parse_args()
    print(f"{SITES:,} sites a shard, one page a second each; {RATE} pages a second and shard, {LETTERS} letters a page")
    print("\n| worth fetching | shards | pages/s without turns | of them worth it | pages/s with turns | of them worth it | "
          "shards that wait | letters/s, busiest shard | pages of the largest shard |")  # fmt: skip
    print(f"|{' --- |' * 9}")
    rows = list(table(told.shards, told.seconds))
    for worth, count, free, fair in rows:
        print(
            f"| {worth:.0%} | {count:,} | {free.rate:,.0f} | {free.harvest:.2f} | {fair.rate:,.0f} | {fair.harvest:.2f} "
            f"| {fair.waiting:.0%} | {free.busiest:,.0f} | {free.skew:.1f} x the mean |",
            flush=True,
        )
    if told.write:
        PICTURE.write_text(_drawn(rows), encoding="utf-8")


def _drawn(rows: list[tuple[float, int, Course, Course]]) -> str:
    lines = []
    for number, worth in enumerate(WORTH):
        mine = [row for row in rows if row[0] == worth]
        xs = [float(np.log10(count)) for _, count, *_ in mine]
        lines.append(
            Line(f"{worth:.0%} of sites worth it", f"s{number}", xs, [fair.rate for *_, fair in mine], [0.0] * len(xs))
        )
    free = [row for row in rows if row[0] == WORTH[0]]
    xs = [float(np.log10(count)) for _, count, *_ in free]
    lines.append(Line("without turns", f"s{len(WORTH)}", xs, [course.rate for *_, course, _ in free], [0.0] * len(xs)))
    return plot("pages a second", "shards, as a power of ten", lines)


if __name__ == "__main__":
    main()
