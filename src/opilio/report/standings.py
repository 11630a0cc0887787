"""Several corpora as one page to look at: the standings, their picture, and the way to the report of each corpus."""

from __future__ import annotations

from html import escape
from pathlib import Path
from string import Template
from urllib.parse import quote

from ..bench.palette import css
from ..bench.results import write as write_file
from ..bench.several_corpora import Overall
from ..bench.standings import Standing
from ..bench.standings_plot import picture
from ..bench.standings_table import by_corpus, caption, cells, heads
from . import bench
from .shipped_files import shipped


def write(folder: Path, overall: Overall, command: str) -> Path:
    """Write a report for each corpus and one over all; where that one is."""
    for ground in overall.corpora:
        bench.write(folder / ground.folder, command)
    write_file(folder / "standings.svg", picture(overall.standings))
    write_file(folder / "report.html", page(overall, command))
    return folder / "report.html"


def page(overall: Overall, command: str) -> str:
    """The report over all as HTML."""
    return Template(shipped("standings.html")).substitute(
        colours=css(),
        style=shipped("style.css"),
        table=_table(overall.standings),
        legend=escape(caption(overall.standings)),
        picture=picture(overall.standings),
        corpora="".join(
            f'<li><a href="{quote(ground.folder)}/report.html">{escape(ground.corpus)}: {escape(ground.task)}</a></li>'
            for ground in overall.corpora
        ),
        by_corpus="".join(map(_html, by_corpus(overall.standings))),
        command=escape(command),
    )


def _table(rows: list[Standing]) -> str:
    return _html([heads(rows), *map(cells, rows)])


def _html(lines: list[list[str]]) -> str:
    labels = [f' data-label="{escape(cell)}"' for cell in lines[0]]
    head, *body = [
        "".join(f"<{tag}{label}>{escape(cell)}</{tag}>" for label, cell in zip(labels, line, strict=True))
        for tag, line in _tagged(lines)
    ]
    rows = "".join(f"<tr>{row}</tr>" for row in body)
    return f'<table class="stack"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def _tagged(lines: list[list[str]]) -> list[tuple[str, list[str]]]:
    return [("td" if number else "th", line) for number, line in enumerate(lines)]
