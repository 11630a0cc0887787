"""Where the links of pages lead: as far as the URLs say that a site makes by the same rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..nouns import Link
from .cluster_split import Leads, view
from .paths import apath
from .url_patterns import common_words, pattern


def leads(links: Sequence[Sequence[Link]]) -> Leads:
    """Pages by the links of each."""
    urls = {link.url for row in links for link in row}
    words = common_words(urls)
    rules = {url: pattern(url, words) for url in urls}
    places = [Counter(apath(link.path) for link in row) for row in links]
    return Leads(
        view(places), view([Counter(f"{apath(link.path)} {rules[link.url]}" for link in row) for row in links])
    )
