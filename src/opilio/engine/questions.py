"""Which pages to ask people about, for the command line, the dashboard and programs alike.

The page that the topic is least sure of teaches most; every fifth question is about the one that it is surest of, so that what is
surely wrong comes up, too (docs/label.md has what other orders are worth).
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from ..nouns import RELEVANT
from ..store.reader import reading
from ..urls import canonical
from .labels import labels
from .run_folder import configured

EVERY = 5  # questions, of which one is about the surest page
LOOKED = 2000  # pages of each kind that are looked at


class Question(NamedTuple):
    """A page that a person should judge."""

    number: int
    url: str
    title: str
    relevance: float
    group: int  # pages that are nearly the same share it
    why: str = ""  # it is asked


def in_order(pages: Iterable[Question], answered: int) -> list[Question]:
    """The order in which to ask, after this many answers; of pages that are nearly the same, one."""
    once = {page.group: page for page in sorted(pages, reverse=True)}.values()
    sure = iter(sorted(once, key=lambda page: (-page.relevance, page.number)))
    doubtful = iter(sorted(once, key=lambda page: (abs(page.relevance - RELEVANT), page.number)))
    order: dict[int, Question] = {}
    while len(order) < len(once):
        fifth = (answered + len(order)) % EVERY == EVERY - 1
        why, ranked = ("the surest", sure) if fifth else ("the most doubtful", doubtful)
        page = next(page for page in ranked if page.number not in order)
        order[page.number] = page._replace(why=why)
    return list(order.values())


def questions(folder: Path, most: int = 10) -> list[Question]:
    """The pages of a run folder that people should judge next, by the relevance that they have there."""
    known, examples = labels(folder), set(map(canonical, configured(folder).examples))
    query = """SELECT max(number), url, coalesce(title, ''), relevance, coalesce(duplicate_group, -number) AS likes FROM pages
        WHERE relevance IS NOT NULL AND file IS NOT NULL GROUP BY url ORDER BY {} LIMIT ?"""
    with closing(reading(folder)) as db:
        orders = ("relevance DESC, number", "abs(relevance - 0.5), number")
        rows = {row for order in orders for row in db.execute(query.format(order), (LOOKED + len(known),))}
    judged = {group for _, url, _, _, group in rows if url in known or url in examples}
    return in_order((Question(*row) for row in rows if row[4] not in judged), len(known))[:most]
