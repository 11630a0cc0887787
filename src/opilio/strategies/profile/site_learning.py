"""How a media-sharing site is learned from a sample of its pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from ...html.leaves import TEXT, Leaf
from .media_site import MOSTLY, Leads, MediaSite, expected
from .page_types import DETAIL, LIST, MEDIA_TYPES, PROFILE, strings
from .page_types import learn as learn_types
from .roles import Seen
from .tag_fields import find_fields, headings, shared_values
from .tags import tag_name
from .thumbnails import Beside, Position, inside, position, positions, rows

COMMON = 0.9  # of the pages of a type that was found without examples have its path strings
NO_TAGS = "its detail pages have no tags that can be told from other text"


def learn_site(
    sample: Sequence[Seen], examples: Mapping[str, Sequence[Seen]], common: float = COMMON
) -> MediaSite | str:
    """The site by pages of each type and by whatever other pages were seen; or why it cannot be crawled by profiles."""
    types = learn_types({kind: [strings(page.leaves) for page in examples[kind]] for kind in MEDIA_TYPES}, common)
    kinds = {page.url: types.classify(strings(page.leaves)) for page in sample}
    linked = {page.url: inside(page.leaves, page.url) for page in sample}
    leads = _leads(kinds, linked)
    beside = _beside(linked.values(), leads)
    by_type = {kind: [_own_words(page, leads) for page in sample if kinds[page.url] == kind] for kind in MEDIA_TYPES}
    heads = {kind: headings(by_type[kind]) for kind in MEDIA_TYPES}
    names = list_names(sample, kinds, leads) or shared_values(by_type[DETAIL], by_type[PROFILE])
    tags = {kind: find_fields(by_type[kind], heads[kind], names) for kind in (DETAIL, PROFILE)}
    if not tags[DETAIL]:
        return NO_TAGS
    owners = _owners([linked[url] for url, kind in kinds.items() if kind == DETAIL], leads, beside)
    site = MediaSite(types, leads, beside, heads, tags, owners, False)
    return site._replace(own=_more_of_the_same(site, kinds, linked))


def _own_words(page: Seen, leads: Leads) -> list[Leaf]:
    """The leaves of a page but for the names of people and of things."""
    return [leaf for leaf in page.leaves if not (leaf.url and expected(leads, position(leaf)) in (DETAIL, PROFILE))]


def _leads(kinds: Mapping[str, str], linked: Mapping[str, Sequence[Leaf]]) -> Leads:
    found: dict[Position, Counter[str]] = {}
    for leaves in linked.values():
        for where, urls in positions(leaves).items():
            found.setdefault(where, Counter()).update(kinds[url] for url in sorted(set(urls)) if url in kinds)
    return {where: dict(seen) for where, seen in found.items() if seen}


def _beside(pages: Iterable[Sequence[Leaf]], leads: Leads) -> list[Beside]:
    """Pairs of positions that lead to details and profiles, the commonest first."""
    counts: Counter[Beside] = Counter()
    for linked in pages:
        for pair, shown in rows(linked):
            if expected(leads, pair.thumb) == DETAIL and expected(leads, pair.name) == PROFILE:
                counts[pair] += len(shown)
    return [pair for pair, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]


def list_names(sample: Sequence[Seen], kinds: Mapping[str, str], leads: Leads) -> set[str]:
    """What links to lists are called, on pages that are no lists themselves: there they are numbers of pages."""
    return {
        tag_name(leaf.text)
        for page in sample
        if kinds[page.url] != LIST
        for leaf in page.leaves
        if leaf.kind == TEXT and leaf.url and expected(leads, position(leaf)) == LIST
    }


def _owners(details: Sequence[Sequence[Leaf]], leads: Leads, beside: Sequence[Beside]) -> list[Position]:
    """Where detail pages name one profile, the positions that most of them have first; those beside thumbnails last."""
    counts: Counter[Position] = Counter()
    for linked in details:
        for where, urls in positions(linked).items():
            if len(set(urls)) == 1 and expected(leads, where) == PROFILE:
                counts[where] += 1
    names = {pair.name for pair in beside}
    return sorted(counts, key=lambda where: (where in names, -counts[where], where))


def _more_of_the_same(site: MediaSite, kinds: Mapping[str, str], linked: Mapping[str, Sequence[Leaf]]) -> bool:
    """Whether thumbnails without a name on detail pages are of the page's uploader, by those whose pages were seen."""
    owners = {url: site.owner(linked[url]) for url, kind in kinds.items() if kind == DETAIL}
    pairs = [
        (owner, owners[shown.url])
        for url, owner in owners.items()
        for shown in site.shown(linked[url])
        if not shown.name and shown.url in owners
    ]
    return sum(one == other for one, other in pairs) > MOSTLY * len(pairs)
