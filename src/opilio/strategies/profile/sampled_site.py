"""The sample that every crawl of a media-sharing site begins with: what its page types are, and where links and tags stand."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence

from ...html.leaves import Leaf
from ...nouns import DROP, Page, Reweigh, Say, Strategy, Weight
from .lanes import TIE, Places
from .media_sample import SAMPLE, TAG, drawn, opened, press, site_of
from .media_site import MediaSite
from .roles import Seen
from .tags import start_tags

DISCOVER, FALLBACK = "discover", "fallback"  # stages that may follow the sample
KEEN = 4  # times as many pages of the sample come from there as from any other position
AT_ONCE = 5  # pages of the sample from one position before the next has its turn
LOOKS = 2  # how often the sample is doubled when it was not enough

Sample = Sequence[tuple[Seen, str]]  # pages, and the tags of the links that led to them


class SampledSite(Strategy):
    """A sample that shows too little is doubled twice; then the strategy says why, and falls back."""

    instead = "OPIC"  # what it falls back to

    def __init__(self, tag: str, sample: int) -> None:
        self.tag, self.sample = tag, sample
        self.stage_ = SAMPLE
        self.why_ = ""  # it fell back
        self.sample_: list[bytes] = []
        self.looks_ = 0
        self.drawn_: dict[str, int] = {}  # pages of the sample by position
        self.site_: MediaSite | None = None
        self.topic_: dict[str, float] = dict.fromkeys(start_tags(tag), 1.0)  # the weight of each tag of the topic

    @abstractmethod
    def paid(self, page: Page, places: Places) -> Iterator[Say]:
        """Offers of the links of a page, in the lanes that they have."""

    @abstractmethod
    def understood(self, sample: Sample, site: MediaSite) -> Iterator[Say]:
        """The site is known: learn from the pages of the sample, and offer their links."""

    def why(self) -> str:
        return self.why_

    def sample_weight(self, place: str) -> Weight:
        """What links at a position are worth: each has its turn, and none after the sample."""
        if self.stage_ != SAMPLE:
            return DROP
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
        yield Reweigh()


def list_tag(page: Page) -> str:
    """The tag of the list that the page is, if it is one."""
    return page.offer.note[2] if len(page.offer.note) > 2 else ""
