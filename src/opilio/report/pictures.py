"""The picture that a strategy has of the web: one function a method, found by its name, each on what its state offers.

A state that was saved by an older strategy, or too early, may lack what a picture needs: then there is none.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..bench.plots import Line, plot
from ..codec import unpack
from ..engine.run import configured
from ..engine.stored_pages import copy
from ..errors import OpilioError
from ..frontier.inspect import CASH, know_keys
from ..nouns import RELEVANT
from ..registry import parse
from ..store.reader import Reading
from ..strategies.community.frtw import Group
from ..strategies.community.site_graph import SiteGraph
from ..strategies.genre.outcomes import Outcomes
from ..strategies.profile.uploaders import UNKNOWN, Uploaders
from ..strategies.structure.survey import Survey, survey
from ..urls import site
from . import site_map, sitemap_picture
from .html_parts import paragraph, picture, section, table
from .structure import describe

SHOWN = 15  # rows of a table
SAMPLED = 300  # pages that a sitemap is drawn from
POINTS = 100  # of a curve
LEAST = 5.0  # pages before a kind of link is listed


class Sight(NamedTuple):
    """What a picture may be made of."""

    folder: Path
    db: Reading  # with rows by name
    state: dict[str, Any]  # what the strategy has learned


def own_picture(folder: Path, db: Reading) -> str:
    """The section about the strategy's own picture, as HTML; empty when it has none."""
    try:
        name, _ = parse(configured(folder).strategy)
    except OpilioError:
        return ""
    # Of several shards, the one that has most of the pages.
    shard = max(db.shards, key=lambda one: one.execute("SELECT count(*) FROM pages").fetchone()[0])
    saved = shard.execute("SELECT data FROM state WHERE name = 'strategy'").fetchone()
    if name not in PICTURES or saved is None:
        return ""
    return PICTURES[name](Sight(folder, db, unpack(saved[0])))


