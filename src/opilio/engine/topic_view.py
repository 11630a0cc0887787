"""What a topic rests on, for people: the words and pages that decide, the most doubtful pages, what an answer would change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import ConfigError
from ..topics.deciding import Deciding, deciding
from .questions import Question
from .teaching import Change, Teaching

DECIDING = 8  # pages whose worth is tried out: each is learning anew without it
ASKED = 5  # doubtful pages for which both answers are tried out
ODD = 0.1  # an example that is judged less by all the rest may be a mistake
ENOUGH = 3  # examples, where there are no words, of which one may be told to be unlike the others


class Support(NamedTuple):
    """A page that people named or judged: what it is judged without being known, and what changes without it."""

    url: str
    role: str
    relevance: float
    change: Change


class Doubt(NamedTuple):
    """A page that nobody judged, and what either answer would change."""

    page: Question
    yes: Change
    no: Change


class TopicView(NamedTuple):
    """A topic as it judges now."""

    words: str
    judged_by: str
    examples: int
    off_the_topic: int
    yes: int
    no: int
    pages: int  # of the crawl, with text
    relevant: int
    deciding: list[Deciding]
    support: list[Support]
    doubts: list[Doubt]

    @property
    def odd(self) -> list[Support]:
        """Examples that are not about the topic, going by all the rest that was said."""
        if not self.words.strip() and self.examples + self.yes < ENOUGH:
            return []
        return [one for one in self.support if one.role in ("example", "answer yes") and one.relevance < ODD]

    def plain(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            **{name: value for name, value in self._asdict().items() if name not in ("deciding", "support", "doubts")},
            "deciding": [one._asdict() for one in self.deciding],
            "support": [
                {"url": one.url, "role": one.role, "relevance": one.relevance, "relevant_without": one.change.after}
                for one in self.support
            ],
            "odd": [one.url for one in self.odd],
            "doubts": [
                {**one.page._asdict(), "relevant_if_yes": one.yes.after, "relevant_if_no": one.no.after}
                for one in self.doubts
            ],
        }


def topic_view(folder: Path, words: int) -> TopicView:
    """The topic of a run folder; takes some seconds, for what would change is tried out."""
    teaching = Teaching(folder)
    topic = teaching.topic
    given = topic.given.kept.material()
    support = sorted(_support(teaching), key=lambda one: -abs(one.change.after - one.change.before))
    answers = list(teaching.answers.values())
    return TopicView(
        given.words,
        topic.why,
        len(given.positives),
        len(given.negatives),
        answers.count(True),
        answers.count(False),
        topic.seen_,
        teaching.relevant,
        deciding(topic, words),
        support,
        [_doubt(teaching, page) for page in teaching.doubtful()[:ASKED]],
    )


def _support(teaching: Teaching) -> Iterator[Support]:
    given = teaching.topic.given.kept.material()
    kinds = {page.url: "example" for page in given.positives} | {page.url: "off the topic" for page in given.negatives}
    kinds |= {url: "answer yes" if yes else "answer no" for url, yes in teaching.answers.items()}
    for url in _some(list(kinds)):
        try:
            yield Support(url, kinds[url], *teaching.without(url))
        except ConfigError:  # it is all that there is to go by
            continue


def _some(urls: Sequence[str]) -> Sequence[str]:
    return urls[:: -(-len(urls) // DECIDING) or 1]


def _doubt(teaching: Teaching, page: Question) -> Doubt:
    return Doubt(page, teaching.supposed(page.url, True), teaching.supposed(page.url, False))
