"""The synthetic web as one object: URLs in, answers out, nothing stored."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from ..errors import ConfigError, unknown
from .layout import DEFAULT, Settings, build
from .mix import mix, roll
from .site import Place
from .subjects import NAMES, TOPICS

COLUMNS = ("topic", "language", "genre", "page_type", "tags", "uploader", "community", "duplicate_of")
SEEDS = 10
_SEEDS = 13  # what the seed is mixed for


class Answer(NamedTuple):
    """What a server says to a request."""

    status: int
    headers: dict[str, str]
    body: bytes


class Web:
    """A web of this many pages: the same for the same numbers, on every machine."""

    topics: tuple[str, ...] = TOPICS

    def __init__(self, pages: int, seed: int = 0, settings: Settings = DEFAULT) -> None:
        self.pages, self.seed, self.settings = pages, seed, settings
        self.atlas = build(pages, seed, settings)
        self._hosts = {site.host: site for site in self.atlas.sites}
        self._ends = list(accumulate(site.size for site in self.atlas.sites))

    def place(self, number: int) -> Place:
        """The page with that number, from 0 to pages - 1."""
        turn = bisect(self._ends, number)
        site = self.atlas.sites[turn]
        return Place(site, number - self._ends[turn] + site.size)

    def urls(self) -> Iterator[str]:
        """Every page, in a fixed order; of the endless calendar only the months that count."""
        return (self.place(number).url for number in range(self.pages))

    def redirects(self, number: int) -> list[str]:
        """The older URLs of a page, which answer with 301 or 302."""
        place = self.place(number)
        return [f"http://{place.site.host}{path}" for path in place.site.aliases(place.page)]

    def find(self, url: str) -> Place | None:
        """The page at a URL."""
        site, path = self._split(url)
        page = self._hosts[site].find(path) if site in self._hosts else None
        return None if page is None else Place(self._hosts[site], page)

    def answer(self, url: str) -> Answer:
        """What a server would say: 200, 301 or 302, or 404 for what does not exist."""
        host, path = self._split(url)
        site = self._hosts.get(host)
        if site is None:
            return _missing()
        if path == "/robots.txt":
            return Answer(200, {"Content-Type": "text/plain"}, site.robots.encode()) if site.robots else _missing()
        page = site.find(path)
        if page is not None:
            body = site.html(page).encode(site.charset, "xmlcharrefreplace")
            return Answer(200, {"Content-Type": f"text/html; charset={site.charset}"}, body)
        target = site.redirect(path)
        return _missing() if target is None else _moved(301 + mix(site.key, target) % 2, Place(site, target).url)

    def labels(self, url: str) -> dict[str, str]:
        """The truth about a page, one value for each of COLUMNS; {} when there is no such page."""
        place = self.find(url)
        return {} if place is None else self.labels_of(place)

    def labels_of(self, place: Place) -> dict[str, str]:
        found = place.site.labels(place.page)
        return {column: found.get(column, "") for column in COLUMNS} | {"language": place.site.speech.code}

    def seeds(self, topic: str) -> list[str]:
        """Ten pages on a topic, given as "beekeeping" or "nature/beekeeping"."""
        name = topic.rpartition("/")[2]
        if name not in NAMES or topic not in (name, TOPICS[NAMES.index(name)]):
            raise ConfigError(unknown("topic", topic, NAMES))
        number = NAMES.index(name)
        dice = roll(self.atlas.seed, _SEEDS, number)
        places = (self.atlas.somewhere(number, dice) for _ in range(8 * SEEDS))
        found = dict.fromkeys(place.url for place in places if place.site.topic_of(place.page) == number)
        return list(found)[:SEEDS]

    @staticmethod
    def _split(url: str) -> tuple[str, str]:
        scheme, _, rest = url.partition("#")[0].partition("://")
        host, slash, path = rest.partition("/")
        return (host.lower() if scheme == "http" else "", f"/{path}" if slash else "/")


def _missing() -> Answer:
    return Answer(
        404, {"Content-Type": "text/html; charset=utf-8"}, b"<html><title>Not found</title><p>Not found.</p></html>\n"
    )


def _moved(status: int, url: str) -> Answer:
    link = url.replace("&", "&amp;")
    body = f'<html><title>Moved</title><p><a href="{link}">Moved</a>.</p></html>\n'.encode()
    return Answer(status, {"Content-Type": "text/html; charset=utf-8", "Location": url}, body)
