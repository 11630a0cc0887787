"""What a sample teaches, as printed: its clusters, and the navigation table of equations 4 and 5."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from ...learning.clusters import OUTLIER, Labels, cluster
from ...learning.navigation import Table
from ...learning.page_types import Sitemap, dsim
from ...learning.paths import Bag, Matrix, apath, weights
from ...learning.sample import Sample
from ...nouns import Link, Page
from ...urls import digest


def one_of_each(links: Iterable[Link], seed: str) -> list[Link]:
    """A random link of each apath of a page."""
    groups: dict[str, list[Link]] = {}
    for link in links:
        groups.setdefault(apath(link.path), []).append(link)
    return [min(group, key=lambda link: digest(f"{seed} {link.url}")) for group in groups.values()]


def learn(bags: Sequence[Bag], example: Page | None, bins: str) -> tuple[Sitemap, list[int]]:
    """The page types of a sample, and the cluster of each of its pages; the example is one of them.

    DBSCAN with the paper's rule for eps and nothing else. New pages are compared with all pages of the sample. An example
    that is an outlier counts as what the nearest page with a cluster is: the text does not say.
    """
    together = [*bags, *([example.paths] if example else [])]
    known = weights(together)
    rows = known.rows(together)
    labels, eps = cluster(rows, bins=bins)
    spread = {int(name): dsim(rows[labels == name]) for name in sorted(set(labels.tolist()) - {OUTLIER})}
    wanted = {_own(rows, labels): 1.0} if example and spread else {}
    return Sitemap(known.columns, known.idf, rows, labels, eps, spread, wanted=wanted), [
        int(n) for n in labels[: len(bags)]
    ]


def _own(rows: Matrix, labels: Labels) -> int:
    """The cluster of the last page, or of the page nearest to it that has one."""
    away = np.where(labels == OUTLIER, np.inf, ((rows - rows[-1]) ** 2).sum(1))
    return int(labels[int(away.argmin())])


def navigation(sample: Sample, names: Sequence[int]) -> Table:
    """P(C_j | C_i, x) and |U_ix|: the links of all pages of a cluster together, as often as they are there.

    Only links between pages with a cluster tell; the links of outliers are in no list.
    """
    table, places = Table(), sample.places()
    for number, path, url in sample.links():
        if names[number] == OUTLIER:
            continue
        lane = (str(names[number]), apath(path))
        table.links[lane] += 1
        if url in places and names[places[url]] != OUTLIER:
            table.add(lane, {names[places[url]]: 1.0})
    return table


def put_by(sample: Sample, names: Sequence[int]) -> Iterator[tuple[int, Link]]:
    """The links that were not followed, each once for a cluster and apath, with the cluster of the page that they stand on."""
    urls, fetched = list(sample.urls), sample.places()
    seen: set[tuple[int, str, str]] = set()
    for number, path, url in sample.links():
        key = (names[number], apath(path), url)
        if url not in fetched and key not in seen:
            seen.add(key)
            yield names[number], Link(url, urls[sample.pages[number][0]], path=path)
