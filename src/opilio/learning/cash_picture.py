"""How the cash is spread over the pages that were fetched, as a picture."""

from __future__ import annotations

from itertools import accumulate

from ..nouns import Fetched, PastCrawl
from ..picture import Curve, Paragraph, Plot, Section, Table

SHOWN = 15  # rows of a table
POINTS = 100  # of a curve


def cash_picture(crawl: PastCrawl) -> list[Section]:
    """A Lorenz curve from the richest page down, and the richest pages."""
    rows = crawl.by_cash()
    total = sum(row.cash for row in rows)
    if len(rows) < 2 or not total > 0:
        return []
    held = [part / total for part in accumulate(row.cash for row in rows)]
    tenth = held[max(0, len(held) // 10 - 1)]
    text = f"The richest tenth of the pages holds {tenth:.0%} of the cash that went through pages or waits there."
    richest = Table(["page", "cash", "relevance"], [(_titled(row), row.cash, row.relevance) for row in rows[:SHOWN]])
    return [Section("Importance", [Paragraph(text), _plot(held), richest])]


def _plot(held: list[float]) -> Plot:
    count = len(held)
    at = sorted({1 + (count - 1) * step // (POINTS - 1) for step in range(POINTS)})
    curve = Curve("cash", [0.0, *(100 * place / count for place in at)], [0.0, *(held[place - 1] for place in at)])
    even = Curve("if even", [0.0, 100.0], [0.0, 1.0], reference=True)
    return Plot("Share of all cash", "% of the pages, the richest first", [curve, even])


def _titled(row: Fetched) -> str:
    return f"{row.title or '(no title)'} — {row.url}"
