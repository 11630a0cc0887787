"""Profile plus: profile with a gate that learns what ranks are worth, profiles asked for when they matter, and confirmed tags."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ...html.leaves import Leaf
from ...nouns import PARK, Lane, Page, PastCrawl, Reweigh, Say, Terms, Weight
from ...picture import Section
from ..profile.lanes import LISTED, LISTS, USER, WHO, Places, Placing, uploaders
from ..profile.link_cash import cash_offers
from ..profile.media_sample import SAMPLE
from ..profile.media_site import MediaSite
from ..profile.media_strategy import CRAWL, MediaStrategy, kept
from ..profile.page_types import DETAIL, LIST, PROFILE
from ..profile.people_picture import profile_picture
from ..profile.sampled_site import DISCOVER, FALLBACK, list_tag
from ..profile.tag_fields import Term
from ..profile.tags import start_tags
from ..profile.uploaders import Uploaders, cosine
from .gate import Bar, Gate, Rules
from .list_weights import ListWeights
from .stage_one import further_tags, item, shown


class ProfilePlus(MediaStrategy):
    """rank(u) = α·inner(u) + β·inter(u), inner = cos(terms of u, topic), inter = mean inner rank of u's contacts.

    Lists of the topic's tags are worth up to 1, details what their uploader is worth if that is above the threshold, and
    they wait while that is unknown; profiles what they promise, all else its OPIC score (Zhang and Nasraoui 2009).
    """

    terms = Terms(
        "value", scale="worth of its list or page type", shift="bonus of its stage", lane="stage and page type"
    )
    merge = "sum"

    def __init__(
        self, tag: str, alpha: float = 0.7, beta: float = 0.3, threshold: float = 0.01, least: float = 0.05, sample: int = 40,
        discover: int = 200, rounds: int = 2, spread: float = 0.5, enough: int = 2, wait: bool = True, listed: bool = True,
        rest: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(tag, sample, discover, rounds)
        self.rules = Rules(alpha, beta, threshold, least, enough, wait)
        self.spread, self.listed, self.rest, self.starts = spread, listed, rest, start_tags(tag)
        self.lists_: dict[str, list[int]] = {}  # what lists of tags that may be the topic's show
        self.uploaders_ = Uploaders()
        self.prices_: dict[int, float] = {}  # of users' lanes, when they were last weighed
        self.recent_: list[bool] = []  # of the last details of ranked users: has it a start tag
        self.bar_ = Bar()

    def dry(self) -> Iterable[Say]:
        """At last, if asked to, take the rest as well."""
        if self.stage_ != CRAWL:
            yield from super().dry()
        elif self.rest:
            yield from self._set(self.bar_._replace(open=True))

    def picture(self, crawl: PastCrawl) -> Iterable[Section]:
        return profile_picture(self.uploaders_, self.topic_)

    def weigh(self, lane: Lane) -> Weight:
        if self.stage_ == FALLBACK:
            return Weight()
        if lane[0] == SAMPLE:
            return self.sample_weight(lane[1])
        if lane[0] in (LISTS, LISTED):
            return self._listing(*lane)
        return self._gate().lane(lane) if self.stage_ == CRAWL else PARK

    def _listing(self, kind: str, tag: str) -> Weight:
        turn = self.round_ if self.stage_ == DISCOVER else 0
        weights = ListWeights(self.topic_, self.starts, turn, self.discover, self.listed)
        return weights.lists(tag, self._gate().other()) if kind == LISTS else weights.details(tag)

    def _gate(self) -> Gate:
        return Gate(self.rules, self.bar_, self.uploaders_, self.prices_, self.recent_)

    def _set(self, bar: Bar) -> Iterator[Say]:
        if bar != self.bar_:
            self.bar_ = bar
            yield Reweigh()

    def next_round(self) -> Iterator[Say]:
        """Stage one: from the tags found so far, open the lists of the best, or begin the crawl."""
        last = self.round_ >= self.rounds
        cotags = further_tags(self.items_, self.lists_, self.starts, last and self.rounds > 1, self.spread)
        self.topic_ = dict.fromkeys(self.starts, 1.0) | cotags
        self.round_ += 1
        if last or not cotags:
            self.lists_ = {}
            self.begin_crawl()
        yield Reweigh()

    def read(self, page: Page, found: list[Leaf], kind: str, site: MediaSite) -> Iterator[Say]:
        if page.offer.note:
            site.teach(page.offer.note[0], kind)
        listed = page.offer.lane[1] if page.offer.lane[:1] == (LISTED,) else ""
        moved = self.take_in(site, page.url, page.url, found, kind, listed)
        if kind == PROFILE:
            yield kept(page.url, *site.profile(found, page.url))
        if page.offer.lane[:1] == (WHO,):
            moved += self.uploaders_.unknowable(page.offer.note[1])
        tag = list_tag(page)
        places = self.places(site, page.url, found, kind, tag)
        if self.stage_ == DISCOVER and kind == LIST and tag in self.topic_ and tag not in self.starts:
            self.lists_.setdefault(tag, []).extend(shown(tag, places))
        yield from self.paid(page, places)
        yield from self._gate().moved(moved)
        if kind == DETAIL and page.offer.lane[0] == USER and self.stage_ == CRAWL:
            good = not site.names(found).isdisjoint(self.starts)
            yield from self._set(self._gate().judged(int(page.offer.lane[1]), good))

    def take_in(self, site: MediaSite, url: str, user: str, found: Sequence[Leaf], kind: str, listed: str) -> list[int]:
        if kind == DETAIL and self.stage_ == DISCOVER:
            self.items_.append(item(site, url, found, listed in self.starts))
        return self.profiled(url, *site.profile(found, url)) if kind == PROFILE else []

    def rank(self, url: str, terms: Sequence[Term], contacts: Sequence[str]) -> list[int]:
        return self.uploaders_.learn(url, cosine(terms, self.topic_), contacts)

    def places(self, site: MediaSite, url: str, found: Sequence[Leaf], kind: str, tag: str) -> Places:
        topic, all_tags = self.topic_, self.stage_ == DISCOVER
        placing = Placing(site, self.uploaders_, lambda name: bool(name) and (all_tags or name in topic), topic)
        return placing.places(url, found, kind, tag)

    def paid(self, page: Page, places: Places) -> Iterator[Say]:
        yield from cash_offers(page, places)
        if self.stage_ == CRAWL:
            yield from self._gate().asked(uploaders(places))
