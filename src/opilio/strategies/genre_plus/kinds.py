"""The kinds of a page: its genre, its template, its site.

Templates are found as they turn up: a page is of the first page's kind that has most of its element paths in common with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...errors import ConfigError
from ...learning.mdl_clusters import distance
from ...nouns import Page
from ...urls import site

NEAR = 0.5  # pages that differ in a smaller share of their paths are of one template
MOST = 40  # templates; after that, a page is of the nearest one

FURTHER = ("template", "site")  # kinds besides the genre

Leaders = list[frozenset[str]]  # the paths of the first page of each template


def further_kinds(text: str) -> list[str]:
    """The kinds that a user names, as in template+site; ConfigError for others."""
    found = [] if text == "none" else text.split("+")
    if set(found) - set(FURTHER):
        raise ConfigError(f"strategy genre-plus: further={text} must be none, or made of {' + '.join(FURTHER)}")
    return found


def template(leaders: Leaders, paths: Mapping[str, int]) -> int:
    """The number of a page's template; a new one is added to the leaders."""
    places = frozenset(paths)
    far, number = min(((distance(places, leader), n) for n, leader in enumerate(leaders)), default=(1.0, -1))
    if far < NEAR or len(leaders) >= MOST:
        return number
    leaders.append(places)
    return len(leaders) - 1


def kinds_of(page: Page, genre: str, further: Sequence[str], leaders: Leaders) -> tuple[str, ...]:
    """The kinds of a page that are told apart; the first is its genre."""
    names = {"template": lambda: f"template {template(leaders, page.paths)}", "site": lambda: f"site {site(page.url)}"}
    return (genre, *(names[name]() for name in further))
