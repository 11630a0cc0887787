"""Labelled pages as the topic would judge them if nobody had said what they are: what its precision can be told by."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from ..errors import OpilioError
from ..nouns import Page
from ..store.reader import reading
from .labels import labels
from .stored_pages import copy
from .stored_topic import stored_topic

MOST = 20  # labels, the last ones: each means to learn the topic anew


class HeldOut(NamedTuple):
    """A labelled page."""

    url: str
    relevance: float  # as judged without its label
    is_relevant: bool  # as people say


def held_out(folder: Path, most: int = MOST) -> list[HeldOut]:
    """The last labelled pages of a run, each judged by a topic that does not know its label."""
    labelled = list(labels(folder).items())[-most:]
    try:
        topic = stored_topic(folder) if labelled else None
    except OpilioError:
        topic = None
    found = []
    for url, is_relevant in labelled if topic else ():
        page = _page(folder, url)
        if topic and page:
            found.append(HeldOut(url, topic.without(url).page(page), is_relevant))
    return found


def _page(folder: Path, url: str) -> Page | None:
    with closing(reading(folder)) as db:
        db.row_factory = sqlite3.Row
        query = "SELECT * FROM pages WHERE url = ? AND file IS NOT NULL ORDER BY number DESC LIMIT 1"
        row = db.execute(query, (url,)).fetchone()
    return copy(folder, row) if row else None
