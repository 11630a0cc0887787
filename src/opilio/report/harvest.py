"""What a crawl found: over its course, by site and page type, and what may be left."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..bench.plots import Line, plot
from ..learning.url_patterns import common_words, pattern
from ..nouns import RELEVANT
from ..store.reader import Reading
from ..urls import site
from .estimate import by_price, next_hundred
from .html_parts import Bar, bars, paragraph, section, size

POINTS = 200  # of a curve
BARS = 12  # of a picture
WINDOW = 20  # parts of a crawl that a moving mean covers one of
LONG = 180.0  # seconds that are told in minutes
LEAST = 50  # pages of a moving mean, at least


class Course(NamedTuple):
    """Every page in the order of time: its relevance, 0 where it has none, and when it came."""

    relevance: NDArray[np.float64]
    time: NDArray[np.float64]
    is_judged: bool = True  # a crawl without a topic judges nothing

    @classmethod
    def of(cls, relevance: NDArray[np.float64], time: NDArray[np.float64], is_judged: bool = True) -> Course:
        """Of pages in any order; numbers of pages tell none where several shards count them."""
        order = np.argsort(time, kind="stable")
        return cls(relevance[order], time[order], is_judged)

    @property
    def good(self) -> NDArray[np.bool_]:
        return self.relevance >= RELEVANT


def read(db: sqlite3.Connection) -> Course:
    """The course of a crawl."""
    rows = db.execute("SELECT coalesce(relevance, 0), time FROM pages ORDER BY number").fetchall()
    values = np.array([tuple(row) for row in rows], float).reshape(-1, 2)
    is_judged = db.execute("SELECT 1 FROM pages WHERE relevance IS NOT NULL LIMIT 1").fetchone() is not None
    return Course.of(values[:, 0], values[:, 1], is_judged or not rows)


def harvest(figures: dict[str, Any], found: Course) -> dict[str, str]:
    """The figures that people look at first."""
    brought = {
        "pages fetched": f"{figures['pages']:,}",
        "seconds": f"{figures['seconds']:,.0f}",
        "fetched": size(figures["bytes"]),
    }
    if not found.is_judged:
        return brought
    return {
        "relevant pages": f"{figures['relevant']:,}",
        "harvest rate": f"{figures['harvest_rate']:.1%}",
        "of the last tenth": f"{found.good[-max(1, len(found.good) // 10) :].mean():.1%}" if len(found.good) else "",
        "sites with relevant pages": f"{figures['sites_with_relevant_pages']:,}",
        **brought,
    }


def curves(found: Course) -> str:
    """Harvest and relevance over the crawl."""
    if not len(found.good):
        return section("Over the crawl", paragraph("No page was fetched yet."))
    if not found.is_judged:
        return section("Over the crawl", paragraph("No topic was given, so no page was judged."))
    figures = "".join(f"<figure>{drawing}</figure>" for drawing in drawings(found, inline=True))
    return section("Over the crawl", f'<div class="plots">{figures}</div>')


def drawings(found: Course, inline: bool = False) -> list[str]:
    """Harvest, relevance and relevant pages of a crawl that has begun, as SVG; the last only where there are some."""
    count = len(found.good)
    at = np.unique(np.maximum(1, np.round(np.linspace(0, count, POINTS + 1)[1:]).astype(int)))
    window = max(LEAST, count // WINDOW)
    recent = f"last {window:,} pages"
    lines = [
        _line("overall", "s0", at, np.cumsum(found.good)[at - 1] / at),
        _line(recent, "s1", at, _moving(found.good.astype(float), window)[at - 1]),
    ]
    means = [_line(recent, "s1", at, _moving(found.relevance, window)[at - 1])]
    unit, length = ("minutes", 60) if np.ptp(found.time) > LONG else ("seconds", 1)
    since = (found.time - found.time.min())[at - 1] / length
    timed = [Line("found", "s2", since.tolist(), np.cumsum(found.good)[at - 1].tolist(), [0.0] * len(at))]
    fetched = "pages fetched"
    drawn = [
        plot("Harvest rate", fetched, lines, y_name="relevant pages per page fetched", form="percent", inline=inline),
        plot("Relevance", fetched, means, y_name=f"mean of the last {window:,} pages", inline=inline),
    ]
    if since[-1] <= 0 or not found.good.any():
        return drawn
    return [*drawn, plot("Relevant pages found", unit, timed, y_name="relevant pages", form="count", inline=inline)]


def _line(name: str, style: str, at: NDArray[np.int64], ys: NDArray[np.float64]) -> Line:
    return Line(name, style, at.tolist(), ys.tolist(), [0.0] * len(at))


def _moving(values: NDArray[np.float64], window: int) -> NDArray[np.float64]:
    sums = np.concatenate(([0.0], np.cumsum(values)))
    ends = np.arange(1, len(values) + 1)
    begins = np.maximum(0, ends - window)
    mean: NDArray[np.float64] = (sums[ends] - sums[begins]) / (ends - begins)
    return mean


def recall(db: Reading, found: Course) -> str:
    """What is left, by methods that say their names and errors; nothing where nobody judges what is relevant."""
    if not found.is_judged:
        return ""
    sentences = []
    if soon := next_hundred(found.good.tolist()):
        sentences.append(
            f"The next hundred fetches should bring about {soon.value:.0f} relevant pages, give or take {1.96 * soon.error:.0f}"
            " (persistence: as many as the last hundred; the error is how far that was wrong in the second half of the crawl)."
        )
    count = int(found.good.sum())
    if (left := by_price(db)) and count:
        middle, low, high = left.recall(count)
        sentences.append(
            f"About {left.value:,.0f} of the URLs that wait are relevant, so {middle:.0%} of what the crawl knows of was found "
            f"(95 %: {low:.0%} to {high:.0%}; price curve: waiting URLs are as often relevant as fetched ones of their price "
            "were). Pages that no fetched page links to are not counted, so the true recall is lower."
        )
    return section("What is left", *map(paragraph, sentences or ["Too few pages were fetched to tell."]))


def paid_off(db: sqlite3.Connection, found: Course) -> str:
    """Sites, kinds of pages, languages and errors as pictures: what brought relevant pages, or, where nothing was judged, all."""
    rows = db.execute(
        "SELECT url, coalesce(relevance, 0) >= ?, genre, page_type, language, error FROM pages", (RELEVANT,)
    ).fetchall()
    urls, good = [row[0] for row in rows], [bool(row[1]) for row in rows]
    words = common_words(urls)
    kinds = [
        ("Sites", [site(url) for url in urls]),
        ("Kinds of URLs", [pattern(url, words) for url in urls]),
        ("Genres", [row[2] for row in rows]),
        ("Page types", [row[3] for row in rows]),
        ("Languages", [row[4] for row in rows]),
    ]
    which = "that paid off" if found.is_judged else "that were fetched"
    cards = [_card(f"{heading} {which}", _rewards(keys, good, found.is_judged)) for heading, keys in kinds]
    failed = Counter(row[5] for row in rows if row[5]).most_common(BARS)
    cards.append(_card("Errors", [Bar(kind, count, None, is_bad=True) for kind, count in failed]))
    return f'<h2>What came</h2><div class="cards">{"".join(cards)}</div>' if any(cards) else ""


def _card(heading: str, rows: list[Bar]) -> str:
    return f'<section class="card"><h3>{heading}</h3>{bars("", rows)}</section>' if rows else ""


def _rewards(keys: Sequence[str | None], good: Sequence[bool], is_judged: bool) -> list[Bar]:
    pages = Counter(key for key in keys if key)
    if not is_judged:
        return [Bar(key, count) for key, count in pages.most_common(BARS)]
    relevant = Counter(key for key, is_good in zip(keys, good, strict=True) if is_good and key)
    return [Bar(key, pages[key], count) for key, count in relevant.most_common(BARS)]
