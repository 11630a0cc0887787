"""The sites that strategy profile is measured on, and what a crawl of one brought."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

from opilio import registry
from opilio.bench.corpus import Corpus
from opilio.loop import trace
from opilio.nouns import Fetcher, Link, Offer, Page, Strategy
from opilio.synth.fetcher import SynthFetcher
from opilio.synth.layout import Settings
from opilio.synth.media import MediaSite
from opilio.synth.media_people import TAGS
from opilio.synth.site import Place
from opilio.synth.web import Web

RECORDED = Path(__file__).parents[2] / "shared" / "corpora" / "social-music"
MEDIA = Settings(media=0.55, forums=0.0, mirrors=0.0, trap=0.0)


class Ground(NamedTuple):
    """A site to crawl, with the truth about it."""

    name: str
    fetcher: Fetcher
    home: str
    labels: dict[str, dict[str, str]]
    tags: list[str]

    def details(self) -> dict[str, set[str]]:
        return {url: set(row["tags"].split("|")) for url, row in self.labels.items() if row["page_type"] == "detail"}

    def page(self, url: str) -> Page:
        return asyncio.run(self.fetcher.fetch(Offer(Link(url))))


def recorded() -> Iterator[Ground]:
    if not RECORDED.is_dir():
        print(f"social-music: left out, there is no {RECORDED}")
        return
    corpus = Corpus.open(RECORDED)
    topics = next(task for task in corpus.tasks if task.kind == "tag").settings["topics"]
    yield Ground("social-music", corpus.fetcher(), corpus.home, corpus.labels, topics)


def made_up(pages: int, seed: int = 3) -> Iterator[Ground]:
    """The two makes of media sites: one of divisions with tags as links, one of tables with tags in plain text."""
    web = Web(pages, seed, MEDIA)
    for site in web.atlas.sites:
        if isinstance(site, MediaSite):
            labels = {Place(site, number).url: site.labels(number) for number in range(site.size)}
            for row in labels.values():
                row.setdefault("tags", "")
            name = f"{type(site.style).__name__.lower()} of {site.size:,} pages"
            yield Ground(name, SynthFetcher(web), Place(site, 0).url, labels, list(site.tags[::TAGS][:6]))


class Outcome(NamedTuple):
    urls: list[str]
    good: set[str]  # details that carry the tag, or another of the topic: see `wider`
    details: dict[str, set[str]]
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

    def recall(self, last: int) -> float:
        return len(self.good.intersection(self.urls[:last])) / len(self.good)

    def window(self, last: int, size: int) -> float:
        """The harvest of the last pages; of a crawl that has ended, of its last ones."""
        last = min(last, len(self.urls))
        return self.harvest(last, max(0, last - size))

    def lift(self, last: int, size: int) -> float:
        """The same, as a multiple of what details picked by chance among those not fetched before would have brought."""
        last = min(last, len(self.urls))
        before = self.urls[: max(0, last - size)]
        left = len(self.good.difference(before)) / max(1, len(set(self.details).difference(before)))
        return self.window(last, size) / left if left else 0.0


def crawl(ground: Ground, tag: str, spec: str, budget: int) -> Outcome:
    strategy = registry.make(spec, {"tag": tag, "seed": 1})
    urls = [visit.url for visit in trace(strategy, ground.fetcher, [ground.home], budget)]
    details = ground.details()
    return Outcome(urls, {url for url, tags in details.items() if tag in tags}, details, strategy)
