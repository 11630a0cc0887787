"""Which pages to ask people about, for the command line, the dashboard and programs alike.

In turns: the page that the topic is surest of, and the one that it is least sure of. So what is surely wrong comes up early, and
the border is looked at, too (docs/label.md has what other orders are worth).
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
from .run import configured

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
    """The order in which to ask, after so many answers; of pages that are nearly the same, one."""
    once = {page.group: page for page in sorted(pages, reverse=True)}.values()
    sure = iter(sorted(once, key=lambda page: (-page.relevance, page.number)))
    doubtful = iter(sorted(once, key=lambda page: (abs(page.relevance - RELEVANT), page.number)))
    turns = (("the surest", sure), ("the most doubtful", doubtful))
    order: dict[int, Question] = {}
    while len(order) < len(once):
        why, ranked = turns[(answered + len(order)) % 2]
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
