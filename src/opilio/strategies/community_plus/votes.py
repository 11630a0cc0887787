"""How a community grows: a site joins once enough relevant pages have a link to it whose own words are relevant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

VOTES = 3  # relevant pages that must link to a parked site before it joins


def voted(votes: dict[str, set[int]], members: set[str], page: int, sites: Iterable[str]) -> Iterator[str]:
    """A page votes for some sites; those that join by it. `votes` and `members` change."""
    for name in sites:
        if name in members:
            continue
        given = votes.setdefault(name, set())
        given.add(page)
        if len(given) >= VOTES:
            members.add(name)
            del votes[name]
            yield name
