"""Relevant pages that many shards find with the same budget, beside what one finds."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from opilio.config import Config
from opilio.engine.cluster.pull import pull
from opilio.start import made
from opilio.store.reader import reading
from opilio.synth.web import Web

from .crawl import crawled
from .nodes import Nodes

ENOUGH = 0.95  # of the relevant pages of one shard
SIZE = 10  # the web is this many times as large as a crawl
TOPICS = ("beekeeping", "cheese", "vikings", "rowing")


class Found(NamedTuple):
    """Pages about the topic, by the truth of the synthetic web, among those of a crawl."""

    topic: str
    alone: int
    together: int


def compared(nodes: Nodes, shards: int, pages: int, topics: int, **more: Any) -> list[Found]:
    return [_compared(nodes, shards, pages, topic, seed, **more) for seed, topic in enumerate(TOPICS[:topics], 1)]


def _compared(nodes: Nodes, shards: int, pages: int, topic: str, seed: int, **more: Any) -> Found:
    web = Web(SIZE * pages, seed)
    told = {
        "corpus": f"synth:{SIZE * pages}:{seed}", "topic": topic, "seeds": web.seeds(topic), "max_pages": pages,
        "saturation": 0.0,
    } | more  # fmt: skip
    with TemporaryDirectory(prefix="opilio-cluster-") as scratch:
        alone, state, pulled = Path(scratch, "alone"), str(Path(scratch, "state")), Path(scratch, "together")
        with closing(made(alone, Config(**told))) as run:
            run.go()
        crawled(Config(**told, engine="ray", address=nodes.address, state=state, shards=shards), lambda run: None)
        pull(state, pulled)
        return Found(topic, _relevant(alone, web, topic), _relevant(pulled, web, topic))


def _relevant(folder: Path, web: Web, topic: str) -> int:
    with closing(reading(folder)) as db:
        urls = [url for (url,) in db.execute("SELECT url FROM pages")]
    return sum(web.labels(url).get("topic", "").endswith(f"/{topic}") for url in urls)


def ratio(found: list[Found]) -> float:
    return mean(each.together / each.alone for each in found)
