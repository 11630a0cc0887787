"""Profile: on media-sharing sites, people lead to pages: rank uploaders by their profiles, then fetch what they uploaded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ...html.leaves import Leaf
from ...nouns import DROP, PARK, Lane, Link, Offer, Page, PastCrawl, Reweigh, Say, Terms, Weight
from ...picture import Section
from .lanes import LISTED, LISTS, MORE, USER, WHO, Places
from .media_sample import SAMPLE
from .media_site import MediaSite
from .media_strategy import CRAWL, MediaStrategy, kept
from .outlinks import outlinks
from .page_types import DETAIL, PROFILE, all_strings
from .people import People
from .people_picture import topic_picture
from .profile_terms import profile_of
from .sampled_site import DISCOVER, FALLBACK, Sample, list_tag
from .tag_fields import Term
from .tags import MOST_COTAGS, TOP, cotags, distinct


class Profile(MediaStrategy):
    """rank(u) = α·inner(u) + β·inter(u), inner = cos(terms of u, tags of the topic), inter = Σ inner(contact) / contacts.

    Stage one collects details from lists of the start tag and finds the tags of the topic (eq. 6), in two rounds. Stage two
    follows the outlinks of list pages, first in, first out: all profile links, and detail links when the rank of their
    uploader is above the threshold; they wait while it is unknown, else they are dropped (Zhang and Nasraoui 2009).
    """

    terms = Terms("minus the place in the queue", lane="page type and uploader")
    most_at_once = 1  # "page p = Dequeue Q" (algorithms 3 and 4)
    instead = "the order of its links"

    def __init__(
        self, tag: str, alpha: float = 0.7, beta: float = 0.3, threshold: float = 0.01, phi: float = 1.0,
        sample: int = 40, discover: int = 200, rounds: int = 2,
    ) -> None:  # fmt: skip
        super().__init__(tag, sample, discover, rounds)
        self.alpha, self.beta, self.threshold, self.phi = alpha, beta, threshold, phi
        self.queued_ = 0
        self.people_ = People()

    def fallen_back(self, page: Page) -> Iterator[Say]:
        return self.paid(page, {link.url: [((), (-1, "", ""))] for link in page.links})

    def picture(self, crawl: PastCrawl) -> Iterable[Section]:
        return topic_picture(self.people_, self.topic_)

    def weigh(self, lane: Lane) -> Weight:
        if self.stage_ == FALLBACK or not lane:
            return Weight()
        if lane[0] == SAMPLE:
            return self.sample_weight(lane[1])
        return self.discovering(lane) if self.stage_ == DISCOVER else self.crawling(lane)

    def discovering(self, lane: Lane) -> Weight:
        """Stage one (algorithm 3): lists of the topic and the details on them; nothing else is followed."""
        wanted = lane[0] in (LISTS, LISTED) and (lane[1] in self.topic_ or not lane[1])
        return Weight() if wanted else PARK

    def crawling(self, lane: Lane) -> Weight:
        """Stage two (algorithm 4): list pages, all profiles, and details by the rank of their uploader."""
        if lane[0] == USER:
            return self.gate(int(lane[1]))
        return Weight() if lane[0] in (LISTS, WHO, MORE) else DROP

    def gate(self, user: int) -> Weight:
        if not self.people_.is_known(user):
            return PARK
        return Weight() if self.people_.rank(user, self.alpha, self.beta) > self.threshold else DROP

    def turn(self) -> float:
        """First in, first out."""
        self.queued_ += 1
        return -float(self.queued_)

    def paid(self, page: Page, places: Places) -> Iterator[Say]:
        links = {link.url: link for link in page.links}
        for url, found in places.items():
            turn = self.turn()
            yield from (Offer(links.get(url, Link(url, page.url)), turn, lane, note) for lane, note in found)

    def understood(self, sample: Sample, site: MediaSite) -> Iterator[Say]:
        kinds = [site.classify(seen.leaves) for seen, _ in sample]
        self.site_ = site = site._replace(types=all_strings([seen.leaves for seen, _ in sample], kinds))
        return super().understood(sample, site)

    def places(self, site: MediaSite, url: str, found: Sequence[Leaf], kind: str, tag: str) -> Places:
        return outlinks(site, self.people_, url, found, kind, tag)

    def next_round(self) -> Iterator[Say]:
        """The top tags that stand beside those of the topic; the second round starts from those of the first."""
        found = cotags(distinct(self.items_), self.topic_, self.phi)
        top = found[: min(TOP, MOST_COTAGS - len(self.topic_))]
        self.topic_ |= dict.fromkeys([cotag.tag for cotag in top], 1.0)
        self.round_ += 1
        if self.round_ > self.rounds or not found:
            self.begin_crawl()
        yield Reweigh()

    def read(self, page: Page, found: list[Leaf], kind: str, site: MediaSite) -> Iterator[Say]:
        user = page.offer.note[1] if page.offer.lane[:1] == (MORE,) else page.url
        if kind == PROFILE:
            yield kept(user, *profile_of(site, found, page.url, user))
        for number in self.take_in(site, page.url, user, found, kind, ""):
            yield Reweigh((USER, str(number)))
        yield from self.paid(page, self.places(site, page.url, found, kind, list_tag(page)))

    def take_in(self, site: MediaSite, url: str, user: str, found: Sequence[Leaf], kind: str, listed: str) -> list[int]:
        if kind == DETAIL and self.stage_ != CRAWL:
            self.items_.append(tuple(term.name for term in site.terms(found, DETAIL)))
        if kind != PROFILE:
            return []
        return self.profiled(user, *profile_of(site, found, url, user))

    def rank(self, url: str, terms: Sequence[Term], contacts: Sequence[str]) -> list[int]:
        return self.people_.learn(url, terms, contacts, self.topic_)
