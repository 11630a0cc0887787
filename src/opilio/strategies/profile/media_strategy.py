"""The stages of a crawl of a media-sharing site: the sample, the tags of the topic, the people and their pages."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from ...html.leaves import Leaf, leaves
from ...nouns import Keep, Link, Offer, Page, Say
from . import site_file
from .lanes import LISTS, NOTES, Places
from .media_sample import SAMPLE
from .media_site import MediaSite
from .page_types import OTHER, PROFILE
from .sampled_site import DISCOVER, FALLBACK, Sample, SampledSite
from .tag_fields import Term

CRAWL = "crawl"  # the stage after that which discovers the tags of the topic

Held = tuple[str, list[Any], list[str]]  # a profile: its URL, terms and contacts


class MediaStrategy(SampledSite):
    """Seeds share the cash. After the sample, details tell the tags of the topic, in rounds; then people lead to pages."""

    notes = NOTES

    def __init__(self, tag: str, sample: int, discover: int, rounds: int) -> None:
        super().__init__(tag, sample)
        self.discover, self.rounds = discover, rounds
        self.held_: list[Held] = []  # profiles that came before the topic was known
        self.early_: list[Held] = []  # those of the sample: fetched before they could be kept
        self.round_ = 1
        self.items_: list[Any] = []  # details and their tags, until the topic is known

    def know_site(self, text: str, name: str) -> None:
        self.site_, self.held_ = site_file.read(text, name)

    def site_text(self, notes: Iterable[tuple[Any, ...]], before: tuple[str, str] | None) -> str:
        """The site with all profiles that were fetched or known before."""
        if not self.site_:
            return ""
        known = site_file.read(*before)[1] if before else []
        stored = (note[1:4] for note in notes if note and note[0] == PROFILE)
        profiles = [site_file.Known(*profile) for profile in chain(known, self.early_, stored)]
        return site_file.described(self.site_, {profile.url: profile for profile in profiles}.values())

    def start(self, seeds: Iterable[Link], pages: Iterable[Page]) -> Iterable[Say]:
        """Where the site is known already, there is no sample."""
        links = {link.url: link for link in seeds}
        self.stage_ = DISCOVER if self.site_ else SAMPLE
        lane = (LISTS, "") if self.site_ else (SAMPLE, "")
        return [Offer(link, 1 / len(links), lane) for link in links.values()]

    def observe(self, page: Page) -> Iterable[Say]:
        if self.stage_ == FALLBACK:
            yield from self.fallen_back(page)
        elif self.stage_ == SAMPLE:
            yield from self.sampled(page, leaves(page))
        elif self.site_:
            found = leaves(page)
            yield from self.read(page, found, self.site_.classify(found) if found else OTHER, self.site_)
        if self.stage_ == DISCOVER and len(self.items_) >= self.discover * self.round_:
            yield from self.next_round()

    def dry(self) -> Iterable[Say]:
        """Nothing is open but what waits: end the stage."""
        if self.stage_ == SAMPLE:
            yield from self.learned()
        elif self.stage_ == DISCOVER:
            yield from self.next_round()

    def fallen_back(self, page: Page) -> Iterator[Say]:
        """The site is not one for profiles."""
        return self.paid(page, {})

    @abstractmethod
    def read(self, page: Page, found: list[Leaf], kind: str, site: MediaSite) -> Iterator[Say]:
        """Learn from a page of a site that is known, and offer its links."""

    @abstractmethod
    def next_round(self) -> Iterator[Say]:
        """Enough details were read: find the tags of the topic, or more of them."""

    @abstractmethod
    def places(self, site: MediaSite, url: str, found: Sequence[Leaf], kind: str, tag: str) -> Places:
        """The lanes of the links of a page of that kind; `tag` is that of the list which the page is."""

    @abstractmethod
    def take_in(self, site: MediaSite, url: str, user: str, found: Sequence[Leaf], kind: str, listed: str) -> list[int]:
        """Learn from a detail, found on the list of a tag or not, or from a profile; whose rank it may have moved."""

    @abstractmethod
    def rank(self, url: str, terms: Sequence[Term], contacts: Sequence[str]) -> list[int]:
        """Rank the user of a profile by its terms and contacts; whose rank may have moved."""

    def profiled(self, url: str, terms: Sequence[Term], contacts: list[str]) -> list[int]:
        """Rank the user of a profile; it is held until the topic is known."""
        if self.stage_ == CRAWL:
            return self.rank(url, terms, contacts)
        self.held_.append((url, [tuple(term) for term in terms], contacts))
        return []

    def begin_crawl(self) -> None:
        """The topic is known: rank whoever was held."""
        self.stage_, self.items_ = CRAWL, []
        for url, terms, contacts in self.held_:
            self.rank(url, [Term(*term) for term in terms], contacts)
        self.held_ = []

    def turn(self) -> float:
        """The value of a link; without an order among them, lanes decide."""
        return 0.0

    def understood(self, sample: Sample, site: MediaSite) -> Iterator[Say]:
        """The site is known: learn from the pages of the sample, and offer their links."""
        for seen, tag in sample:
            kind = site.classify(seen.leaves)
            self.take_in(site, seen.url, seen.url, seen.leaves, kind, "")
            for url, found in self.places(site, seen.url, seen.leaves, kind, tag).items():
                turn = self.turn()
                yield from (Offer(Link(url, seen.url), turn, lane, note) for lane, note in found)
        self.early_ = list(self.held_)


def kept(url: str, terms: Sequence[Term], contacts: Sequence[str]) -> Keep:
    """A profile as it is stored with its page."""
    return Keep((PROFILE, url, [tuple(term) for term in terms], contacts))
