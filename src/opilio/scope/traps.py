"""Pages that are made without end: calendars, sessions, pagination, one page under many names.

What they have in common is that many URLs of one shape, or of one site, bring nothing new. A shape that has brought
nothing for a while is deferred: its URLs come after all others. One that still brings nothing then is not visited any more.
One thing found pays for a hundred visits, to the shape of the page itself and to that of the page that led there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from ..urls import site

PAYS = 100  # visits, for one page that brings something new
SITE = 5  # a site has this many times the patience that a shape has
DEFER_AT = 4  # the share of its patience that a shape or a site has before it is deferred: a fourth

NUMBER = re.compile(r"\d+")
# Made by a machine: long, of letters and digits, as session keys are. One is not looked for from the middle of a word on.
MACHINE = re.compile(r"(?<![\w-])(?=[A-Za-z_-]*\d)(?=[\d_-]*[A-Za-z])[\w-]{16,}", re.ASCII)


def shape(url: str) -> str:
    """The host and path of a canonical URL with # for numbers, * for keys, and the names of parameters.

    "" for a URL without any of these: it stands for itself.
    """
    place, mark, query = url.partition("://")[2].partition("?")
    folder, slash, name = place.rpartition("/")
    kind = _folder(folder) + slash + _folded(name)
    if not mark:
        return kind if kind != place else ""
    names = sorted({part.partition("=")[0] for part in query.split("&")})
    return f"{kind}?{'&'.join(names)}"


def _folded(text: str) -> str:
    return NUMBER.sub("#", MACHINE.sub("*", text))


_folder = lru_cache(maxsize=4096)(_folded)  # which many URLs share


class Traps:
    """Counts what shapes and sites bring; a fold over the pages seen, so it need not be saved."""

    def __init__(self, patience: int) -> None:
        self._patience = patience
        self._visits: dict[str, int] = {}
        self._news: dict[str, int] = {}

    def saw(self, url: str, source: str, news: bool) -> None:
        """A page was visited that a link on the source led to."""
        keys = _keys(url)
        _count(self._visits, keys)
        if news:
            _count(self._news, {*keys, *_keys(source)} if source else keys)

    def reason(self, url: str) -> str:
        """Why a URL is not worth a visit; "" when it may be."""
        kind, name = _keys(url)
        if self._barren(kind, self._patience):
            return f"trap: {self._visits[kind]} pages like {kind} brought too little new"
        if self._barren(name, self._patience * SITE):
            return f"trap: {self._visits[name]} pages of {name} brought too little new"
        return ""

    def defers(self, url: str) -> bool:
        """Whether all other URLs should come before this one."""
        (kind, name), patience = _keys(url), self._patience / DEFER_AT
        return self._barren(kind, patience) or self._barren(name, patience * SITE)

    def _barren(self, key: str, patience: float) -> bool:
        return self._visits.get(key, 0) >= patience + PAYS * self._news.get(key, 0)


def _count(counts: dict[str, int], keys: Iterable[str]) -> None:
    for key in keys:
        if key:
            counts[key] = counts.get(key, 0) + 1


@lru_cache(maxsize=4096)  # asked for before a visit, at the visit and for what it leads to
def _keys(url: str) -> tuple[str, str]:
    """What is counted of a URL: its shape, of which "" is not, and its site."""
    return shape(url), site(url)
