"""Draws the picture that a strategy has of the web, as the strategy describes it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from .. import picture, registry
from ..bench.plots import Line, plot
from ..codec import unpack
from ..config import Config
from ..engine.run import configured
from ..engine.stored_pages import copy
from ..errors import OpilioError
from ..fetchers.to_page import answered
from ..frontier.inspect import CASH, know_keys
from ..nouns import Fetched, Link, Offer, Page, PastCrawl, Strategy, Topic
from ..shard import restore
from ..store.reader import Reading
from ..strategies.community.frtw import Group
from ..strategies.community.site_graph import SiteGraph
from ..urls import site
from . import html_parts, site_map, sitemap_picture


def own_picture(folder: Path, db: Reading) -> str:
    """The section about the strategy's own picture, as HTML; empty when it has none."""
    # Of several shards, the one that has most of the pages.
    shard = max(db.shards, key=lambda one: one.execute("SELECT count(*) FROM pages").fetchone()[0])
    saved = shard.execute("SELECT data FROM state WHERE name = 'strategy'").fetchone()
    if saved is None:
        return ""
    try:
        strategy = restored(configured(folder), unpack(saved[0]))
    except (OpilioError, registry.Missing):
        return ""
    return drawn(strategy.picture(StoredCrawl(folder, db)))


class NoTopic(Topic):
    """Stands for the topic of a crawl where nothing is judged."""

    def text(self, text: str) -> float:
        return 0.0


def restored(config: Config, state: dict[str, Any]) -> Strategy:
    """The strategy of a crawl with what it has learned, to look at: topic and example are not learned again for that."""
    example = answered(Offer(Link("http://example.invalid/")), 200, {"content-type": "text/html"}, b"<p>example</p>")
    given: dict[str, Any] = {"topic": NoTopic(), "seed": config.seed, "tag": config.tag or config.topic, "truth": {}}
    strategy = registry.make(config.strategy, given | ({"example": example} if config.examples else {}))
    restore(strategy, state)
    return strategy


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
            svg = sitemap_picture.svg(dict(described))
            return html_parts.picture(svg, "sitemap").replace('class="alone"', 'class="light"')


def _lines(curves: Iterable[picture.Curve]) -> list[Line]:
    return [
        Line(curve.name, "random" if curve.reference else f"s{number}", curve.xs, curve.ys, [0.0] * len(curve.xs))
        for number, curve in enumerate(curves)
    ]


def _site_graph(part: picture.SiteGraph) -> str:
    graph = SiteGraph.of(part.links)
    members = np.array(sorted(map(graph.number, part.members)))
    return site_map.picture(graph, part.seed, Group(members, 0.0, 0.0, 0.0))
