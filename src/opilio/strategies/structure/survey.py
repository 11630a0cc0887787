"""A site learned from its pages alone: page types, where their links lead, how they rank."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ...learning.clusters import OUTLIER
from ...learning.navigation import Ranks, Table, abundance, adjacency, hits
from ...learning.page_types import Sitemap, learn_pages
from ...learning.paths import Matrix, apath
from ...learning.sample import inside
from ...nouns import Lane, Page


class Survey(NamedTuple):
    """What is known of a site after some of its pages."""

    pages: list[Page]
    names: list[int]  # the cluster of each page
    sitemap: Sitemap
    table: Table
    matrix: Matrix  # links between the clusters, in the order of `sitemap.clusters`
    ranks: Ranks

    def example(self, cluster: int) -> Page:
        """The page of a cluster that is nearest to all others of it."""
        rows = {
            number: self.sitemap.row(page.paths)
            for number, page in enumerate(self.pages)
            if self.names[number] == cluster
        }
        centre = sum(rows.values()) / len(rows)
        return self.pages[min(rows, key=lambda number: float(((rows[number] - centre) ** 2).sum()))]


def survey(pages: Sequence[Page]) -> Survey:
    """Learn a site from pages that were fetched, the start page first."""
    read = [page for page in pages if page.document]
    sitemap, names, _ = learn_pages(read)
    places = {page.url: name for page, name in zip(read, names, strict=True)}
    table = Table()
    counted: set[tuple[Lane, str]] = set()
    lanes: dict[str, Lane] = {}
    for page, name in zip(read, names, strict=True):
        for link in inside(page):
            lane = table.lane(name, apath(link.path))
            table.links[lane] += 1
            lanes[link.url] = lane
            if link.url in places and (lane, link.url) not in counted:
                counted.add((lane, link.url))
                table.note(lane, {places[link.url]: 1.0})
    sitemap = sitemap._replace(many=abundance(table, [*sitemap.clusters, OUTLIER], lanes.values()))
    matrix = adjacency(table, sitemap.clusters)
    return Survey(read, names, sitemap, table, matrix, hits(matrix))


def sizes(found: Survey) -> Counter[int]:
    """Pages of each cluster, outliers left out."""
    return Counter(name for name in found.names if name != OUTLIER)
