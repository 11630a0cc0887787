"""What links on pages of each genre led to, as a picture."""

from __future__ import annotations

from ...picture import Section, Table
from .outcomes import Outcomes

HEADS = ("genre of the page", "its relevance", "links followed", "to relevant pages", "believed")


def genre_picture(outcomes: Outcomes) -> list[Section]:
    rows = [
        (genre, relevance, int(seen), f"{good / seen:.1%}", f"{outcomes.rate(relevance, genre):.1%}")
        for (relevance, genre), (seen, good) in sorted(outcomes.rows.items(), key=lambda item: -item[1][0])
        if genre and seen
    ]
    return [Section("Genres", [Table(HEADS, rows)])]
