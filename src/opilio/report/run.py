"""What a crawl did, as a page to look at: one file that needs no network, running or finished."""

from __future__ import annotations

import sqlite3
from base64 import b64encode
from contextlib import closing
from hashlib import sha256
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from ..bench.palette import css, styles
from ..bench.results import write as write_file
from ..engine.run_folder import configured
from ..engine.topic import FILE as TOPIC_FILE
from ..errors import OpilioError
from ..store.reader import Reading, reading
from ..urls import site
from .best_pages import Best, best_pages
from .conduct import conduct, effort
from .estimate import by_price
from .harvest import Course, curves, drawings, harvest, paid_off, read, recall
from .headline import HUNDRED, headline, headline_unjudged, why_nothing
from .html_parts import is_link, marked, paragraph, picture, section
from .next_steps import next_steps
from .pictures import own_picture
from .shipped_files import shipped
from .summary import summary
from .web_map import shades, svg, web_map

BEST = 10  # pages with what they say of the topic
DRAWN = 150  # sites of the map


def write(folder: Path) -> Path:
    """Write report.html into a run folder; where it is."""
    path = folder / "report.html"
    write_file(path, page(folder))
    return path


def card(folder: Path) -> str:
    """The first figures and the harvest curve of a crawl as a piece of HTML, for a notebook."""
    figures = summary(folder)
    with closing(reading(folder)) as db:
        found = read(db)
    drawn = picture(drawings(found)[0], "harvest") if found.is_judged and len(found.good) else ""
    parts = (f"<td><b>{escape(value)}</b> {escape(name)}</td>" for name, value in harvest(figures, found).items())
    heading = f"<p><b>{escape(str(folder))}</b>: {escape(_stopped(figures))}</p>"
    return f"<div>{heading}<table><tr>{''.join(parts)}</tr></table>{drawn}</div>"


def page(folder: Path) -> str:
    """The report as HTML."""
    figures, script = summary(folder), shipped("charts.js")
    with closing(reading(folder)) as db:
        db.row_factory = sqlite3.Row
        found = read(db)
        headline = _headline(db, found, figures, _setting(folder, "topic"))
        parts = [
            _best(best_pages(folder, BEST)),
            _next(folder, figures),
            curves(found),
            recall(db, found),
            paid_off(db, found),
            _map(db, found.is_judged),
            own_picture(folder, db),
            effort(db, figures),
            conduct(db),
        ]
    return Template(shipped("run.html")).substitute(
        title=escape(str(folder)),
        digest=f"sha256-{b64encode(sha256(script.encode()).digest()).decode()}",
        colours=css(),
        style=shipped("style.css"),
        headline=escape(headline),
        facts=_facts(folder, figures, found),
        trouble=_trouble(folder, figures),
        tiles=_tiles(harvest(figures, found)),
        sections="\n".join(parts),
        config=escape(_config(folder / "config.toml")),
        script=script,
    )


def _config(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else "(config.toml is missing)"


def _setting(folder: Path, name: str) -> str:
    """A setting of the crawl as text; "" where its settings are gone."""
    try:
        return str(configured(folder).model_dump()[name])
    except OpilioError:
        return ""


def _headline(db: Reading, found: Course, figures: dict[str, Any], topic: str) -> str:
    if not found.is_judged:
        return headline_unjudged(figures["pages"], len({site(row[0]) for row in db.execute("SELECT url FROM pages")}))
    left = by_price(db)
    recent = int(found.good[-HUNDRED:].sum())
    like = figures.get("like", [])
    return headline(figures["pages"], figures["relevant"], topic, recent, left.value if left else None, like)


def _facts(folder: Path, figures: dict[str, Any], found: Course) -> str:
    strategy = _setting(folder, "strategy")
    style = styles([strategy])[strategy] if strategy else ""
    key = f'<svg class="key" width="22" height="8" aria-hidden="true"><path class="key {style}" d="M0 4h22"/></svg>'
    pairs = {
        "Topic": escape(_setting(folder, "topic")),
        "Like": escape(" ".join(figures.get("like", []))),
        "Strategy": key + escape(strategy) if strategy else "",
        "Time": escape(_stopped(figures)),
        "Relevant": "A page counts as relevant when it is judged to be so with 0.5 or more." if found.is_judged else "",
    }
    rows = "".join(f"<dt>{name}</dt><dd>{value}</dd>" for name, value in pairs.items() if value)
    return f'<dl class="card facts">{rows}</dl>'


def _trouble(folder: Path, figures: dict[str, Any]) -> str:
    topic = _setting(folder, "topic") if (folder / TOPIC_FILE).exists() else ""
    sentence = why_nothing(
        figures["pages"],
        figures["relevant"],
        figures["errors"],
        figures["refused_because"],
        figures["open_urls"],
        topic,
    )
    return f'<div class="note warn">{paragraph(sentence)}</div>' if sentence else ""


def _tiles(figures: dict[str, str]) -> str:
    cells = (f"<div><b>{escape(value)}</b> {escape(name)}</div>" for name, value in figures.items())
    return f'<div class="tiles">{"".join(cells)}</div>'


def _stopped(figures: dict[str, Any]) -> str:
    if not figures["stopped"]:
        began = _minute(figures["started"]) if figures["started"] else "at an unknown time"
        return f"Started {began}; it was still running, or had been killed, when this page was made."
    waiting = f"{figures['open_urls']:,} URLs were waiting"
    return f"Started {_minute(figures['started'])}, stopped {_minute(figures['stopped'])}: {figures['why']}. {waiting}."


def _minute(time: str) -> str:
    """A time as people write it."""
    return f"{time[:10]} {time[11:16]} UTC"


def _best(pages: list[Best]) -> str:
    items = "".join(map(_item, pages))
    return section("The best pages", f'<div class="card"><ol class="pages">{items}</ol></div>' if items else "")


def _item(best: Best) -> str:
    title = escape(" ".join(best.title.split())[:200]) or "(no title)"
    link = f'<a class="title" href="{escape(best.url)}" rel="noreferrer noopener nofollow">{title}</a>'
    return (
        f'<li>{link if is_link(best.url) else title} <span class="meter yes">{best.relevance:.2f}</span>'
        f'<span class="where">{escape(best.url[:200])}</span><p class="snippet">{marked(best.snippet)}</p></li>'
    )


def _next(folder: Path, figures: dict[str, Any]) -> str:
    steps = next_steps(folder, figures, (folder / TOPIC_FILE).exists())
    rows = "".join(f"<dt><code>{escape(command)}</code></dt><dd>{escape(use)}</dd>" for command, use in steps[1:])
    return section("What to do next", f'<dl class="card facts">{rows}</dl>')


def _map(db: Reading, is_judged: bool) -> str:
    found = web_map(db, DRAWN)
    if len(found.nodes) < 2:
        return ""
    many = f"{len(found.nodes):,} {found.kind}s" + (
        f" of {len(found.nodes) + found.left_out:,}" if found.left_out else ""
    )
    about = (
        f"{many} with the links that were followed between them; the larger one is, the more of its pages were fetched"
    )
    drawn = (
        f"<figure>{svg(found, about)}<figcaption>{escape(about)}.{shades() if is_judged else ''}</figcaption></figure>"
    )
    return section("Map", drawn)
