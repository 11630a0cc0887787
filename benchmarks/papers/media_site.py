"""The media-sharing site that profile is measured on, and what a crawl of it brought."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from opilio import registry
from opilio.bench.corpus import Corpus
from opilio.loop import trace
from opilio.nouns import Strategy


class Outcome(NamedTuple):
    """What was fetched, and which of the details are good."""

    urls: list[str]
    good: set[str]  # details that carry the tag, or another of the topic: see `wider`
    details: dict[str, set[str]]  # with their tags
    strategy: Strategy

    def wider(self, topic: Collection[str]) -> Outcome:
        """The same fetches, judged as in the paper: a detail is good when it has any tag of the topic."""
        return self._replace(good={url for url, tags in self.details.items() if not tags.isdisjoint(topic)})

    def harvest(self, last: int, first: int = 0) -> float:
        """Of the details among these fetches, how many are good."""
        part = [url for url in self.urls[first:last] if url in self.details]
        return sum(url in self.good for url in part) / len(part) if part else 0.0

    def capture(self, last: int) -> float:
        part = self.urls[:last]
        return sum(url in self.details for url in part) / len(part)

    def window(self, last: int, size: int) -> float:
        """The harvest of the last pages; of a crawl that has ended, of its last ones."""
        last = min(last, len(self.urls))
        return self.harvest(last, max(0, last - size))


def details(site: Corpus) -> dict[str, set[str]]:
    return {url: set(row["tags"].split("|")) for url, row in site.labels.items() if row["page_type"] == "detail"}


def crawl(site: Corpus, tag: str, spec: str, budget: int, batch: int) -> Outcome:
    strategy = registry.make(spec, {"tag": tag, "seed": 1})
    urls = [visit.url for visit in trace(strategy, site.fetcher(), [site.home], budget, batch)]
    found = details(site)
    return Outcome(urls, {url for url, tags in found.items() if tag in tags}, found, strategy)
