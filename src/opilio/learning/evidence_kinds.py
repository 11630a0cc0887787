"""What a link has in common with others, each a kind of links or pages: where it stands, what it says, where it leads to.

A kind is a text (see TrackRecord).
"""

from __future__ import annotations

from functools import lru_cache

from ..nouns import Link
from ..text.tokens import LONGEST, tokens
from ..urls import digest, host
from ..urls import words as url_words

PLACE, LISTED, PAGE = "place-", "list-", "page-"
ANCHOR, ADDRESS, AROUND = 8, 8, 20  # words of a link, of its URL and around it that count
LETTERS = 400  # of an anchor or a URL that are looked at: what is remembered of a page is small, whatever it holds


class PageKinds:
    """The kinds of links on one page: the place on pages of the host, the list on the page, and the page."""

    def __init__(self, url: str) -> None:
        self._url, self._host, self._page = url, host(url), digest(url)
        self._found: dict[str, str] = {}

    def __call__(self, path: str) -> str:
        """Of links with this tag path, as one text with spaces."""
        found = self._found.get(path)
        if found is None:
            place, listed = digest(f"{self._host} {path}"), digest(f"{self._url} {path}")
            found = self._found[path] = f"{PLACE}{place:x} {LISTED}{listed:x} {PAGE}{self._page:x}"
        return found


def word_kinds(link: Link) -> tuple[str, ...]:
    """The words of a link, each a kind of links."""
    return _word_kinds(link.anchor[:LETTERS], link.url[:LETTERS])


@lru_cache(maxsize=1 << 14)  # a link that waits is priced again and again
def _word_kinds(anchor: str, url: str) -> tuple[str, ...]:
    said, address = dict.fromkeys(tokens(anchor)[:ANCHOR]), dict.fromkeys(url_words(url)[:ADDRESS])
    kinds = *(f"anchor {word}" for word in said), *(f"word {word}" for word in address)
    return tuple(kind for kind in kinds if len(kind) <= LONGEST)


def title_kinds(title: str) -> tuple[str, ...]:
    """The words of a page's title: as if they stood in a link to it."""
    return _word_kinds(title[:LETTERS], "")


def around_kinds(link: Link) -> tuple[str, ...]:
    """The words around a link, each a kind of links."""
    return _around_kinds(link.context[:LETTERS])


@lru_cache(maxsize=1 << 14)
def _around_kinds(context: str) -> tuple[str, ...]:
    kinds = (f"around {word}" for word in dict.fromkeys(tokens(context)[:AROUND]))
    return tuple(kind for kind in kinds if len(kind) <= LONGEST)


@lru_cache(maxsize=1 << 14)
def address_kinds(url: str) -> tuple[str, str]:
    """The host and the folder of a URL, each a kind of pages."""
    folder = digest(url.partition("?")[0].rpartition("/")[0])
    return f"host {host(url)}", f"folder {folder:x}"
