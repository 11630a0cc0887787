"""Draws the picture that a strategy has of the web, as the strategy describes it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path

import numpy as np

from .. import picture, registry
from ..bench.plots import Line, plot
from ..engine.run_folder import configured
from ..engine.stored_pages import copy
from ..errors import ConfigError
from ..frontier.inspect import CASH, know_keys
from ..nouns import Fetched, Page, PastCrawl
from ..page_errors import PageErrors
from ..store.reader import Reading
from ..store.run import ERROR_LOG
from ..strategies.community.frtw import Group
from ..strategies.community.site_graph import SiteGraph
from ..urls import site
from . import community_picture, html_parts, page_type_map
from .learned_strategies import strategies


def own_picture(folder: Path, db: Reading) -> str:
    """The section about the strategy's own picture, as HTML; empty when it has none."""
    errors = PageErrors(folder / ERROR_LOG)
    html = errors.answer("picture", lambda: _picture(folder, db), "")
    failed = f"The strategy has no picture of it, because of a bug in it: {errors.last}" if errors.last else ""
    return html_parts.section("What the strategy learned", html_parts.paragraph(failed)) if failed else html


def _picture(folder: Path, db: Reading) -> str:
    try:
        found = strategies(configured(folder), db)
    except (ConfigError, registry.Missing):
        return ""
    sizes = [shard.execute("SELECT count(*) FROM pages").fetchone()[0] for shard in db.shards]
    most = max(
        zip(sizes, found, strict=False), key=lambda pair: pair[0], default=None
    )  # of several shards, the largest
    return drawn(most[1].picture(StoredCrawl(folder, db))) if most else ""


class StoredCrawl(PastCrawl):
    """A crawl as its run folder has it."""

    def __init__(self, folder: Path, db: Reading) -> None:
        self.folder, self.db = folder, db  # with rows by name

    def by_cash(self) -> list[Fetched]:
        know_keys(self.db)
        query = f"SELECT url, title, max(relevance), sum(value) + {CASH} AS cash FROM pages GROUP BY url ORDER BY cash DESC, url"
        return [Fetched(*row) for row in self.db.execute(query)]

    def first_site(self, most: int) -> list[Page]:
        query = "SELECT * FROM pages WHERE status = 200 AND file IS NOT NULL ORDER BY number"
        rows = self.db.execute(query).fetchall()
        read = (copy(self.folder, row) for row in rows if site(row["url"]) == site(rows[0]["url"]))
        return list(islice((page for page in read if page), most))

    def judged(self) -> Mapping[str, float]:
        query = "SELECT url, relevance FROM pages WHERE status = 200 AND file IS NOT NULL AND relevance IS NOT NULL"
        return dict(map(tuple, self.db.execute(f"{query} ORDER BY number")))


def drawn(sections: Iterable[picture.Section]) -> str:
    """A described picture as HTML."""
    return "".join(html_parts.section(section.heading, *map(_part, section.parts)) for section in sections)


def _part(part: picture.Part) -> str:
    match part:
        case picture.Paragraph(text):
            return html_parts.paragraph(text)
        case picture.Table(heads, rows, empty):
            return html_parts.table(heads, rows, empty)
        case picture.Plot(title, x_name, curves):
            return f'<figure class="alone">{plot(title, x_name, _lines(curves))}</figure>'
        case picture.SiteGraph():
            return html_parts.picture(_site_graph(part), "site graph")
        case picture.Sitemap(described):
            svg = page_type_map.svg(dict(described))
            return html_parts.picture(svg, "sitemap").replace('class="alone"', 'class="light"')


def _lines(curves: Iterable[picture.Curve]) -> list[Line]:
    return [
        Line(curve.name, "random" if curve.reference else f"s{number}", curve.xs, curve.ys, [0.0] * len(curve.xs))
        for number, curve in enumerate(curves)
    ]


def _site_graph(part: picture.SiteGraph) -> str:
    graph = SiteGraph.of(part.links)
    members = np.array(sorted(map(graph.number, part.members)))
    return community_picture.picture(graph, part.seed, Group(members, 0.0, 0.0, 0.0))
