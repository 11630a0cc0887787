"""What a crawl did, as a page to look at: one file, without scripts and without the network, running or finished."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from ..bench.palette import css
from ..bench.results import write as write_file
from ..store.reader import reading
from .conduct import conduct, effort
from .harvest import curves, drawings, harvest, paid_off, read, recall
from .html_parts import picture, section, table
from .pictures import own_picture
from .shipped_files import shipped
from .summary import summary

PROXY_USER = re.compile(
    r'(?<=^fetch_proxy = ")(\w+://)[^/]*@', re.MULTILINE
)  # a report is handed on, a password is not

SHOWN = 25  # pages in a table


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
    told = f"<p><b>{escape(str(folder))}</b>: {escape(_stopped(figures))}</p>"
    return f"<div>{told}<table><tr>{''.join(parts)}</tr></table>{drawn}</div>"


def page(folder: Path) -> str:
    """The report as HTML."""
    figures = summary(folder)
    with closing(reading(folder)) as db:
        db.row_factory = sqlite3.Row
        found = read(db)
        parts = [
            curves(found),
            recall(db, found),
            paid_off(db, found),
            own_picture(folder, db),
            effort(db, figures),
            conduct(db),
            _best(db),
        ]
    config = folder / "config.toml"
    return Template(shipped("run.html")).substitute(
        title=escape(str(folder)),
        colours=css(),
        style=shipped("style.css"),
        tiles=_tiles(harvest(figures, found)),
        stopped=escape(_stopped(figures)),
        meaning="A page counts as relevant when the topic gives it 0.5 or more." if found.is_judged else "",
        sections="\n".join(parts),
        config=escape(
            PROXY_USER.sub(r"\1", config.read_text(encoding="utf-8"))
            if config.is_file()
            else "(config.toml is missing)"
        ),
    )


def _tiles(figures: dict[str, str]) -> str:
    cells = (f"<div><b>{escape(value)}</b> {escape(name)}</div>" for name, value in figures.items())
    return f'<div class="tiles">{"".join(cells)}</div>'


def _stopped(figures: dict[str, Any]) -> str:
    if not figures["stopped"]:
        return f"Begun {figures['started'] or 'at an unknown time'}; it had not stopped when this page was made."
    waiting = f"{figures['open_urls']:,} URLs were waiting"
    return f"Begun {figures['started']}, stopped {figures['stopped']}: {figures['why']}. {waiting}."


def _best(db: sqlite3.Connection) -> str:
    rows = db.execute(
        "SELECT title, url, relevance FROM pages WHERE relevance IS NOT NULL ORDER BY relevance DESC, number LIMIT ?",
        (SHOWN,),
    )
    shown = [(f"{row['title'] or '(no title)'} — {row['url']}", row["relevance"]) for row in rows]
    return section("The most relevant pages", table(["page", "relevance"], shown))
