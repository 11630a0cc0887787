"""What a crawl did, for people: a summary, the story of one URL, and a page to look at."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from ..bench.plots import Line, css, plot
from ..bench.results import write as write_file
from ..errors import ConfigError
from ..frontier.look import Waiting, open_urls, waiting
from ..nouns import RELEVANT
from ..store.run import reading
from ..urls import canonical, site
from .shipped import shipped

POINTS = 200  # of a curve
SHOWN = 25  # rows of a table
CHAIN = 20  # parents told of, at most


def summary(folder: Path) -> dict[str, Any]:
    """The figures of a crawl, running or finished."""
    with closing(reading(folder)) as db:
        return {**_manifest(folder), **_figures(db)}


def _manifest(folder: Path) -> dict[str, Any]:
    path = folder / "manifest.json"
    known = json.loads(path.read_text()) if path.is_file() else {}
    return {name: known.get(name) for name in ("version", "started", "stopped", "why")}


def _figures(db: sqlite3.Connection) -> dict[str, Any]:
    counts = "SELECT count(*), coalesce(sum(relevance >= ?), 0), coalesce(sum(bytes), 0) FROM pages"
    pages, relevant, size = db.execute(counts, (RELEVANT,)).fetchone()
    found = db.execute("SELECT url FROM pages WHERE relevance >= ?", (RELEVANT,))
    errors = dict(db.execute("SELECT error, count(*) FROM pages WHERE error != '' GROUP BY error ORDER BY 2 DESC"))
    seconds = db.execute("SELECT value FROM meta WHERE name = 'seconds'").fetchone()
    return {
        "pages": pages,
        "relevant": relevant,
        "harvest_rate": round(relevant / pages, 4) if pages else 0.0,
        "sites_with_relevant_pages": len({site(url) for (url,) in found}),
        "bytes": size,
        "seconds": round(json.loads(seconds[0]), 2) if seconds else 0.0,
        "open_urls": open_urls(db),
        "errors": errors,
    }


def story(folder: Path, url: str) -> dict[str, Any]:
    """Why a URL was fetched, or why not: the facts, and the same as lines to read."""
    address = canonical(url)
    if not address:
        raise ConfigError(f'"{url}" is no http or https URL; write it in full, as in https://host/path')
    with closing(reading(folder)) as db:
        db.row_factory = sqlite3.Row
        visits = [dict(row) for row in db.execute("SELECT * FROM pages WHERE url = ? ORDER BY number", (address,))]
        places = waiting(db, address)
        chain = _chain(db, visits[0]) if visits else []
    lines = [address, *(_visit_line(visit) for visit in visits), *map(_parent_line, chain)]
    lines += [_waiting_line(place) for place in places]
    if not visits and not places:
        lines.append("not fetched, and not waiting: no fetched page has offered it, or its lane was dropped")
    return {"url": address, "visits": visits, "parents": chain, "waiting": len(places), "lines": lines}


def _chain(db: sqlite3.Connection, visit: dict[str, Any]) -> list[dict[str, Any]]:
    """The pages that led to it, the nearest first."""
    chain: list[dict[str, Any]] = []
    source = visit["source"]
    while source and len(chain) < CHAIN:
        query = "SELECT number, url, anchor, source, relevance FROM pages WHERE url = ? ORDER BY number LIMIT 1"
        row = db.execute(query, (source,)).fetchone()
        if row is None or any(row["url"] == seen["url"] for seen in chain):
            break
        chain.append(dict(row))
        source = row["source"]
    return chain


def _visit_line(visit: dict[str, Any]) -> str:
    price = visit["shift"] + visit["scale"] * visit["value"]
    asked = f'found on {visit["source"]} as "{visit["anchor"]}"' if visit["source"] else "a seed"
    judged = "" if visit["relevance"] is None else f", relevance {visit['relevance']:.3f}"
    lane = "/".join(json.loads(visit["lane"])) or "(the only one)"
    return (
        f"fetched as page {visit['number']}: {visit['error'] or visit['status']}{judged}; {asked}; value {visit['value']:.6g} "
        f"in lane {lane}, weight {visit['shift']:.6g} + {visit['scale']:.6g}·value, price {price:.6g}; parts {visit['note']}"
    )


def _parent_line(parent: dict[str, Any]) -> str:
    judged = "" if parent["relevance"] is None else f", relevance {parent['relevance']:.3f}"
    return f"  from page {parent['number']}, {parent['url']}{judged}"


def _waiting_line(place: Waiting) -> str:
    offer, weight = place.offer, place.weight
    lane = "/".join(offer.lane) or "(the only one)"
    if weight.shift == float("-inf"):
        return f'waiting in lane {lane}, which is parked; found on {offer.link.source} as "{offer.link.anchor}"'
    return (
        f"waiting in lane {lane}: value {offer.value:.6g}, weight {weight.shift:.6g} + {weight.scale:.6g}·value; "
        f'{place.ahead} URLs are dearer; found on {offer.link.source} as "{offer.link.anchor}"; parts {list(offer.note)}'
    )


def write(folder: Path) -> Path:
    """Write report.html into a run folder; where it is."""
    figures = summary(folder)
    with closing(reading(folder)) as db:
        judged = db.execute("SELECT url, title, relevance FROM pages ORDER BY number").fetchall()
    template = Template(shipped("run.html"))
    path = folder / "report.html"
    text = template.substitute(
        title=escape(str(folder)),
        colours=css(),
        style=shipped("style.css"),
        figures=_rows([(name.replace("_", " "), _plain(value)) for name, value in figures.items()]),
        plot=_plot([relevance or 0.0 for _, _, relevance in judged]),
        sites=_rows(_sites(judged)),
        pages=_rows(_best(judged)),
        config=escape((folder / "config.toml").read_text(encoding="utf-8")),
    )
    write_file(path, text)
    return path


def _plot(relevance: Sequence[float]) -> str:
    if not relevance:
        return "<p>No page was fetched yet.</p>"
    found, rates = 0, []
    for number, value in enumerate(relevance, 1):
        found += value >= RELEVANT
        rates.append(found / number)
    at = sorted({max(1, round(len(rates) * i / POINTS)) for i in range(1, POINTS + 1)})
    line = Line("harvest rate", "s0", at, [rates[i - 1] for i in at], [0.0] * len(at))
    return plot("Relevant pages per page fetched", "pages fetched", [line])


def _sites(judged: Sequence[tuple[str, str, float | None]]) -> list[tuple[str, str]]:
    pages = Counter(site(url) for url, _, _ in judged)
    relevant = Counter(site(url) for url, _, value in judged if (value or 0.0) >= RELEVANT)
    return [(name, f"{count} of {pages[name]}") for name, count in relevant.most_common(SHOWN)]


def _best(judged: Sequence[tuple[str, str, float | None]]) -> list[tuple[str, str]]:
    ranked = sorted(judged, key=lambda row: -(row[2] or 0.0))[:SHOWN]
    return [(f"{title or '(no title)'} — {url}", f"{value or 0.0:.3f}") for url, title, value in ranked]


def _rows(rows: Sequence[tuple[str, str]]) -> str:
    return "\n".join(f"<tr><td>{escape(left[:300])}</td><td>{escape(right)}</td></tr>" for left, right in rows)


def _plain(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name}: {count}" for name, count in value.items()) or "none"
    return f"{value:,}" if isinstance(value, int) else str(value if value is not None else "")
