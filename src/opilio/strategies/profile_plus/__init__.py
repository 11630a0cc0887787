"""Profile plus: profile with a gate that learns what ranks are worth, profiles asked for when they matter, and confirmed tags."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ...html.leaves import Leaf, leaves
from ...learning.flow import handed_on
from ...nouns import DROP, PARK, Keep, Lane, Link, Offer, Page, PastCrawl, Reweigh, Say, Terms, Weight
from ...picture import Section
from ...urls import digest, site
from ..profile.lanes import ELSE, LISTED, LISTS, OUTSIDE, TIE, USER, WHO, Places, Placing
from ..profile.media_sample import SAMPLE
from ..profile.media_site import MediaSite
from ..profile.media_strategy import CRAWL, DISCOVER, FALLBACK, MediaStrategy, Sample, list_tag
from ..profile.page_types import DETAIL, LIST, OTHER, PROFILE
from ..profile.people_picture import profile_picture
from ..profile.tag_fields import Term
from ..profile.tags import TOP, Listed, confirmed, distinct, most_voted, start_tags, weights
from ..profile.uploaders import Uploaders, cosine
from .gate import Bar, Gate, Rules

NEXT = 0.99  # of what a detail on a list is worth, the next list is


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
        self,
        tag: str,
        alpha: float = 0.7,
        beta: float = 0.3,
        threshold: float = 0.01,
        least: float = 0.05,
        sample: int = 40,
        discover: int = 200,
        rounds: int = 2,
        spread: float = 0.5,
        enough: int = 2,
        wait: bool = True,
        listed: bool = True,
        rest: bool = False,
    ) -> None:
        super().__init__(tag, sample)
        self.alpha, self.beta, self.threshold, self.least = alpha, beta, threshold, least
        self.discover, self.rounds, self.spread = discover, rounds, spread
        self.enough, self.wait, self.listed, self.rest = enough, wait, listed, rest
        self.round_ = 1
        self.items_: list[Listed] = []  # details, until the topic is known
        self.lists_: dict[str, list[int]] = {}  # what lists of tags that may be the topic's show
        self.uploaders_ = Uploaders()
        self.prices_: dict[int, float] = {}  # of users' lanes, when they were last weighed
        self.recent_: list[bool] = []  # of the last details of ranked users: has it a start tag
        self.bar_ = Bar()

    def observe(self, page: Page) -> Iterable[Say]:
        if self.stage_ == FALLBACK:
            yield from self.paid(page, {})
        elif self.stage_ == SAMPLE:
            yield from self.sampled(page, leaves(page))
        else:
            yield from self._read(page, leaves(page))
        if self.stage_ == DISCOVER and len(self.items_) >= self.discover * self.round_:
            yield from self._next_round()

    def dry(self) -> Iterable[Say]:
        """Nothing is open but what waits: end the stage; at last, if asked to, take the rest as well."""
        if self.stage_ == SAMPLE:
            yield from self.learned()
        elif self.stage_ == DISCOVER:
            yield from self._next_round()
        elif self.stage_ == CRAWL and self.rest:
            yield from self._set(self.bar_._replace(open=True))

    def picture(self, crawl: PastCrawl) -> Iterable[Section]:
        return profile_picture(self.uploaders_, self.topic_)

    def weigh(self, lane: Lane) -> Weight:
        if self.stage_ == FALLBACK:
            return Weight()
        if lane[0] == SAMPLE:
            return self.sample_weight(lane[1]) if self.stage_ == SAMPLE else DROP
        if lane[0] == LISTS:
            return self._list_weight(lane[1])
        if lane[0] == LISTED:
            return self._listed_weight(lane[1])
        return self._crawl_weight(lane) if self.stage_ == CRAWL else PARK

    # what lanes are worth

    def _list_weight(self, tag: str) -> Weight:
        """Lists may have no end: stage one reads some of each tag, later the next one waits for what the last ones show."""
        weight = self.topic_.get(tag, 0.0) if tag else 1.0
        if self.stage_ == DISCOVER:
            return Weight(1 + weight, TIE, self._few()) if weight else PARK
        return Weight(NEXT * weight, TIE) if weight else self._gate().other()

    def _few(self) -> int:
        return -(-self.discover // TOP)

    def _listed_weight(self, tag: str) -> Weight:
        """Details on lists of the topic: stage one reads them; later, those on lists of the start tags need no gate."""
        starts = tag in start_tags(self.tag)
        if self.stage_ == DISCOVER:
            wanted = starts if self.round_ == 1 else tag in self.topic_ and not starts
            return Weight(0.5, TIE, self.discover if starts else self._few()) if wanted else PARK
        return Weight(1.0, TIE) if self.listed and starts else PARK

    def _crawl_weight(self, lane: Lane) -> Weight:
        if lane[0] == USER:
            return self._gate().user(int(lane[1]))
        if lane[0] == WHO:
            return self._gate().profile(int(lane[1]))
        if lane in (ELSE, OUTSIDE):
            return self._gate().other() if lane == ELSE else DROP
        return Weight(self.uploaders_.prospect(None), TIE)

    def _gate(self) -> Gate:
        rules = Rules(self.alpha, self.beta, self.threshold, self.least, self.enough, self.wait)
        return Gate(rules, self.bar_, self.uploaders_, self.prices_, self.recent_)

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

    def _next_round(self) -> Iterator[Say]:
        """From the tags found so far: open the lists of the best, or begin the crawl."""
        start, last = start_tags(self.tag), self.round_ >= self.rounds
        if last and self.rounds > 1:
            found = confirmed(self.items_, self.lists_, start)
        else:  # all items come from lists of the start tags: only votes tell
            found = most_voted(distinct(names for _, _, names in self.items_), start)
        cotags = weights(found, self.spread)
        self.topic_ = dict.fromkeys(start, 1.0) | cotags
        self.round_ += 1
        if last or not cotags:
            self.stage_, self.items_, self.lists_ = CRAWL, [], {}
            for url, terms, contacts in self.held_:
                self._rank(url, [Term(*term) for term in terms], contacts)
            self.held_ = []
        yield Reweigh()

    # stage two: people and their pages

    def _read(self, page: Page, found: list[Leaf]) -> Iterator[Say]:
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
            moved += self._unknowable(page.offer.note[1])
        places = self._placing(known).places(page.url, found, kind, list_tag(page))
        if self.stage_ == DISCOVER and kind == LIST:
            self._listed(list_tag(page), places)
        yield from self.paid(page, places)
        yield from self._gate().moved(moved)
        if kind == DETAIL and page.offer.lane[0] == USER and self.stage_ == CRAWL:
            names = {term.name for term in known.terms(found, DETAIL)}
            good = not names.isdisjoint(start_tags(self.tag))
            yield from self._set(self._gate().judged(int(page.offer.lane[1]), good))

    def _take_in(self, url: str, found: Sequence[Leaf], kind: str, known: MediaSite, listed: str) -> list[int]:
        """What a detail or a profile says; the uploaders whose rank it may have moved."""
        if kind == DETAIL and self.stage_ == DISCOVER:
            names = tuple(term.name for term in known.terms(found, DETAIL))
            self.items_.append(Listed(digest(url), listed in start_tags(self.tag), names))
        if kind != PROFILE:
            return []
        terms, contacts = known.profile(found, url)
        if self.stage_ == CRAWL:
            return self._rank(url, terms, contacts)
        self.held_.append((url, [tuple(term) for term in terms], contacts))
        return []

    def _listed(self, tag: str, places: Places) -> None:
        """What a list of a tag shows that may be one of the topic's."""
        if tag in self.topic_ and tag not in start_tags(self.tag):
            links = [digest(url) for url, found in places.items() if found[0][0] == (LISTED, tag)]
            self.lists_.setdefault(tag, []).extend(links)

    def _rank(self, url: str, terms: Sequence[Term], contacts: Sequence[str]) -> list[int]:
        return self.uploaders_.learn(url, cosine(terms, self.topic_), contacts)

    def _unknowable(self, user: str) -> list[int]:
        """A profile that is gone, moved or no profile: what was thought of its user has to do."""
        people = self.uploaders_
        return people.learn(user, people.prospect(people.number(user)), ())

    def _placing(self, known: MediaSite) -> Placing:
        def matters(tag: str) -> bool:
            return bool(tag) and (tag in self.topic_ or self.stage_ == DISCOVER)

        return Placing(known, self.uploaders_, matters, lambda tag: self.topic_.get(tag, 0.0))

    def paid(self, page: Page, places: Places) -> Iterator[Say]:
        """The page's cash goes to all of its links; further lanes of a link cost nothing."""
        links, home = {link.url: link for link in page.links}, site(page.url)
        for offer in handed_on(page, page.value, list(links.values()), [1.0] * len(links), None):
            url = offer.link.url
            elsewhere = ELSE if site(url) == home else OUTSIDE
            for turn, (lane, note) in enumerate(places.get(url) or [(elsewhere, (-1, "", ""))]):
                yield Offer(offer.link, offer.value if not turn else 0.0, lane, note)
        if self.stage_ == CRAWL:
            users = {int(lane[1]) for found in places.values() for lane, _ in found if lane[0] == USER}
            yield from self._gate().asked(users)
