"""The first pages of a site, from which its structure is learned: their paths, and all of their links."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..codec import saved
from ..nouns import Link, Offer, Page
from ..urls import digest, site
from . import dead_links
from .dead_links import Seen
from .paths import Bag, apath

SAMPLE = "sample"  # lanes of the sample: this and an apath
DEAD = 10  # turns that a link of the sample waits if it is surely dead
MOST_TEXT = 1 << 24  # characters; all of it is saved with each commit, and sites of any size have a tenth of that

NO_ROOM = -1  # the number of a text that is left out
Strings = dict[str, int]  # each text once, with its number


@saved
@dataclass(slots=True)
class Sample:
    """Sampled pages, every text stored once; paths and links for which there is no more room are left out."""

    urls: Strings = field(default_factory=dict)
    paths: Strings = field(default_factory=dict)
    ways: Strings = field(default_factory=dict)  # the paths of links, with all classes
    pages: list[tuple[int, Any, Any]] = field(default_factory=list)  # url, [path, count] rows, [way, url] rows
    size: int = 0  # characters of all texts

    def add(self, url: str, bag: Bag, links: Iterable[Link]) -> None:
        page = self.urls.setdefault(url, len(self.urls))
        paths = [(self._number(self.paths, path), count) for path, count in bag.items()]
        ways = [(self._number(self.ways, link.path), self._number(self.urls, link.url)) for link in links]
        self.pages.append((page, _pairs(paths), _pairs(ways)))

    def _number(self, strings: Strings, text: str) -> int:
        """Of a text; NO_ROOM where there is none for a new one."""
        found = strings.get(text)
        if found is None:
            if self.size + len(text) > MOST_TEXT:
                return NO_ROOM
            self.size += len(text)
            found = strings[text] = len(strings)
        return found

    def bags(self) -> list[dict[str, int]]:
        names = list(self.paths)
        return [{names[path]: int(count) for path, count in rows} for _, rows, _ in self.pages]

    def links(self) -> Iterator[tuple[int, str, str]]:
        """Page number, path with classes and URL of every link, once each."""
        urls, paths = list(self.urls), list(self.ways)
        for number, (_, _, ways) in enumerate(self.pages):
            for way, url in ways:
                yield number, paths[way], urls[url]

    def order(self) -> list[str]:
        """The URLs of the sampled pages."""
        urls = list(self.urls)
        return [urls[url] for url, _, _ in self.pages]

    def places(self) -> dict[str, int]:
        """The page number of each sampled URL."""
        return {url: number for number, url in enumerate(self.order())}


def has_doubled(before: int, now: int, first: int) -> bool:
    """Whether this page makes it `first` pages, or twice as many, or four times, ..."""
    rounds, odd = divmod(now, first)
    return now > before and not odd and rounds & (rounds - 1) == 0


def offers(links: Iterable[Link], depth: int, seed: int, alive: Seen | None, by_size: bool) -> Iterator[Offer]:
    """The links of a page for the sample, one lane for each apath; links that are likely dead come late.

    While dead links are learned about (`alive`), there is one for each folder as well: what is dead there ends it.
    """
    for link, turn in drawn(links, seed, by_size):
        lane, value = (SAMPLE, apath(link.path)), -turn - depth / 1000
        if alive is None:
            yield Offer(link, value, lane, (depth,))
        else:
            late = DEAD * (1 - dead_links.alive(alive, link.url))
            yield Offer(link, value - late, (*lane, dead_links.folder(link.url)), (depth, "", "", link.url))


def _pairs(rows: list[tuple[int, int]]) -> Any:
    whole = [row for row in rows if NO_ROOM not in row]
    return np.array(whole, dtype=np.int32).reshape(len(whole), 2)


def inside(page: Page) -> list[Link]:
    """The links of a page that stay on its site, each (apath, URL) once."""
    here = page.url
    home, origin = site(here), here[: here.find("/", 8) + 1] or here
    found: dict[tuple[str, str], Link] = {}
    for link in page.links:
        url = link.url
        if url != here and (url.startswith(origin) or site(url) == home):
            found[apath(link.path), url] = link
    return list(found.values())


def drawn(links: Iterable[Link], seed: int, by_size: bool = False) -> Iterator[tuple[Link, float]]:
    """Each link with its turn: 0 for the one drawn first among the links of its apath, 1 for the next.

    By size, turns are shorter where there are more links at one place: what a site is made of comes before its menus.
    """
    groups: dict[str, list[Link]] = {}
    for link in links:
        groups.setdefault(apath(link.path), []).append(link)
    for group in groups.values():
        group.sort(key=lambda link: digest(f"{seed} {link.url}"))
        yield from ((link, (turn + 1) / len(group) if by_size else turn) for turn, link in enumerate(group))
