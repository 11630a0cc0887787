"""Which kinds of links kept their promises, as a picture."""

from __future__ import annotations

from collections.abc import Iterable

from ..picture import Paragraph, Part, Section
from ..picture import Table as Shown
from .link_kinds import Table

SHOWN = 15  # rows of a table
LEAST = 5.0  # pages before a kind of link is listed
HEADS = ("kind of link", "followed", "relevance they brought")


def link_kinds_picture(table: Table) -> list[Section]:
    """The most rewarding kinds, and the least rewarding where there are many."""
    found = [(name, seen, good) for name, (seen, good) in table.items() if name and seen >= LEAST]
    ranked = sorted(found, key=lambda part: (-part[2] / part[1], -part[1], part[0]))
    explained = "Links are told apart by where they stand on a page (path) and where they lead (host, folder, type)."
    parts: list[Part] = [Paragraph(explained), _brought(ranked[:SHOWN])]
    if len(ranked) > 2 * SHOWN:
        parts += [Paragraph("The least rewarding:"), _brought(ranked[: SHOWN - 1 : -1][:SHOWN])]
    return [Section("Kinds of links", parts)]


def _brought(parts: Iterable[tuple[str, float, float]]) -> Shown:
    return Shown(HEADS, [(name, int(seen), f"{good / seen:.1%}") for name, seen, good in parts])
