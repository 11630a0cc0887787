"""Whether there is a page behind a link, judged by its URL: sites move, and leave whole folders of links that lead nowhere.

What is known of a folder leans on what is known of the folder around it, up to the host and to all links.
"""

from __future__ import annotations

from collections.abc import Iterator

MOST = 20_000  # folders remembered; those that turn up later are judged by what is around them
DEEPEST = 3  # folders within folders

Seen = dict[str, list[float]]  # folder and kind of file -> [links followed, pages that were there]


def note(seen: Seen, url: str, there: bool) -> None:
    """A link to that URL was followed, and there was a page or not."""
    for key in _around(url):
        if key in seen or len(seen) < MOST:
            row = seen.setdefault(key, [0.0, 0.0])
            row[0] += 1
            row[1] += there


def alive(seen: Seen, url: str) -> float:
    """The chance that there is a page; each level counts as one more link of the level within it."""
    chance = 1.0
    for key in _around(url):
        links, there = seen.get(key, (0.0, 0.0))
        chance = (there + chance) / (links + 1)
    return chance


def folder(url: str) -> str:
    """The narrowest of what a URL is in."""
    return list(_around(url))[-1]


def _around(url: str) -> Iterator[str]:
    """What a URL is in, from the widest to the narrowest: the web, a host, files of a kind there, in a folder, in one within."""
    address, _, query = url.partition("?")
    *folders, name = address.split("/")
    kind = name.rpartition(".")[2][:5].lower() if "." in name else ""
    end = f" {kind}{'?' if query else ''}"
    host = "/".join(folders[:3])
    yield ""
    yield host
    for depth in range(3, min(len(folders), 3 + DEEPEST) + 1):
        yield "/".join(folders[:depth]) + end
