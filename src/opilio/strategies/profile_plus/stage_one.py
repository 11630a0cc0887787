"""Stage one: details from lists of the start tags, and from lists of tags that may be the topic's, say which tags are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from ...html.leaves import Leaf
from ...urls import digest
from ..profile.lanes import LISTED, Places
from ..profile.media_site import MediaSite
from ..profile.page_types import DETAIL
from ..profile.tags import Listed, confirmed, distinct, most_voted, weights


def item(site: MediaSite, url: str, found: Sequence[Leaf], is_of_start: bool) -> Listed:
    """A detail with its tags."""
    return Listed(digest(url), is_of_start, tuple(term.name for term in site.terms(found, DETAIL)))


def shown(tag: str, places: Places) -> list[int]:
    """The details that a list of a tag shows."""
    return [digest(url) for url, found in places.items() if found[0][0] == (LISTED, tag)]


def further_tags(
    items: Sequence[Listed], lists: Mapping[str, Iterable[int]], start: Sequence[str], is_confirmed: bool, spread: float
) -> dict[str, float]:
    """The weights of the topic's further tags; in the first round all items are of the start tags, so that only votes tell."""
    if is_confirmed:
        return weights(confirmed(items, lists, start), spread)
    return weights(most_voted(distinct(names for _, _, names in items), start), spread)
