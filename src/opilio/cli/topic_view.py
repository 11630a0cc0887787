"""What a topic rests on, printed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from rich.table import Table
from rich.text import Text

from ..engine.topic_view import Doubt, Support, TopicView, topic_view
from ..topics.folded import Weighty
from .terminal import draw, print_pairs, printable, say

TITLE = 50  # letters of a title


def show_run(folder: Path, words: int, as_json: bool) -> None:
    """The topic of a run folder."""
    view = topic_view(folder, words)
    if as_json:
        print(json.dumps(view.plain(), ensure_ascii=False))
        return
    print_pairs(_about(view))
    print()
    show_words([(f"{one.word} ({one.share:.0%})", one.weight) for one in view.deciding], " (share of pages around)")
    if view.support:
        draw(_supports(view.support))
    for one in view.odd:
        say(f"{one.url} does not seem to be about the topic, going by the others: a crawl without it may find more")
    if view.doubts:
        draw(_doubts(view.doubts))
        say(f"opilio label {folder}     answer these, and others that teach much")


def show_words(weighty: Sequence[Weighty], what: str = "") -> None:
    """Words that speak for a topic beside those that speak against it."""
    if not weighty:
        say("it judges by meaning, so no single words decide")
        return
    grid = Table(f"speaks for it{what}", "weight", "speaks against it", "weight", box=None)
    for row in _beside([one for one in weighty if one[1] > 0], [one for one in weighty if one[1] <= 0]):
        grid.add_row(*row)
    draw(grid)


def _about(view: TopicView) -> dict[str, str]:
    answers = f"{view.yes} yes, {view.no} no" if view.yes or view.no else "none yet"
    return {
        "topic": printable(view.words) or "(no words: as the examples)",
        "judged by": view.judged_by,
        "answers": answers,
        "pages": f"{view.pages:,} with text, {view.relevant:,} of them relevant",
    }


def _supports(found: Sequence[Support]) -> Table:
    head = ("given as", "page", "judged, if unknown", "relevant pages without it")
    grid = Table(*head, box=None, title="\nPages that decide", title_justify="left")
    for one in found:
        grid.add_row(one.role, Text(one.url), f"{one.relevance:.2f}", f"{one.change.before:,} → {one.change.after:,}")
    return grid


def _doubts(found: Sequence[Doubt]) -> Table:
    head = ("relevance", "page", "relevant pages after yes", "after no")
    grid = Table(*head, box=None, title="\nMost doubtful pages", title_justify="left")
    for page, yes, no in found:
        name = f"{printable(page.title)[:TITLE] or '(no title)'}\n{page.url}"
        grid.add_row(
            f"{page.relevance:.2f}", Text(name), f"{yes.before:,} → {yes.after:,}", f"{no.before:,} → {no.after:,}"
        )
    return grid


def _beside(left: Sequence[Weighty], right: Sequence[Weighty]) -> list[list[str]]:
    rows = []
    for place in range(max(len(left), len(right))):
        cells = [one[place] if place < len(one) else ("", None) for one in (left, right)]
        rows.append([text for word, weight in cells for text in (word, "" if weight is None else f"{weight:.2f}")])
    return rows
