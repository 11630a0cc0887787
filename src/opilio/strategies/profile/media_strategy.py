"""The sample that every crawl of a media-sharing site begins with: what its page types are, and where links and tags stand."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

from ...html.leaves import Leaf, leaves
from ...nouns import Link, Offer, Page, Reweigh, Say, Strategy, Weight
from . import site_file
from .lanes import LISTS, NOTES, TIE, Places
from .media_sample import SAMPLE, TAG, drawn, opened, press, site_of
from .media_site import MediaSite
from .page_types import PROFILE
from .roles import Seen
from .tag_fields import Term
from .tags import start_tags

DISCOVER, CRAWL, FALLBACK = "discover", "crawl", "fallback"  # stages after the sample
KEEN = 4  # times as many pages of the sample come from there as from any other position
AT_ONCE = 5  # pages of the sample from one position before the next has its turn
LOOKS = 2  # how often the sample is doubled when it was not enough

Held = tuple[str, list[Any], list[str]]  # a profile: its URL, terms and contacts
Sample = Sequence[tuple[Seen, str]]  # pages, and the tags of the links that led to them


class MediaStrategy(Strategy):
    """Seeds share the cash. A sample that shows too little is doubled twice; then the strategy says why, and falls back."""

    notes = NOTES
    instead = "OPIC"  # what it falls back to

    def __init__(self, tag: str, sample: int, discover: int, rounds: int) -> None:
        self.tag, self.sample, self.discover, self.rounds = tag, sample, discover, rounds
        self.stage_ = SAMPLE
        self.why_ = ""  # it fell back
        self.sample_: list[bytes] = []
        self.looks_ = 0
        self.drawn_: dict[str, int] = {}  # pages of the sample by position
        self.site_: MediaSite | None = None
        self.topic_: dict[str, float] = dict.fromkeys(start_tags(tag), 1.0)  # the weight of each tag of the topic
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

    def why(self) -> str:
        return self.why_

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
        else:
            yield from self.read(page, leaves(page))
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
    def read(self, page: Page, found: list[Leaf]) -> Iterator[Say]:
        """Learn from a page of a site that is known, and offer its links."""

    @abstractmethod
    def next_round(self) -> Iterator[Say]:
        """Enough details were read: find the tags of the topic, or more of them."""

    @abstractmethod
    def paid(self, page: Page, places: Places) -> Iterator[Say]:
        """Offers of the links of a page, in the lanes that they have."""

    @abstractmethod
    def understood(self, sample: Sample, site: MediaSite) -> Iterator[Say]:
        """The site is known: what the sample says of it, and what its links are."""

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

    def sample_weight(self, place: str) -> Weight:
        turns = self.drawn_.get(place, 0)
        return Weight(-turns / KEEN if place == TAG else -turns, TIE, AT_ONCE)

    def sampled(self, page: Page, found: list[Leaf]) -> Iterator[Say]:
        place = page.offer.lane[1] if len(page.offer.lane) > 1 else ""
        self.drawn_[place] = self.drawn_.get(place, 0) + 1
        if found:
            self.sample_.append(press(page.url, list_tag(page), found))
        yield from self.paid(page, drawn(page.url, found, list_tag(page), self.topic_, self.drawn_))
        yield Reweigh((SAMPLE, place))
        if len(self.sample_) >= self.sample << self.looks_:
            yield from self.learned()

    def learned(self) -> Iterator[Say]:
        """Find the types of pages and where tags stand."""
        sample = [opened(pressed) for pressed in self.sample_]
        found = site_of([seen for seen, _ in sample])
        if isinstance(found, str) and self.looks_ < LOOKS and len(sample) >= self.sample << self.looks_:
            self.looks_ += 1
            return
        self.sample_, self.drawn_ = [], {}
        if isinstance(found, str):
            self.stage_ = FALLBACK
            self.why_ = f"profile does not work on this site: {found}; it goes by {self.instead} instead"
        else:
            self.stage_, self.site_ = DISCOVER, found
            yield from self.understood(sample, found)
            self.early_ = list(self.held_)
        yield Reweigh()


def list_tag(page: Page) -> str:
    """The tag of the list that the page is, if it is one."""
    return page.offer.note[2] if len(page.offer.note) > 2 else ""
