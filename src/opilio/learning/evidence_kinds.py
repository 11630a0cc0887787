"""What a link has in common with others, each a kind of links or pages: where it stands, what it says, where it leads to.

A kind is a text like "anchor bees" or "host a.test", and its key a number of 64 bits, by which it is remembered.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np

from ..key_index.by_numpy import Numbers
from ..nouns import Link
from ..text.tokens import LONGEST, tokens
from ..urls import digest, host
from ..urls import words as url_words

ANCHOR, ADDRESS, AROUND = 8, 8, 20  # words of a link, of its URL and around it that count
LETTERS = 400  # of an anchor or a URL that are looked at: what is remembered of a page is small, whatever it holds
PLACE, LIST, PAGE = range(3)  # kinds that a link has by where it stands, in this order
DIGITS = 48  # of their keys together


@lru_cache(maxsize=1 << 16)  # words stand in many links
def key_of(kind: str) -> int:
    """The key of a kind."""
    return digest(kind) - (1 << 63)


def keys_of(kinds: Iterable[str]) -> Numbers:
    """The keys of kinds."""
    return np.array([key_of(kind) for kind in kinds], np.int64)


class PageKinds:
    """The kinds of links on one page: the place on pages of the host, the list on the page, and the page."""

    def __init__(self, url: str) -> None:
        self._url, self._host, self._page = url, host(url), digest(f"page {url}")
        self._found: dict[str, str] = {}

    def __call__(self, path: str) -> str:
        """Of links with this tag path: the three keys as one text, which notes of offers can hold."""
        found = self._found.get(path)
        if found is None:
            place, listed = digest(f"place {self._host} {path}"), digest(f"list {self._url} {path}")
            found = self._found[path] = f"{place:016x}{listed:016x}{self._page:016x}"
        return found


def where(texts: str) -> Numbers:
    """The keys of place, list and page of links, a row for each link, out of such texts one after the other."""
    keys: Numbers = (np.frombuffer(bytes.fromhex(texts), ">u8") - np.uint64(1 << 63)).astype(np.int64)
    return keys.reshape(-1, 3)


def words(link: Link) -> tuple[str, ...]:
    """The words of a link, each a kind of links."""
    return _words(link.anchor[:LETTERS], link.url[:LETTERS])


def word_kinds(link: Link) -> Numbers:
    """The keys of these."""
    return _word_kinds(link.anchor[:LETTERS], link.url[:LETTERS])


def _words(anchor: str, url: str) -> tuple[str, ...]:
    anchored, address = dict.fromkeys(tokens(anchor)[:ANCHOR]), dict.fromkeys(url_words(url)[:ADDRESS])
    kinds = *(f"anchor {word}" for word in anchored), *(f"word {word}" for word in address)
    return tuple(kind for kind in kinds if len(kind) <= LONGEST)


@lru_cache(maxsize=1 << 14)  # a link that waits is priced again and again
def _word_kinds(anchor: str, url: str) -> Numbers:
    return keys_of(_words(anchor, url))


def title_kinds(title: str) -> Numbers:
    """The keys of the words of a page's title: as if they stood in a link to it."""
    return _word_kinds(title[:LETTERS], "")


def around_kinds(link: Link) -> Numbers:
    """The keys of the words around a link, each a kind of links."""
    return _around_kinds(link.context[:LETTERS])


@lru_cache(maxsize=1 << 14)
def _around_kinds(context: str) -> Numbers:
    kinds = (f"around {word}" for word in dict.fromkeys(tokens(context)[:AROUND]))
    return keys_of(kind for kind in kinds if len(kind) <= LONGEST)


@lru_cache(maxsize=1 << 14)
def address_kinds(url: str) -> tuple[int, int]:
    """The keys of the host and the folder of a URL, each a kind of pages."""
    folder = url.partition("?")[0].rpartition("/")[0]
    return key_of(f"host {host(url)}"), key_of(f"folder {folder}")
