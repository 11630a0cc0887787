"""One site of the synthetic web: its pages are numbers, and everything about a page is worked out from its number."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from array import array
from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from .mix import Roll, chance, mix, pick
from .prose import Prose, Voice
from .subjects import NONE, TOPICS, siblings
from .tongues import TONGUES

_ALIAS, _WAY, _SESSION = range(100, 103)  # what a key is mixed for
ALIASES = 0.03  # share of pages that have an older address, which redirects
# By genre, which share of the links on pages about baseball led to others about it: Qian, Suebchua, Yamana 2017, table 3.
LED = {"blog": 0.764, "image": 0.367, "news": 0.527, "video": 0.695, "other": 0.236}
GONE = "/gone/"  # where dead links lead, on whatever host
_NUMBER = re.compile(r"\d{1,9}")
_SESSIONS = re.compile(r";jsessionid=[0-9A-F]*|[?&]PHPSESSID=[0-9a-f]*")
_STYLE = "body{margin:0;font:15px/1.5 serif}.side{float:right;width:20em}.ads a{color:#a40}img{max-width:100%}"


@dataclass(frozen=True, slots=True)
class Place:
    """A page: a site and a number on it."""

    site: Site
    page: int

    @property
    def url(self) -> str:
        return f"http://{self.site.host}{self.site.path(self.page)}"


@dataclass(slots=True)
class Atlas:
    """What a page must know of the rest of the web to link to it."""

    seed: int
    prose: Prose
    locality: float
    anchors: float
    dead: float
    genres: float = 0.0
    sites: list[Site] = field(default_factory=list)
    adverts: list[Site] = field(default_factory=list)
    signposts: list[Site] = field(default_factory=list)  # sites that home pages may point to: directories, forums ...
    # Bridges to islands: (site, page) to targets.
    extra: dict[tuple[int, int], list[Place]] = field(default_factory=dict)
    # By topic; packed, since they are looked at all over.
    _steps: dict[int, Sequence[float]] = field(default_factory=dict)
    _open: dict[int, list[Site]] = field(default_factory=dict)

    def index(self) -> None:
        """Learn where the pages of each topic are, once all sites are there; islands stay out."""
        self._open = {topic: [] for topic in range(NONE, len(TOPICS))}
        for site in self.sites:
            for topic in site.topics if not site.island else ():
                self._open[topic].append(site)
        for topic, sites in self._open.items():
            self._steps[topic] = array("d", accumulate(site.share(topic) for site in sites))
        self._steps[len(TOPICS)] = list(accumulate((self._steps[t] or [0])[-1] for t in range(NONE, len(TOPICS))))

    def any_topic(self, dice: Roll) -> int:
        steps = self._steps[len(TOPICS)]
        return bisect(steps, dice() * steps[-1]) + NONE

    def somewhere(self, topic: int, dice: Roll) -> Place:
        """A page of that topic; popular ones more often."""
        steps = self._steps[topic]
        if not steps:
            return self.somewhere(self.any_topic(dice), dice)
        site = self._open[topic][bisect(steps, dice() * steps[-1])]
        return Place(site, site.pick(topic, dice))

    def onward(self, site: Site, topic: int, dice: Roll) -> Place:
        """Where a link on a page of that topic leads: to the same as often as locality says, else near or anywhere."""
        if topic == NONE:
            return self.somewhere(self.any_topic(dice), dice)
        if dice() < self.local(site):
            near = dice() < 0.3 and topic in site.topics
            return Place(site, site.pick(topic, dice)) if near else self.somewhere(topic, dice)
        return self.somewhere(pick(siblings(topic), dice) if dice() < 0.25 else self.any_topic(dice), dice)

    def local(self, site: Site) -> float:
        """The locality of links on a site, which may depend on its genre."""
        return self.locality + self.genres * (LED.get(site.genre, self.locality) - self.locality)


class Site(ABC):
    """A host with `size` pages, numbered from 0, the home page."""

    island = False  # reached over a bridge only
    session = ""  # "path" or "query": every link on the site carries a session id there
    charset = "utf-8"
    community = ""
    genre = ""
    robots = ""
    topics: tuple[int, ...] = ()  # that others may link to pages of

    def __init__(self, atlas: Atlas, number: int, host: str, size: int, topic: int = NONE, tongue: int = 0) -> None:
        self.atlas, self.number, self.host, self.size = atlas, number, host, size
        self.topic, self.tongue, self.speech = topic, tongue, TONGUES[tongue]
        self.key = mix(atlas.seed, number, 7)
        self.name = host.removeprefix("www.").split(".")[0].replace("-", " ").title()

    @abstractmethod
    def path(self, page: int) -> str:
        """The path and query of a page."""

    @abstractmethod
    def guesses(self, path: str, numbers: list[int]) -> Iterator[int]:
        """Pages that may have that path; `find` checks them."""

    @abstractmethod
    def title(self, page: int) -> str: ...

    @abstractmethod
    def html(self, page: int) -> str: ...

    @abstractmethod
    def labels(self, page: int) -> dict[str, str]: ...

    def share(self, topic: int) -> int:
        """How much of what links to one of its topics comes to this site."""
        return self.size

    def pick(self, topic: int, dice: Roll) -> int:
        """A page of one of its topics."""
        return 0

    def voice(self, topic: int) -> Voice:
        return self.atlas.prose.voice(topic, self.tongue)

    def find(self, path: str) -> int | None:
        """The page at a path, whatever session id it carries."""
        plain = _SESSIONS.sub("", path) if self.session else path
        numbers = [int(digits) for digits in _NUMBER.findall(plain)]
        guesses = self.guesses(plain, numbers) if plain != "/" else iter((0,))
        return next((page for page in guesses if 0 <= page < self.size and self.path(page) == plain), None)

    def aliases(self, page: int) -> list[str]:
        """Older paths of a page, which redirect to it."""
        if page == 0:
            return ["/index.html"]
        return [f"/go/{page}"] if chance(self.key, page, _ALIAS) < ALIASES else []

    def redirect(self, path: str) -> int | None:
        """The page that an older path leads to."""
        numbers = [0, *(int(digits) for digits in _NUMBER.findall(path)[:1])]
        return next((page for page in numbers if page < self.size and path in self.aliases(page)), None)

    def href(self, source: int, place: Place) -> str:
        """A link from one of our pages, ready for an attribute: at times over an older path, with our session id."""
        site, page = place.site, place.page
        older = site.aliases(page) if page else []
        path = older[0] if older and mix(self.key, source, page, _WAY) & 1 else site.path(page)
        whole = _in_session(self, source, path) if site is self else f"http://{site.host}{path}"
        return whole.replace("&", "&amp;")

    def link(self, source: int, place: Place, text: str, css: str = "") -> str:
        """An anchor element."""
        return f'<a{css and f" class={chr(34)}{css}{chr(34)}"} href="{self.href(source, place)}">{text}</a>'

    def here(self, source: int, page: int, text: str, css: str = "") -> str:
        """An anchor to another page of this site."""
        return self.link(source, Place(self, page), text, css)

    def onward(self, source: int, topic: int, dice: Roll) -> str:
        """A link out of the text, with words before it that fit where it leads (most of the time); some are dead."""
        place = self.atlas.onward(self, topic, dice)
        named = dice() < self.atlas.anchors
        text = place.site.title(place.page) if named else self.speech.menu[5 + (dice() < 0.5)]
        if dice() < self.atlas.dead:
            return f'<a href="http://{place.site.host}{GONE}{int(dice() * 1e6)}.html">{text}</a> '
        before = pick(self.voice(place.site.topic_of(place.page)).openers, dice) if named else ""
        return f"{before}{self.link(source, place, text)}{self.speech.glue}"

    def topic_of(self, page: int) -> int:
        return NONE

    def adverts(self, source: int, dice: Roll) -> list[str]:
        """The same few shops, from everywhere."""
        shops = self.atlas.adverts
        chosen = {int(dice() * len(shops)) for _ in range(2)} if shops else set()
        return [self.link(source, Place(shops[i], 0), shops[i].name, "ad") for i in sorted(chosen)]

    def document(self, page: int, body: str) -> str:
        """The whole HTML file around a body."""
        return (
            f'<!DOCTYPE html>\n<html lang="{self.speech.code}">\n<head><meta charset="{self.charset}">'
            f"<title>{self.title(page)} - {self.name}</title><style>{_STYLE}</style></head>\n"
            f'<body class="t{self.key % 5}">\n{body}\n</body>\n</html>\n'
        )


def _in_session(site: Site, source: int, path: str) -> str:
    """A path with the session id that links on a page of a site carry."""
    if not site.session:
        return path
    ticket = f"{mix(site.key, source, _SESSION):016x}"
    if site.session == "query":
        return f"{path}{'&' if '?' in path else '?'}PHPSESSID={ticket}"
    before, mark, query = path.partition("?")
    return f"{before};jsessionid={ticket.upper()}{mark}{query}"
