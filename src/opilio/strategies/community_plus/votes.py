"""How a community grows: a site joins once enough relevant pages have a link to it whose own words are relevant."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from ...nouns import RELEVANT, News, Offer, Reweigh, Say
from ...urls import digest
from ..community.relevance import TermWeights
from ..community.two_rounds import HOMES, PAGES

VOTES = 3  # relevant pages that must link to a parked site before it joins


def promising(says: Iterable[Say], members: Collection[str], weights: TermWeights) -> tuple[str, ...]:
    """The sites outside that links with relevant anchors lead to, in order."""
    offers = (say for say in says if isinstance(say, Offer) and say.note[1] >= weights.anchor * RELEVANT)
    return tuple(sorted({offer.lane[1] for offer in offers} - set(members)))


def ballot(votes: dict[str, set[int]], members: set[str], url: str, sites: tuple[str, ...]) -> Iterator[Say]:
    """A page that was fetched here votes for some sites, and all shards hear of it."""
    if sites:
        yield News(("votes", digest(url), sites))
        yield from voted(votes, members, digest(url), sites)


def voted(votes: dict[str, set[int]], members: set[str], page: int, sites: Iterable[str]) -> Iterator[Reweigh]:
    """A page votes for some sites; what to weigh again because one joins by it. `votes` and `members` change."""
    for name in sites:
        if name in members:
            continue
        given = votes.setdefault(name, set())
        given.add(page)
        if len(given) >= VOTES:
            members.add(name)
            del votes[name]
            yield Reweigh((HOMES, name))
            yield Reweigh((PAGES, name))
