"""What a profile page says of its owner: terms of their own (tags, sets, collections ...), and the people they know."""

from __future__ import annotations

from collections.abc import Sequence

from ...html.blocks import names
from ...html.leaves import Leaf
from .media_site import MediaSite
from .page_types import PROFILE
from .tag_fields import Term, fields
from .tags import split_tags
from .thumbnails import inside

# Headings of what somebody made, on sites in English; tags are found by their values, whatever their heading is.
INNER = names(
    "set sets collection collections album albums gallery galleries playlist playlists video videos favorites favourites"
)


def profile_of(site: MediaSite, leaves: Sequence[Leaf], url: str, user: str) -> tuple[list[Term], list[str]]:
    """Inner terms, and contacts: profiles that the page names, be they friends, groups or subscriptions; own pages left out."""
    terms = {term.name: term for term in site.terms(leaves, PROFILE)}
    for field, leaf in fields(leaves, site.headings[PROFILE]):
        if not INNER.isdisjoint(field.label.split("-")):
            terms |= {name: Term(name, 1) for name in split_tags(leaf.text) if name not in terms}
    own = f"{user.rstrip('/')}/"
    return list(terms.values()), [one for one in site.contacts(inside(leaves, url)) if not one.startswith(own)]
