"""Profile plus: profile with a gate that learns what ranks are worth, profiles asked for when they matter, and confirmed tags."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ...html.leaves import Leaf
from ...nouns import DROP, PARK, Keep, Lane, Link, Offer, Page, PastCrawl, Reweigh, Say, Terms, Weight
from ...picture import Section
from ..profile.lanes import LISTED, LISTS, USER, WHO, Places, Placing
from ..profile.link_cash import cash_offers
from ..profile.media_sample import SAMPLE
from ..profile.media_site import MediaSite
from ..profile.media_strategy import CRAWL, DISCOVER, FALLBACK, MediaStrategy, Sample, list_tag
from ..profile.page_types import DETAIL, LIST, OTHER, PROFILE
from ..profile.people_picture import profile_picture
from ..profile.tag_fields import Term
from ..profile.tags import start_tags
from ..profile.uploaders import Uploaders, cosine
from .gate import Bar, Gate, Rules
from .list_weights import ListWeights
from .stage_one import further_tags, item, shown


class ProfilePlus(MediaStrategy):
    """rank(u) = α·inner(u) + β·inter(u), inner = cos(terms of u, topic), inter = mean inner rank of u's contacts.

    Lists of the topic's tags are worth up to 1, details what their uploader is worth if that is above the threshold, and
    they wait while he is unknown; profiles what they promise, all else its OPIC score (Zhang and Nasraoui 2009).
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
        self.spread, self.listed, self.rest = spread, listed, rest
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
            return self.sample_weight(lane[1]) if self.stage_ == SAMPLE else DROP
        if lane[0] in (LISTS, LISTED):
            return self._listing(*lane)
        return self._gate().lane(lane) if self.stage_ == CRAWL else PARK

    def _listing(self, kind: str, tag: str) -> Weight:
        turn = self.round_ if self.stage_ == DISCOVER else 0
        weights = ListWeights(self.topic_, start_tags(self.tag), turn, self.discover, self.listed)
        return weights.lists(tag, self._gate().other()) if kind == LISTS else weights.details(tag)

    def _gate(self) -> Gate:
        return Gate(self.rules, self.bar_, self.uploaders_, self.prices_, self.recent_)

    def _set(self, bar: Bar) -> Iterator[Say]:
        if bar != self.bar_:
            self.bar_ = bar
            yield Reweigh()

    def understood(self, sample: Sample, site: MediaSite) -> Iterator[Say]:
        for seen, tag in sample:
            kind = site.classify(seen.leaves)
            self._take_in(seen.url, seen.leaves, kind, site, "")
            for url, places in self._placing(site).places(seen.url, seen.leaves, kind, tag).items():
                yield from (Offer(Link(url, seen.url), 0.0, lane, note) for lane, note in places)

    # stage one: the tags of the topic

    def next_round(self) -> Iterator[Say]:
        """From the tags found so far: open the lists of the best, or begin the crawl."""
        start, last = start_tags(self.tag), self.round_ >= self.rounds
        cotags = further_tags(self.items_, self.lists_, start, last and self.rounds > 1, self.spread)
        self.topic_ = dict.fromkeys(start, 1.0) | cotags
        self.round_ += 1
        if last or not cotags:
            self.lists_ = {}
            self.begin_crawl()
        yield Reweigh()

    # stage two: people and their pages

    def read(self, page: Page, found: list[Leaf]) -> Iterator[Say]:
        known = self.site_
        assert known is not None, "a stage after the sample"
        kind = known.classify(found) if found else OTHER
        if page.offer.note:
            known.teach(page.offer.note[0], kind)
        listed = page.offer.lane[1] if page.offer.lane[:1] == (LISTED,) else ""
        moved = self._take_in(page.url, found, kind, known, listed)
        if kind == PROFILE:
            terms, contacts = known.profile(found, page.url)
            yield Keep((PROFILE, page.url, [tuple(term) for term in terms], contacts))
        if page.offer.lane[:1] == (WHO,):
            moved += self.uploaders_.unknowable(page.offer.note[1])
        tag = list_tag(page)
        places = self._placing(known).places(page.url, found, kind, tag)
        if self.stage_ == DISCOVER and kind == LIST and tag in self.topic_ and tag not in start_tags(self.tag):
            self.lists_.setdefault(tag, []).extend(shown(tag, places))
        yield from self.paid(page, places)
        yield from self._gate().moved(moved)
        if kind == DETAIL and page.offer.lane[0] == USER and self.stage_ == CRAWL:
            names = {term.name for term in known.terms(found, DETAIL)}
            good = not names.isdisjoint(start_tags(self.tag))
            yield from self._set(self._gate().judged(int(page.offer.lane[1]), good))

    def _take_in(self, url: str, found: Sequence[Leaf], kind: str, known: MediaSite, listed: str) -> list[int]:
        """What a detail or a profile says; the uploaders whose rank it may have moved."""
        if kind == DETAIL and self.stage_ == DISCOVER:
            self.items_.append(item(known, url, found, listed in start_tags(self.tag)))
        return self.profiled(url, *known.profile(found, url)) if kind == PROFILE else []

    def rank(self, url: str, terms: Sequence[Term], contacts: Sequence[str]) -> list[int]:
        return self.uploaders_.learn(url, cosine(terms, self.topic_), contacts)

    def _placing(self, known: MediaSite) -> Placing:
        def matters(tag: str) -> bool:
            return bool(tag) and (tag in self.topic_ or self.stage_ == DISCOVER)

        return Placing(known, self.uploaders_, matters, lambda tag: self.topic_.get(tag, 0.0))

    def paid(self, page: Page, places: Places) -> Iterator[Say]:
        yield from cash_offers(page, places)
        if self.stage_ == CRAWL:
            users = {int(lane[1]) for found in places.values() for lane, _ in found if lane[0] == USER}
            yield from self._gate().asked(users)
