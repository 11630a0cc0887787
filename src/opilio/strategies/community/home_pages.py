"""What a round of home pages says about sites: who recommends whom, once dead, crowded and copied sites are out."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

from ...codec import saved
from ...nouns import Page
from ...urls import digest
from .site_graph import SiteGraph

Home: TypeAlias = tuple[float, int, frozenset[str]]  # relevance, -1 when dead; print of the text, 0 when none; friends
DEAD: Home = (-1.0, 0, frozenset())
LEAST_TEXT = 200  # characters; two short pages alike are no mirrors
LEAST_COMMON = 10  # home pages that must link to a site before it is one that too many link to
LISTED = 10_000  # sites outside that are counted


class Neighbourhood(NamedTuple):
    """The site graph, and what was left out of it."""

    graph: SiteGraph
    mirrors: dict[str, str]  # site -> the one that stands for it
    crowded: frozenset[str]
    dead: frozenset[str]

    def standing_for(self, sites: Iterable[str]) -> set[str]:
        """The sites of the graph that are these, or that these are copies of."""
        return {self.mirrors.get(name, name) for name in sites} & set(self.graph.names)

    def linked(self, sites: Iterable[str]) -> list[str]:
        """Those of these sites of the graph that have links."""
        return [name for name in sites if self.graph.neighbours(self.graph.number(name)).size]


@saved
class Survey:
    """What the home pages that answered, or did not, say about their sites."""

    def __init__(self, asked: set[int] | None = None, homes: dict[str, Home] | None = None) -> None:
        self.asked: set[int] = asked or set()  # keys of home pages
        self.homes: dict[str, Home] = homes or {}  # by site

    def learn(self, key: int, sites: Iterable[str], home: Home) -> bool:
        """A home page that stands for these sites; whether it is new."""
        if key in self.asked:
            return False
        self.asked.add(key)
        for name in sites:
            self.homes[name] = joined(self.homes.get(name, DEAD), home)
        return True

    def neighbourhood(self, most: int, mutual: bool = False, common: float = 1.0) -> Neighbourhood:
        return neighbourhood(self.homes, most, mutual, common)


def home_of(page: Page, relevance: Callable[[Page], float], friends: Collection[str], most: int) -> Home:
    """What a home page says; one that recommends more than `most` sites is left out anyway, so not all are kept."""
    return DEAD if page.error else (relevance(page), text_print(page), frozenset(sorted(friends)[: most + 1]))


def counted(outside: Counter[str], name: str, most: int = LISTED) -> None:
    """Count a link to a site outside; of many sites those that are linked to least are forgotten."""
    outside[name] += 1
    if len(outside) > 2 * most:
        for forgotten, _ in sorted(outside.items(), key=lambda item: (-item[1], item[0]))[most:]:
            del outside[forgotten]


def text_print(page: Page) -> int:
    """A number that pages with the same text share; 0 for pages with hardly any."""
    return digest(page.text) if len(page.text) >= LEAST_TEXT else 0


def joined(one: Home, other: Home) -> Home:
    """What two home pages of one site say together, in whatever order they came."""
    prints = [home[1] for home in (one, other) if home[1]]
    return max(one[0], other[0]), min(prints, default=0), one[2] | other[2]


def neighbourhood(homes: Mapping[str, Home], most: int, mutual: bool = False, common: float = 1.0) -> Neighbourhood:
    """The graph of the sites whose home pages were fetched; `common`: the share of them above which a site tells nothing."""
    alive = {site: home for site, home in homes.items() if home[0] >= 0}
    mirrors = _mirrors(alive)
    links: dict[str, set[str]] = defaultdict(set)
    for site, (_, _, friends) in alive.items():
        here = mirrors.get(site, site)
        links[here] |= {mirrors.get(friend, friend) for friend in friends} - {here}
    crowded = _crowded(links, most, common)
    names = {site for site in alive if site not in mirrors and site not in crowded}
    beyond = {name: links[name] - homes.keys() - crowded for name in names if name in links}
    unseen = len(set().union(*beyond.values()))
    graph = SiteGraph.of(_edges(links, names), names, mutual, {name: len(far) for name, far in beyond.items()}, unseen)
    return Neighbourhood(graph, mirrors, frozenset(crowded), frozenset(homes) - frozenset(alive))


def _edges(links: Mapping[str, Collection[str]], among: Collection[str]) -> Iterator[tuple[str, str]]:
    """Every link between two of the sites, in order."""
    for source in sorted(links):
        if source in among:
            yield from ((source, target) for target in sorted(links[source]) if target in among)


def _mirrors(alive: Mapping[str, Home]) -> dict[str, str]:
    """Of sites with the same text, the one that most others recommend stands for all."""
    carried = _carried({site: home[2] for site, home in alive.items()})
    alike: dict[int, list[str]] = defaultdict(list)
    for site, (_, text, _) in alive.items():
        if text:
            alike[text].append(site)
    first = {text: min(sites, key=lambda site: (-carried.get(site, 0), site)) for text, sites in alike.items()}
    return {site: first[text] for text, sites in alike.items() for site in sites if site != first[text]}


def _crowded(links: Mapping[str, Collection[str]], most: int, common: float) -> set[str]:
    """Sites with more than `most` links out or in, and those that too large a share of all sites links to."""
    usual = min(most, max(LEAST_COMMON, common * len(links)))
    out = {site for site, targets in links.items() if len(targets) > most}
    return out | {site for site, count in _carried(links).items() if count > usual}


def _carried(links: Mapping[str, Collection[str]]) -> dict[str, int]:
    """How many sites link to each."""
    counts: dict[str, int] = defaultdict(int)
    for targets in links.values():
        for target in targets:
            counts[target] += 1
    return dict(counts)