def cash(sight: Sight) -> str:
    """How the cash is spread over the pages that were fetched: a Lorenz curve from the richest down, and the richest."""
    know_keys(sight.db)
    rows = sight.db.execute(
        f"SELECT url, title, max(relevance), sum(value) + {CASH} AS cash FROM pages GROUP BY url ORDER BY cash DESC, url"
    ).fetchall()
    rich = np.array([row["cash"] for row in rows])
    if len(rich) < 2 or not rich.sum() > 0:
        return ""
    held = np.cumsum(rich) / rich.sum()
    at = np.unique(np.linspace(1, len(rich), POINTS).astype(int))
    xs = (100 * at / len(rich)).tolist()
    curve = Line("cash", "s0", [0.0, *xs], [0.0, *held[at - 1].tolist()], [0.0] * (len(at) + 1))
    even = Line("if even", "random", [0.0, 100.0], [0.0, 1.0], [0.0, 0.0])
    tenth = held[max(0, len(held) // 10 - 1)]
    return section(
        "Importance",
        paragraph(
            f"The richest tenth of the pages holds {tenth:.0%} of the cash that went through pages or waits there."
        ),
        f'<figure class="alone">{plot("Share of all cash", "% of the pages, the richest first", [curve, even])}</figure>',
        table(["page", "cash", "relevance"], [(_titled(row), row["cash"], row[2]) for row in rows[:SHOWN]]),
    )


def sitemap(sight: Sight) -> str:
    """The page types of the site that most pages came from, and how they link."""
    rows = sight.db.execute("SELECT * FROM pages WHERE status = 200 AND file IS NOT NULL ORDER BY number").fetchall()
    if not rows:
        return ""
    first = site(rows[0]["url"])
    read = (copy(sight.folder, row) for row in rows if site(row["url"]) == first)
    pages = [page for page, _ in zip((page for page in read if page), range(SAMPLED), strict=False)]
    if len(pages) < 2:
        return ""
    learned = survey(pages)
    found, paid = describe(learned), _paid(learned, rows)
    kinds = [
        (k["type"], k["pages"], paid.get(k["type"], 0) if paid is not None else None, k["title"], k["example"], k["hub"],
         k["authority"]) for k in found["types"]
    ]  # fmt: skip
    return section(
        "Sitemap",
        paragraph(f"{first}: page types among {found['pages']} pages, and where their links lead."),
        picture(sitemap_picture.svg(found), "sitemap").replace('class="alone"', 'class="light"') if kinds else "",
        table(
            ["type", "pages", "relevant", "title", "example", "hub", "authority"],
            kinds,
            "No two pages are of one type.",
        ),
    )


def _paid(learned: Survey, rows: Sequence[sqlite3.Row]) -> Counter[int] | None:
    """How many pages of each type were relevant; None where nothing was judged."""
    judged = {row["url"]: row["relevance"] for row in rows if row["relevance"] is not None}
    types = zip(learned.pages, learned.names, strict=True)
    return Counter(name for page, name in types if judged.get(page.url, 0.0) >= RELEVANT) if judged else None


def community(sight: Sight) -> str:
    """The graph of sites with the community marked."""
    pairs, members = unpack(sight.state.get("graph_") or b"\x90"), sight.state.get("members_", set())
    graph = SiteGraph.of([tuple(pair) for pair in pairs])
    seeds = [name for name in sight.state.get("seeds_", ()) if name in graph]
    inside = sorted(graph.number(name) for name in members if name in graph)
    outside = sorted(sight.state.get("outside_", {}).items(), key=lambda pair: -pair[1])[:SHOWN]
    drawn = ""
    if seeds and inside:
        group = Group(np.array(inside), sight.state.get("phi_", 0.0), 0.0, 0.0)
        drawn = picture(site_map.picture(graph, seeds[0], group), "site graph")
    names = ", ".join(sorted(members)[:SHOWN]) + "…" * (len(members) > SHOWN)
    return section(
        "Community",
        paragraph(f"{len(members)} {'site is a member' if len(members) == 1 else 'sites are members'}: {names}"),
        drawn,
        table(["site left out", "links to it"], outside),
    )


def genres(sight: Sight) -> str:
    """What links on pages of each genre led to."""
    saved = sight.state.get("outcomes_", ())
    if len(saved) != len(Outcomes._fields):
        return ""
    outcomes = Outcomes(*saved)
    rows = [
        (genre, told, int(seen), f"{good / seen:.1%}", f"{outcomes.rate(told, genre):.1%}")
        for (told, genre), (seen, good) in sorted(outcomes.rows.items(), key=lambda item: -item[1][0])
        if genre and seen
    ]
    heads = ["genre of the page", "its relevance", "links followed", "to relevant pages", "believed"]
    return section("Genres", table(heads, rows))


def users(sight: Sight) -> str:
    """The people whose uploads fit the topic best, and the topic's tags."""
    saved = sight.state.get("uploaders_", ())
    people = Uploaders(*saved) if len(saved) == len(Uploaders._fields) else Uploaders.empty()
    ranked = sorted(
        (
            (people.inner[number], name, number)
            for name, number in people.numbers.items()
            if people.inner[number] != UNKNOWN
        ),
        reverse=True,
    )
    rows = [(name, inner, people.near[n] / people.heard[n] if people.heard[n] else None) for inner, name, n in ranked]
    tags = sorted(sight.state.get("topic_", {}).items(), key=lambda pair: -pair[1])[:SHOWN]
    return section(
        "People and tags",
        table(["user", "fit of own tags", "fit of contacts"], rows[:SHOWN]),
        table(["tag", "weight in the topic"], tags),
    )


def kinds(sight: Sight) -> str:
    """Which kinds of links kept their promises."""
    parts = [
        (name, seen, good) for name, (seen, good) in sight.state.get("table_", {}).items() if name and seen >= LEAST
    ]
    ranked = sorted(parts, key=lambda part: (-part[2] / part[1], -part[1], part[0]))
    heads = ["kind of link", "followed", "relevance they brought"]
    return section(
        "Kinds of links",
        paragraph(
            "Links are told apart by where they stand on a page (path) and where they lead (host, folder, type)."
        ),
        table(heads, _brought(ranked[:SHOWN])),
        paragraph("The least rewarding:") if len(ranked) > 2 * SHOWN else "",
        table(heads, _brought(ranked[: SHOWN - 1 : -1][:SHOWN])) if len(ranked) > 2 * SHOWN else "",
    )


def _brought(parts: Iterable[tuple[str, float, float]]) -> Sequence[Sequence[object]]:
    return [(name, int(seen), f"{good / seen:.1%}") for name, seen, good in parts]


def _titled(row: sqlite3.Row) -> str:
    return f"{row['title'] or '(no title)'} — {row['url']}"


PICTURES: dict[str, Callable[[Sight], str]] = {
    "community": community,
    "genre": genres,
    "genre-plus": genres,
    "irobot": sitemap,
    "link-context-plus": kinds,
    "opic": cash,
    "otie": cash,
    "otie-plus": lambda sight: cash(sight) + kinds(sight),
    "profile": users,
    "structure": sitemap,
    "target-map": sitemap,
}
