"""What is relevant."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple, Self

from .offer import TopicNews
from .page import Page


class Topic(ABC):
    """Text in, probability of being relevant out."""

    @property
    def why(self) -> str:
        """What it judges by and the reason, in words for people; "" when there is nothing to say."""
        return ""

    @classmethod
    def learn(cls, material: Material, *args: Any, **settings: Any) -> Self:
        """A topic learned from what a user says of it. Models that users name have this; other arguments are their settings."""
        raise NotImplementedError(f"{cls.__name__} does not learn from material")

    def decisive(self, most: int = 20) -> list[tuple[str, float]]:
        """The words that it goes by and how much each speaks for the topic (below 0: against it); none where it is not words."""
        return []

    @abstractmethod
    def text(self, text: str) -> float:
        """The relevance of any piece of text, in [0, 1]."""

    def page(self, page: Page) -> float:
        """The relevance R of a page, in [0, 1]."""
        return self.text(f"{page.title}\n{page.text}")

    def links(self, page: Page) -> Sequence[float]:
        """The relevance that each of `page.links` promises by its context, in their order."""
        return [self.text(link.context) for link in page.links]

    def observe(self, page: Page, relevance: float) -> None:  # noqa: B027 most topics do not learn while they judge
        """A page was fetched and judged so: a chance to learn from it. What is learned ends in `_`."""

    def labelled(self, page: Page, relevant: bool) -> None:  # noqa: B027
        """A person has judged a page; that counts more than anything the topic thought of it."""

    def news(self) -> Sequence[TopicNews]:
        """What the topics of other shards must hear, since it was last asked."""
        return ()

    def hear(self, news: TopicNews) -> None:  # noqa: B027
        """What the topic of another shard has to say."""


class Material(NamedTuple):
    """What a user can say about a topic; any part may be missing. Every model in topics/ learns from it."""

    words: str = ""  # a few words, or a whole text
    positives: tuple[Page, ...] = ()
    negatives: tuple[Page, ...] = ()
    around: tuple[Page, ...] = ()  # pages that nobody judged, of the sites available: what the topic is told apart from
