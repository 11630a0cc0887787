"""Deals the pages of a web to its sites, and says who links to whom: tables as long as there are sites, not pages."""

from __future__ import annotations

from dataclasses import dataclass, fields
from heapq import heapify, heapreplace
from math import fsum, prod, sqrt

from ..errors import ConfigError
from .articles import ArticleSite, Mirror
from .forum import Forum
from .media import MediaSite
from .mix import Roll, mix, pick, roll, shuffled
from .names import Names
from .prose import Prose
from .site import Atlas, Place, Site
from .special import Calendar, Directory
from .subjects import AREAS, NAMES, NONE, PER_AREA, TOPICS
from .tongues import TONGUES

MOST = 100_000_000  # pages: every site is kept in memory
LEAST = 500  # pages: below it not every kind of site has room
SHOPS, SHOP_SHARE, DIRECTORY_SHARE = 4, 0.01, 0.015
GENERAL = 0.2  # share of ordinary sites without a topic
GENRES = ("blog",) * 6 + ("other",) * 5 + ("news",) * 4 + ("image",) * 3 + ("video",) * 2
COMMUNITY = 12  # sites at most; fewer than 3 make none
_DEAL, _BRIDGE = 11, 12  # what the seed is mixed for


@dataclass(frozen=True, slots=True)
class Settings:
    """Shares and probabilities, each in [0, 1]."""

    locality: float = 0.4  # a link of a page on a topic leads to the same topic
    anchors: float = 0.6  # a link's words tell where it leads
    foreign: float = 0.2  # ordinary sites that are not in English
    islands: float = 0.08  # sites with a topic that only off-topic pages link to
    dead: float = 0.13  # links in texts that lead nowhere
    forums: float = 0.12  # pages that belong to forums
    media: float = 0.1  # to media-sharing sites
    mirrors: float = 0.02  # to copies of other sites
    trap: float = 0.01  # to the endless calendar
    genres: float = 0.0  # how far locality is that of the genre on the real web (LED)

    def __post_init__(self) -> None:
        for name, value in ((field.name, getattr(self, field.name)) for field in fields(self)):
            if not 0 <= value <= 1:
                raise ConfigError(f"{name} of a synthetic web is a share from 0 to 1, not {value}")
        if self.forums + self.media + self.mirrors + self.trap > 0.6:
            raise ConfigError("forums, media, mirrors and trap of a synthetic web may take 0.6 of its pages, not more")


DEFAULT = Settings()


def build(pages: int, seed: int, settings: Settings) -> Atlas:
    """All sites of a web; their sizes add up to the number of pages."""
    if not LEAST <= pages <= MOST:
        raise ConfigError(
            f"a synthetic web has from {LEAST} to {MOST:,} pages, not {pages:,}; give a number between these"
        )
    return _Builder(pages, seed, settings).build()


