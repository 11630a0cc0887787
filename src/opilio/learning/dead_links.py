"""What there is behind a link, judged by its URL: sites move, and leave whole folders of links that lead nowhere.

What is known of a folder leans on what is known of the folder around it, up to the host and to all links.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from ..nouns import Lane, Link, Page
from ..urls import digest
from .navigation import GONE

NUMBER = re.compile(r"\d+")
MOST = 20_000  # folders remembered; those that turn up later are judged by what is around them
NOTES = 4  # parts of a note that has the URL in it
DEEPEST = 3  # folders within folders

HALF, RARE = "half", "rare"  # instead of an apath: links that lead to a page half of the time, or hardly ever
DOUBTFUL = {HALF: 0.5, RARE: 0.05}
LIKELY, UNLIKELY = 0.6, 0.25  # chances from which a link is not in doubt, and up to which it is rare
NOTHING = (0.0, 0.0, 0.0)

Seen = dict[str, list[float]]  # folder and kind of file -> [links followed, pages that were there, folders within]


def note(seen: Seen, url: str, there: float) -> None:
    """A link to that URL was followed, and there was a page or not; a page behind redirects is one for several fetches."""
    around: list[float] | None = None
    for key in _around(url):
        if key not in seen:
            if len(seen) >= MOST:
                continue
            seen[key] = [0.0, 0.0, 0.0]
            if around:
                around[2] += 1
        around = seen[key]
        around[0] += 1
        around[1] += there


def heed(seen: Seen, turned: set[int], page: Page, links: Iterable[Link]) -> None:
    """Note what a page tells: what was asked for led to it, and links to what was fetched and never seen are redirects.

    Those led to pages that were known already. The offer's note ends in the URL that was asked for.
    """
    asked = str(page.offer.note[-1]) if len(page.offer.note) == NOTES else page.offer.link.url
    note(seen, asked, (page.document is not None) / (1 + page.offer.hops))
    for url in {link.url: 0 for link in links if page.known(link.url) == ()}:
        if (key := digest(url)) not in turned and len(turned) < MOST:
            turned.add(key)
            note(seen, url, 0.0)


def alive(seen: Seen, url: str) -> float:
    """The chance that there is a page; each level counts as one more link of the level within it."""
    chance = 1.0
    for key in _around(url):
        if row := seen.get(key):
            chance = (row[1] + chance) / (row[0] + 1)
    return chance


def lane(chance: float, pair: Lane) -> Lane:
    """Where a link belongs that leads to a page with that chance: with its pair, or with others that are in doubt."""
    return pair if chance >= LIKELY else (str(GONE), HALF if chance >= UNLIKELY else RARE)


def doubt(lane: Lane) -> float:
    """How much a lane is worth less for being one of links that are in doubt."""
    return DOUBTFUL.get(lane[1], 1.0) if lane[0] == str(GONE) else 1.0


def share(seen: Seen, url: str) -> float | None:
    """The share noted of what is in the same folder; None if nothing was."""
    links, there, _ = seen.get(folder(url), NOTHING)
    return there / links if links else None


def trust(seen: Seen, url: str) -> float:
    """How much is known of the folder or program, or of others in the folder around it: half for nothing, 1 for a lot."""
    *_, outer, inner = dict.fromkeys(_around(url))
    known = seen.get(inner, NOTHING)[0] + seen.get(outer, NOTHING)[2]
    return (known + 1) / (known + 2)


def folder(url: str) -> str:
    """The narrowest of what a URL is in."""
    return _around(url)[-1]


@lru_cache(maxsize=1 << 14)  # a link is judged each time a page has it, and each time the sample is looked at
def _around(url: str) -> tuple[str, ...]:
    """What a URL is in, from the widest to the narrowest.

    The web, a host, files of a kind there, in a folder, in one within, in that one alone or made by one program.
    """
    address, _, query = url.partition("?")
    *folders, name = address.split("/")
    kind = name.rpartition(".")[2][:5].lower() if "." in name else ""
    end = f" {kind}{'?' if query else ''}"
    within = ["/".join(folders[:depth]) + end for depth in range(3, min(len(folders), 3 + DEEPEST) + 1)]
    alone = "/".join([*folders[: 3 + DEEPEST], NUMBER.sub("0", name) if query else ""]) + end
    return "", "/".join(folders[:3]), *within, alone
