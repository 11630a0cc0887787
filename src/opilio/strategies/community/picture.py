"""The graph of sites with the community marked, as a picture."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from ...picture import Paragraph, Part, Section, SiteGraph, Table

SHOWN = 15  # names, and rows of a table


def community_picture(
    links: Sequence[tuple[str, str]], seeds: Sequence[str], members: Collection[str], outside: Mapping[str, int]
) -> list[Section]:
    known = {name for pair in links for name in pair}
    inside, starts = sorted(known & set(members)), [name for name in seeds if name in known]
    names = ", ".join(sorted(members)[:SHOWN]) + "…" * (len(members) > SHOWN)
    sentence = f"{len(members)} {'site is a member' if len(members) == 1 else 'sites are members'}: {names}"
    drawn: list[Part] = [SiteGraph(links, starts[0], inside)] if starts and inside else []
    left_out = sorted(outside.items(), key=lambda pair: -pair[1])[:SHOWN]
    return [Section("Community", [Paragraph(sentence), *drawn, Table(["site left out", "links to it"], left_out)])]
