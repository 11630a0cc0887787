"""How a crawl behaved: where its time and bytes went, what it was refused, how it treated hosts."""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from itertools import pairwise
from typing import Any

from ..frontier.inspect import dropped
from ..nouns import RELEVANT
from ..store.reader import Reading
from ..store.run import ERROR_LOG
from ..urls import host, site
from .html_parts import paragraph, section, share, size, table
from .refusals import kind
from .summary import out_of_scope

SHOWN = 15  # rows of a table

OUTCOME = """CASE WHEN location != '' THEN 'redirect' WHEN error != '' THEN error WHEN relevance IS NULL THEN 'not judged'
    WHEN relevance >= ? THEN 'relevant' ELSE 'not relevant' END"""


def effort(db: sqlite3.Connection, figures: dict[str, Any]) -> str:
    """Where time and bytes went."""
    query = f"SELECT {OUTCOME}, count(*), sum(bytes) FROM pages GROUP BY 1 ORDER BY 2 DESC"
    outcomes = db.execute(query, (RELEVANT,)).fetchall()
    seconds, pages = figures["seconds"], max(1, figures["pages"])
    rows = [
        (
            name,
            count,
            share(count, pages),
            size(total),
            share(total, figures["bytes"]),
            f"{seconds * count / pages:,.1f}",
        )
        for name, count, total in outcomes[:SHOWN]
    ]
    heads = ["result", "fetches", "of all", "bytes", "of all", "seconds"]
    return section(
        "Where time and bytes went",
        paragraph(f"{pages / seconds:,.1f} pages a second; seconds are divided evenly among fetches.")
        if seconds
        else "",
        table(heads, rows),
        _failed(figures["internal_errors"]),
        table(["site", "fetches", "relevant", "bytes"], _sites(db)),
        table(["content type", "fetches", "bytes"], _types(db)),
    )


def _failed(count: int) -> str:
    """What to say of exceptions that were caught."""
    sentence = (
        f"{count:,} internal errors, which are bugs in Opilio or in the strategy; the tracebacks are in {ERROR_LOG}."
    )
    return paragraph(sentence) if count else ""


def _sites(db: sqlite3.Connection) -> list[tuple[object, ...]]:
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for url, good, count in db.execute("SELECT url, coalesce(relevance, 0) >= ?, bytes FROM pages", (RELEVANT,)):
        row = sums[site(url)]
        row[0], row[1], row[2] = row[0] + 1, row[1] + good, row[2] + count
    largest = sorted(sums.items(), key=lambda item: -item[1][2])[:SHOWN]
    return [(name, pages, good, size(total)) for name, (pages, good, total) in largest]


def _types(db: sqlite3.Connection) -> list[tuple[object, ...]]:
    sums: Counter[str] = Counter()
    pages: Counter[str] = Counter()
    for mime, count, total in db.execute("SELECT coalesce(mime, ''), count(*), sum(bytes) FROM pages GROUP BY 1"):
        name = mime.partition(";")[0].strip().lower() or "(none)"
        sums[name] += total
        pages[name] += count
    return [(name, pages[name], size(total)) for name, total in sums.most_common(SHOWN)]


def conduct(db: Reading) -> str:
    """What was refused and by what rule, and how hosts were treated."""
    reasons = Counter(reason for (reason,) in db.execute("SELECT reason FROM refusals"))
    example = dict(db.execute("SELECT reason, min(url) FROM refusals GROUP BY reason"))
    refused = [(kind(reason), reason, count, example[reason]) for reason, count in reasons.most_common(SHOWN)]
    out = list(out_of_scope(db).items())[:SHOWN]
    lanes = sorted(dropped(db).items(), key=lambda pair: -pair[1])[:SHOWN]
    return section(
        "Robots and politeness",
        table(
            ["kind", "reason", "URLs", "for example"],
            refused,
            "No URL was refused by robots.txt or by the guard, and no host was unreachable.",
        ),
        table(["out of scope because", "links"], out),
        table(["host", "visits", "mean seconds between visits", "shortest"], _visits(db)),
        table(["dropped lane", "URLs"], [(" / ".join(lane), count) for lane, count in lanes]),
    )


def _visits(db: sqlite3.Connection) -> list[tuple[object, ...]]:
    """The hosts that were visited most, and how long they were left alone in between."""
    times: dict[str, list[float]] = defaultdict(list)
    for url, time in db.execute("SELECT url, time FROM pages ORDER BY time"):
        times[host(url)].append(time)
    rows: list[tuple[object, ...]] = []
    for name, visits in sorted(times.items(), key=lambda item: -len(item[1]))[:SHOWN]:
        gaps = [late - early for early, late in pairwise(visits)]
        rows.append((name, len(visits), sum(gaps) / len(gaps) if gaps else None, min(gaps) if gaps else None))
    return rows
