"""Where the links of pages lead: by the rules that a site makes its URLs by, and to which others of these pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ..nouns import Link
from .cluster_links import Hop
from .cluster_split import Leads, view
from .paths import apath
from .url_patterns import common_words, pattern

EVERYWHERE = 0.5  # of the pages link to what is in a menu: that says nothing about what it leads to


def leads(links: Sequence[Sequence[Link]], urls: Sequence[str] = ()) -> Leads:
    """Pages by the links of each; with their URLs, by the links between them as well."""
    targets = Counter(url for row in links for url in {link.url for link in row})
    words = common_words(targets)
    rules = {url: pattern(url, words) for url in targets}
    places = [Counter(apath(link.path) for link in row) for row in links]
    destinations = [Counter(f"{apath(link.path)} {rules[link.url]}" for link in row) for row in links]
    numbers = {url: number for number, url in enumerate(urls) if targets[url] <= EVERYWHERE * len(links)}
    return Leads(view(places), view(destinations), list(_hops(links, numbers)))


def _hops(links: Sequence[Sequence[Link]], numbers: Mapping[str, int]) -> Iterator[Hop]:
    for source, row in enumerate(links):
        for place, url in {(apath(link.path), link.url): 0 for link in row if link.url in numbers}:
            yield source, place, numbers[url]
