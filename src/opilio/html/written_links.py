"""URLs that are written out in plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from .. import urls
from ..nouns import Link
from .size_limits import MOST_LINKS

WRITTEN = re.compile(r"https?://[^\s<>\"\'`|\\^{}\[\]]{3,2000}", re.IGNORECASE)
AROUND = 80  # letters before and after that say what it is about
END = ".,;:!?)*_"  # what ends a sentence, not a URL


def written_links(text: str, source: str) -> tuple[Link, ...]:
    """One link for each URL, where it first stands."""
    found: dict[str, Link] = {}
    for link in islice(_links(text, source), MOST_LINKS):
        found.setdefault(link.url, link)
    return tuple(found.values())


def _links(text: str, source: str) -> Iterator[Link]:
    for match in WRITTEN.finditer(text):
        address = match[0] if "(" in match[0] else match[0].rstrip(END)
        if url := urls.canonical(address):
            before, after = (
                text[max(0, match.start() - AROUND) : match.start()],
                text[match.end() : match.end() + AROUND],
            )
            line = before.rpartition("\n")[2] + after.partition("\n")[0]
            yield Link(url, source, "", " ".join([*line.split(), *urls.words(url)]), "text")