class _Builder:
    def __init__(self, pages: int, seed: int, settings: Settings) -> None:
        self.pages, self.settings = pages, settings
        self.key = mix(seed, pages)
        self.dice: Roll = roll(self.key, _DEAL)
        self.names = Names(self.key, self.dice)
        self.atlas = Atlas(
            self.key, Prose(self.key), settings.locality, settings.anchors, settings.dead, settings.genres
        )

    def build(self) -> Atlas:
        special = [*self._directories(), *self._shops(), *self._forums(), *self._media(), *self._calendar()]
        copied = int(self.pages * self.settings.mirrors)
        ordinary = self._ordinary(self.pages - copied - sum(site.size for site in special))
        mirrors = self._mirrors(ordinary, copied)
        self.atlas.signposts = [site for site in special if site not in self.atlas.adverts] + list(mirrors)
        self._befriend(ordinary)
        self._enlist([*ordinary, *mirrors], special)
        self.atlas.index()
        for island in [site for site in ordinary if site.island]:
            self._bridge(island)
        return self.atlas

    def _add(self, site: Site) -> None:
        self.atlas.sites.append(site)

    @property
    def _number(self) -> int:
        return len(self.atlas.sites)

    def _directories(self) -> list[Directory]:
        depth = max(1, round(self.pages * DIRECTORY_SHARE / len(AREAS) / PER_AREA))
        for area, name in enumerate(AREAS):
            host = f"{name}.{self.names.word()}.example"
            self._add(Directory(self.atlas, self._number, host, 1 + PER_AREA * depth, area))
        return [site for site in self.atlas.sites if isinstance(site, Directory)]

    def _shops(self) -> list[ArticleSite]:
        size = max(5, int(self.pages * SHOP_SHARE / SHOPS))
        shops = []
        for _ in range(SHOPS):
            shops.append(ArticleSite(self.atlas, self._number, self.names.host("shop"), size, genre="shop"))
            self._add(shops[-1])
        shops[0].session = "query"
        for shop in shops:
            shop.robots = "User-agent: *\nDisallow: /cart/\n"
        self.atlas.adverts = list(shops)
        return shops

    def _forums(self) -> list[Forum]:
        budget = int(self.pages * self.settings.forums)
        count = 0 if not budget else max(1, min(3, budget // 60), budget // 1500)
        forums = []
        for style, size in enumerate(_power(budget, count, 20, 4)):
            topic = int(self.dice() * len(AREAS)) * PER_AREA
            forums.append(Forum(self.atlas, self._number, f"forum.{self.names.word()}.example", size, topic, style))
            self._add(forums[-1])
        return forums

    def _media(self) -> list[MediaSite]:
        budget = int(self.pages * self.settings.media)
        sites = []
        for style, size in enumerate(_power(budget, min(2, -(-budget // 80)), 20, 2)):
            sites.append(MediaSite(self.atlas, self._number, self.names.host(), size, style))
            self._add(sites[-1])
        return sites

    def _calendar(self) -> list[Calendar]:
        size = int(self.pages * self.settings.trap)
        if not size:
            return []
        self._add(Calendar(self.atlas, self._number, f"events.{self.names.word()}.test", max(4, size)))
        return [self.atlas.sites[-1]] if isinstance(self.atlas.sites[-1], Calendar) else []

    def _ordinary(self, budget: int) -> list[ArticleSite]:
        sizes = _power(budget, max(budget // 30, min(150, budget // 8)), 6, 3)
        topics = self._topics(sizes)
        sites, seen = [], {NONE}
        for size, topic in zip(sizes, topics, strict=True):
            site = self._one(size, topic)
            # The largest site of a topic is never an island: something must lead there.
            site.island = topic in seen and topic != NONE and size <= 80 and self.dice() < self.settings.islands
            seen.add(topic)
            sites.append(site)
            self._add(site)
        return sites

    def _one(self, size: int, topic: int) -> ArticleSite:
        genre = pick(GENRES, self.dice)
        tongue = 1 + int(self.dice() * (len(TONGUES) - 1)) if self.dice() < self.settings.foreign else 0
        platform = genre == "blog" and self.dice() < 0.25
        host = self.names.host(NAMES[topic] if topic != NONE else "", platform)
        site = ArticleSite(self.atlas, self._number, host, size, topic, tongue, genre)
        if tongue and self.dice() < 0.3:
            site.charset = pick(TONGUES[tongue].charsets, self.dice)
        return site

    def _topics(self, sizes: list[int]) -> list[int]:
        """Each site, the largest first, goes to the topic that lacks most; topics are wanted in different amounts."""
        wanted = {topic: 0.5 + self.dice() for topic in range(len(TOPICS))}
        wanted[NONE] = fsum(wanted.values()) * GENERAL / (1 - GENERAL)
        lack = [(-share, topic) for topic, share in wanted.items()]
        heapify(lack)
        scale = fsum(wanted.values()) / sum(sizes)
        found = []
        for size in sizes:
            short, topic = lack[0]
            found.append(topic)
            heapreplace(lack, (short + size * scale, topic))
        return found

    def _mirrors(self, ordinary: list[ArticleSite], budget: int) -> list[Mirror]:
        mirrors = []
        for original in shuffled(ordinary[2:], self.dice):
            if not original.island and original.size <= budget:
                budget -= original.size
                mirrors.append(Mirror(self.atlas, self._number, self.names.host(), original))
                self._add(mirrors[-1])
        if budget:  # too little for any site: one more with that many, or a larger second one
            self._spend(ordinary, budget)
        return mirrors

    def _spend(self, ordinary: list[ArticleSite], rest: int) -> None:
        old = ordinary[1]
        new = ArticleSite(self.atlas, old.number, old.host, old.size + rest, old.topic, old.tongue, old.genre)
        new.charset = old.charset
        ordinary[1] = self.atlas.sites[self.atlas.sites.index(old)] = new

    def _befriend(self, ordinary: list[ArticleSite]) -> None:
        """Communities: sites of one topic with a domain of their own link to each other from their home pages."""
        open_sites: list[list[ArticleSite]] = [[] for _ in TOPICS]
        for site in ordinary:
            if site.topic != NONE and not site.island and _own_domain(site):
                open_sites[site.topic].append(site)
        for topic, alike in enumerate(open_sites):
            for first in range(0, len(alike), COMMUNITY):
                self._community(alike[first : first + COMMUNITY], f"{NAMES[topic]}-{first // COMMUNITY + 1}")
        for site in ordinary:
            other = pick(ordinary, self.dice)
            site.friends += [other] if not other.island else []

    def _community(self, members: list[ArticleSite], name: str) -> None:
        if len(members) < 3:
            return
        for turn, site in enumerate(members):
            site.community = name
            ring = members[(turn + 1) % len(members)]
            site.friends = [other for other in members if other is not site and (other is ring or self.dice() < 0.6)]

    def _enlist(self, found: list[ArticleSite | Mirror], special: list[Site]) -> None:
        """Directories list every site but the islands; those without a topic stand under any."""
        directories = [site for site in special if isinstance(site, Directory)]
        for turn, site in enumerate(site for site in found if not site.island):
            topic = site.topic if site.topic != NONE else turn % len(TOPICS)
            directories[topic // PER_AREA].homes.setdefault(topic, []).append(site)
        for turn, other in enumerate(special):
            directories[turn % len(directories)].others.append(other)
        for turn, directory in enumerate(directories):
            directory.others.append(directories[(turn + 1) % len(directories)])

    def _bridge(self, island: ArticleSite) -> None:
        """One or two pages on other topics that lead from a page on the island's topic to the island."""
        dice = roll(island.key, _BRIDGE)
        chain = [self._article(island.topic, True, dice)]
        chain += [self._article(island.topic, False, dice) for _ in range(1 + (dice() < 0.5))]
        for source, target in zip(chain, [*chain[1:], Place(island, 0)], strict=True):
            self.atlas.extra.setdefault((source.site.number, source.page), []).append(target)

    def _article(self, topic: int, same: bool, dice: Roll) -> Place:
        while True:
            place = self.atlas.somewhere(topic if same else self.atlas.any_topic(dice), dice)
            on_topic = place.site.topic_of(place.page) == topic
            if isinstance(place.site, ArticleSite) and place.page >= place.site.first and on_topic == same:
                return place


def _own_domain(site: Site) -> bool:
    return site.host.removeprefix("www.").count(".") == 1


def _power(total: int, count: int, least: int, quarters: int) -> list[int]:
    """`count` sizes of at least `least` that fall with that many quarters of a power and add up to the total.

    Roots and products only, and fsum: `**` and `sum` may round differently on another machine or Python.
    """
    count = max(1, min(count, total // least)) if total else 0
    weights = [1 / prod([sqrt(sqrt(rank + 3))] * quarters) for rank in range(count)]
    spare = (total - count * least) / fsum(weights) if weights else 0.0
    sizes = [least + int(spare * weight) for weight in weights]
    if sizes:
        sizes[0] += total - sum(sizes)
    return sizes
