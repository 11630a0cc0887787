"""Lanes narrower than a (cluster, apath) pair, for links that may not share its fate.

They lean on their pair (navigation.Table), so that splitting costs little where there was nothing to split.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ...learning.clusters import LEAST_POINTS
from ...learning.dead_links import MOST, Seen, alive, folder, trust
from ...learning.dead_links import lane as doubtful_lane
from ...learning.navigation import MOST_LISTS, RULED, Kinds, Table
from ...learning.page_types import WANTED
from ...learning.paths import apath
from ...learning.sample import Sample
from ...nouns import Lane, Link, Offer, Reweigh, Say
from ...urls import digest

MOST_COUNTED = 20_000  # lanes of which something is known, with what they lean on; beyond that, rules get none
MOST_LANES = 2_000  # of a site besides its pairs: sites have some hundreds, unless each link is made to have its own


class Row(NamedTuple):
    """A link: the page it stands on, its pair, its path with all classes, and where it leads."""

    source: str
    lane: Lane
    path: str
    url: str


Known = Mapping[tuple[Lane, str], Kinds]  # (pair, url): what is behind the link


def sampled(sample: Sample, names: Sequence[int], table: Table) -> list[Row]:
    """Every link of a sample whose pages are of these clusters."""
    urls = list(sample.urls)
    sources = [urls[page] for page, _, _ in sample.pages]
    return [Row(sources[n], table.lane(names[n], apath(path)), path, url) for n, path, url in sample.links()]


def answered(rows: Sequence[Row], kinds: Mapping[str, Kinds]) -> dict[tuple[Lane, str], Kinds]:
    """What is behind the links whose URLs were fetched."""
    return {(row.lane, row.url): kinds[row.url] for row in rows if row.url in kinds}


def by_place(table: Table, rows: Sequence[Row], lanes: Sequence[Lane], kind: int, known: Known) -> list[Lane]:
    """Where it is in doubt whether a lane leads to that kind: one for its classes, and for a long list on one page."""
    ways = {(lane, row.path): table.single(lane, row.path, kind) for row, lane in zip(rows, lanes, strict=True)}
    styled = [ways[lane, row.path] for row, lane in zip(rows, lanes, strict=True)]
    _tell(table, rows, known, lanes, styled)
    sizes = Counter((lane, row.source) for row, lane in zip(rows, styled, strict=True))
    own = {key: table.single(*key, kind) if size >= LEAST_POINTS else key[0] for key, size in sizes.items()}
    lists = [own[lane, row.source] for row, lane in zip(rows, styled, strict=True)]
    _tell(table, rows, known, styled, lists)
    return lists


def by_folder(table: Table, seen: Seen, rows: Sequence[Row], lanes: Sequence[Lane]) -> list[Lane]:
    """A lane for several links into one folder of which nothing is known: they may be dead all together."""
    if len(table.counts) >= MOST_LISTS or len(seen) >= MOST:
        return list(lanes)
    folders = [folder(row.url) for row in rows]
    known = {(lane, into, row.url) for lane, into, row in zip(lanes, folders, rows, strict=True) if into not in seen}
    sizes = Counter((lane, into) for lane, into, _ in known)
    return [
        (*lane, f"{digest(into):x}") if sizes[lane, into] >= LEAST_POINTS else lane
        for lane, into in zip(lanes, folders, strict=True)
    ]


def narrowed(
    table: Table, seen: Seen, rows: Sequence[Row], known: Known, rule: Callable[[str], str], target: bool
) -> list[Lane]:
    """The lane of each link: its pair and the rule of its URL; or one that is narrower."""
    lanes = by_rule(table, rows, known, rule)
    if target:
        lanes = by_place(table, rows, lanes, WANTED, known)
    return by_folder(table, seen, rows, lanes)


def by_rule(table: Table, rows: Sequence[Row], known: Known, rule: Callable[[str], str]) -> list[Lane]:
    """A lane for the links of a pair whose URLs are made by one rule: threads and people may stand at one place."""
    rules = {url: rule(url) for url in {row.url for row in rows}}
    lanes: list[Lane] = [(*row.lane, rules[row.url]) if len(table.counts) < MOST_COUNTED else row.lane for row in rows]
    _tell(table, rows, known, [row.lane for row in rows], lanes)
    behind = {url: shares for (_, url), shares in known.items()}
    for url, shares in behind.items():
        table.add((RULED, rules[url]), shares)
    return lanes


def few(lanes: Iterable[Lane], wider: Iterable[Lane], known: Collection[Lane]) -> list[Lane]:
    """The lanes, as long as there are not too many with those that are known: each is weighed again and again.

    Beyond that, what would need a new one is in its wider lane.
    """
    room, new = MOST_LANES - len(known), set[Lane]()
    found: list[Lane] = []
    for lane, other in zip(lanes, wider, strict=True):
        if lane not in known and len(new) < room:
            new.add(lane)
        found.append(lane if lane in known or lane in new else other)
    return found


def offer(seen: Seen, link: Link, lane: Lane, note: tuple[Any, ...], target: bool, promise: float = 1.0) -> Offer:
    """The link in its lane, or with others that are in doubt; it is worth as much as it is likely that there is a page."""
    chance = alive(seen, link.url)
    # where any page of a type will do, folders that are known come before those that are not
    value = chance * (1.0 if target else trust(seen, link.url))
    return Offer(link, promise * value, doubtful_lane(chance, lane), (*(*note, "", "")[:3], link.url))


def firsts(rows: Iterable[tuple[Row, Lane]]) -> Iterable[tuple[Row, Lane]]:
    """The links with their lanes, each URL once in a lane: of equal offers the frontier keeps the one from the first page."""
    found: dict[tuple[Lane, str], Row] = {}
    for row, lane in rows:
        before = found.setdefault((lane, row.url), row)
        if (row.source, row.path) < (before.source, before.path):
            found[lane, row.url] = row
    return [(row, lane) for (lane, _), row in found.items()]


def with_site(name: str, say: Offer) -> Offer:
    """With the name of the site in its lane."""
    return replace(say, lane=(name, *say.lane))


def of_site(name: str, says: Iterable[Say]) -> Iterator[Say]:
    """The same with whatever the crawl of a site says."""
    for say in says:
        if isinstance(say, Offer):
            yield with_site(name, say)
        elif isinstance(say, Reweigh) and say.lane is not None:
            yield Reweigh((name, *say.lane))
        else:
            yield say


def _tell(table: Table, rows: Sequence[Row], known: Known, before: Sequence[Lane], now: Sequence[Lane]) -> None:
    """Tell lanes that are new what is known of their links."""
    fresh = {
        (lane, row.url): known[row.lane, row.url]
        for row, old, lane in zip(rows, before, now, strict=True)
        if lane != old and (row.lane, row.url) in known
    }
    for (lane, _), shares in fresh.items():
        table.add(lane, shares)
