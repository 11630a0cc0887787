"""Genre: best-first that also goes by what links on pages of a genre usually lead to (Qian, Suebchua, Yamana 2017)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...errors import ConfigError
from ...nouns import Keep, Link, Offer, Page, PastCrawl, Say, Strategy, Terms, Topic
from ...picture import Section
from .model import Guess, guess, model
from .picture import prior_picture
from .prior import class_of, rates


class Genre(Strategy):
    """S = w_R·R + w_G·C·P[I,G], w_G = 1 - w_R.

    R is the relevance of the page that a link stands on, I whether that is RELEVANT, G its genre, C how sure that is, and P[I,G]
    the share of links on such pages that lead to relevant pages: by a sample taken before the crawl (`prior`, a file that
    `opilio genre prior` made), or else the mean of the paper's tables. Note: R, G, C, P.
    """

    terms = Terms("score by relevance and genre of the parent")
    most_at_once = 1  # the best URL is next
    topic_model = "multinomial"
    notes = (
        "relevance of the parent",
        "genre of the parent",
        "confidence",
        "links on such pages that lead to the topic",
    )

    def __init__(self, topic: Topic, relevance: float = 0.95, prior: str = "", model: str = "") -> None:
        if not 0 <= relevance <= 1:
            raise ConfigError(f"strategy genre: relevance={relevance} must be from 0 to 1")
        self.topic = topic
        self.relevance, self.prior, self.model = relevance, prior, model
        self.rates = rates(prior)  # P[I,G]

    def start(self, seeds: Iterable[Link], pages: Iterable[Page]) -> Iterable[Say]:
        return [Offer(link, 1.0) for link in seeds]

    def observe(self, page: Page) -> Iterator[Say]:
        if not page.document:
            return
        relevance, found = self.topic.page(page), guess([page], model(self.model))[0]
        led = self.rates[class_of(relevance)][found.genre]
        yield Keep((relevance, ("genre", found.genre)))
        score = self.score(relevance, found, led)
        yield from (Offer(link, score, (), (relevance, found.genre, found.confidence, led)) for link in page.links)

    def score(self, relevance: float, found: Guess, led: float) -> float:
        """S."""
        return self.relevance * relevance + (1 - self.relevance) * (found.confidence * led)

    def picture(self, crawl: PastCrawl) -> Iterable[Section]:
        return prior_picture(self.rates)
