"""Which clusters of a site's pages are lists, details and profiles, by what they hold and where their links lead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from ...html.leaves import TEXT, Leaf
from ...learning.clusters import OUTLIER
from ...learning.page_types import learn as learn_clusters
from .page_types import DETAIL, LIST, MEDIA_TYPES, PROFILE
from .thumbnails import Beside, Position, inside, positions, rows

MANY = 3  # thumbnails with names that make a page a list
PART = 0.05  # of all thumbnails: a cluster that fewer lead to plays no part
NO_ROWS = "no page of this site shows thumbnails with names beside them"
ONE_WAY = "its thumbnails and the names beside them do not lead to two types of pages"

Leads: TypeAlias = dict[Position, Counter[int]]  # clusters that links at a position lead to


class Seen(NamedTuple):
    """A page of the sample."""

    url: str
    leaves: Sequence[Leaf]


class Roles(NamedTuple):
    """The pages of each type, by their number; or why the site is no media-sharing site."""

    pages: dict[str, list[int]]
    reason: str = ""


def find_roles(sample: Sequence[Seen]) -> Roles:
    """Many thumbnails with names beside them make a list; the thumbnails lead to details, the names to profiles."""
    names = learn_clusters([_bag(page.leaves) for page in sample]).names
    leads = _leads(sample, names)
    linked = [inside(page.leaves, page.url) for page in sample]
    found = [list(rows(leaves)) for leaves in linked]
    flow = _flow([(beside, len(shown)) for page in found for beside, shown in page], leads, linked)
    if not flow:
        return Roles({}, NO_ROWS)
    details, profiles = _ends(flow)
    if not details or not profiles:
        return Roles({}, ONE_WAY)
    numbers = range(len(sample))
    lists = _lists(names, [max((len(shown) for _, shown in page), default=0) for page in found], details | profiles)
    kinds = {LIST: lists, DETAIL: details, PROFILE: profiles}
    pages = {kind: [n for n in numbers if names[n] in kinds[kind]] for kind in MEDIA_TYPES}
    if not pages[LIST]:  # too few of them to make up a cluster
        pages[LIST] = [n for n in numbers if names[n] == OUTLIER and any(len(shown) >= MANY for _, shown in found[n])]
    return Roles(pages)


def _bag(leaves: Sequence[Leaf]) -> Counter[str]:
    return Counter(leaf.path if leaf.kind == TEXT else f"{leaf.kind}:{leaf.path}" for leaf in leaves)


def _leads(sample: Sequence[Seen], names: Sequence[int]) -> Leads:
    cluster = {page.url: name for page, name in zip(sample, names, strict=True)}
    leads: Leads = {}
    for page in sample:
        for where, urls in positions(inside(page.leaves, page.url)).items():
            leads.setdefault(where, Counter()).update(cluster[url] for url in set(urls) if url in cluster)
    return leads


def _flow(
    found: Sequence[tuple[Beside, int]], leads: Leads, linked: Sequence[Sequence[Leaf]]
) -> dict[tuple[int, int], float]:
    """How many thumbnails lead to one cluster while the names beside them lead to another."""
    distinct = _distinct(linked)
    flow: dict[tuple[int, int], float] = {}
    for beside, count in found:
        things, people = beside.thumb, beside.name
        if distinct[things] < distinct[people]:  # there are more things than people: these are pictures of people
            things, people = people, things
        for thing, a in leads[things].items():
            for person, b in leads[people].items():
                if OUTLIER not in (thing, person) and thing != person:
                    weight = count * a / leads[things].total() * b / leads[people].total()
                    flow[thing, person] = flow.get((thing, person), 0.0) + weight
    return flow


def _distinct(linked: Sequence[Sequence[Leaf]]) -> dict[Position, int]:
    urls: dict[Position, set[str]] = {}
    for leaves in linked:
        for where, found in positions(leaves).items():
            urls.setdefault(where, set()).update(found)
    return {where: len(found) for where, found in urls.items()}


def _ends(flow: Mapping[tuple[int, int], float]) -> tuple[set[int], set[int]]:
    """The clusters at the two ends: each cluster is at the end at which more of the flow passes."""
    out: dict[int, float] = {}
    into: dict[int, float] = {}
    for (thing, person), weight in flow.items():
        out[thing] = out.get(thing, 0.0) + weight
        into[person] = into.get(person, 0.0) + weight
    least = PART * sum(out.values())
    details = {name for name, weight in out.items() if weight > max(into.get(name, 0.0), least)}
    profiles = {name for name, weight in into.items() if weight > max(out.get(name, 0.0), least)}
    return details, profiles


def _lists(names: Sequence[int], thumbnails: Sequence[int], taken: set[int]) -> set[int]:
    others = {name for name in names if name != OUTLIER} - taken
    counts = {name: [n for other, n in zip(names, thumbnails, strict=True) if other == name] for name in others}
    return {name for name, found in counts.items() if sum(found) >= MANY * len(found)}
