"""What a later crawl starts from when a site was learned before: the part of its file that is not for people."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Iterator, Sequence
from typing import Any

from ...codec import pack, unpack
from ...errors import UnreadableError
from ...learning.clusters import OUTLIER
from ...learning.navigation import Table
from ...learning.page_types import Sitemap
from ...nouns import Page
from .survey import Survey, sizes
from .type_names import by_name, named, sketch

FORMAT = "opilio site 2"
SHOWN = 5  # URLs of a page type
WORDS = 8  # of a page without a title
OTHERS = 50  # pages that tell which words are its own


def saved(sitemap: Sitemap, table: Table) -> str:
    return b64encode(pack([sitemap, table])).decode()


def read(text: str, name: str) -> tuple[Sitemap, Table]:
    """What strategy structure knows after reading the file; UnreadableError says what is wrong."""
    remedy = "make it with `opilio structure -o`"
    try:
        site = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnreadableError(f"{name}: it cannot be read as JSON ({error}); {remedy}") from None
    if not isinstance(site, dict) or site.get("format") != FORMAT:
        raise UnreadableError(f'{name}: it is not a site file ("format" must be "{FORMAT}"); {remedy}')
    try:
        sitemap, table = unpack(b64decode(site["saved"]))
    except (KeyError, TypeError, ValueError) as error:
        raise UnreadableError(f'{name}: its part "saved" is damaged ({error!r}); {remedy}') from None
    if not (isinstance(sitemap, Sitemap) and isinstance(table, Table)):
        raise UnreadableError(f'{name}: its part "saved" holds something else; {remedy}')
    return sitemap, table


def describe(found: Survey) -> dict[str, Any]:
    """A learned site as a JSON document; `saved` is what later crawls read."""
    order = sorted(found.sitemap.clusters, key=lambda name: -sizes(found)[name])
    names = by_name(named(found), order)
    return {
        "format": FORMAT,
        "start": found.pages[0].url,
        "pages": len(found.pages),
        "outliers": found.names.count(OUTLIER),
        "eps": found.sitemap.eps,
        "types": [_type(found, number, name, names[name]) for number, name in enumerate(found.sitemap.clusters)],
        "navigation": list(_navigation(found)),
        "saved": saved(found.sitemap, found.table),
    }


def _type(found: Survey, number: int, name: int, shown: str) -> dict[str, Any]:
    example = found.example(name)
    return {
        "type": name,
        "name": shown,
        "sketch": sketch(example),
        "pages": sizes(found)[name],
        "example": example.url,
        "title": example.title or _own_words(example, found.pages),
        "urls": [page.url for page, other in zip(found.pages, found.names, strict=True) if other == name][:SHOWN],
        "hub": float(found.ranks.hubs[number]),
        "authority": float(found.ranks.authorities[number]),
        "dsim": found.sitemap.spread[name],
        "links_to": {
            str(other): float(weight)
            for other, weight in zip(found.sitemap.clusters, found.matrix[number], strict=True)
            if weight
        },
    }


def _own_words(page: Page, pages: Sequence[Page]) -> str:
    """The first words of a page after those with which most pages of the site begin."""
    words, others = page.main.split(), [other.main.split() for other in pages[:OTHERS]]
    start = 0
    while start < len(words) and 2 * sum(other[: start + 1] == words[: start + 1] for other in others) > len(others):
        start += 1
    return " ".join(words[start : start + WORDS] or words[:WORDS])


def _navigation(found: Survey) -> Iterator[dict[str, Any]]:
    for lane, links in found.table.links.most_common():
        seen = found.table.counts.get(lane, {})
        total = sum(seen.values())
        if total and int(lane[0]) != OUTLIER:
            shares = {str(kind): count / total for kind, count in sorted(seen.items())}
            yield {"from": int(lane[0]), "apath": lane[1], "links": links, "to": shares}
