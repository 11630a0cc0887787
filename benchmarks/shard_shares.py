"""How many pages of a crawl are relevant with 1, 8 and 32 shards at the same budget: `python -m benchmarks.shard_shares`.

The shards are in this process and take steps one after the other, as far as `engine/parallel/turns.py` lets them.
"""

from __future__ import annotations

import argparse
import asyncio

from opilio import registry
from opilio.engine.parallel.budget import Allowance
from opilio.engine.parallel.protocol import Report
from opilio.engine.parallel.turns import listed, turns
from opilio.frontier.memory import MemoryFrontier
from opilio.loop import exchange
from opilio.nouns import Material
from opilio.page_errors import PageErrors
from opilio.shard import Shard
from opilio.shard.answers import joining, weighing
from opilio.store.memory import MemoryStore
from opilio.synth.fetcher import SynthFetcher
from opilio.synth.web import Web

BATCH = 50
SHARDS = (1, 8, 32)
IDLE = 50  # rounds in a row that brought nothing: the crawl is over


def made(fetcher: SynthFetcher, strategy: str, words: str, count: int) -> list[Shard]:
    found = []
    for index in range(count):
        topic = registry.learn("auto", Material(words))
        errors = PageErrors(None, strict=True)
        method = registry.make(strategy, {"topic": topic, "seed": 0, "words": words})
        frontier = MemoryFrontier(weighing(method, errors), method.merge, join=joining(method, errors))
        shard = Shard(
            method,
            frontier,
            fetcher,
            MemoryStore(index),
            topic=topic,
            batch=BATCH,
            index=index,
            shards=count,
            page_errors=errors,
        )
        found.append(shard)
    return found


def report(shard: Shard, cap: int, given: int) -> Report:
    prices, idle = shard.frontier.prices(listed(BATCH), 0.0), shard.frontier.ready(0.0) is None
    return Report(shard.store.pages, 0, 0.0, cap, given, len(shard.frontier), prices, 0, idle, 0, False, {}, {}, [], "")


async def crawled(shards: list[Shard], seeds: list[str], pages: int) -> list[str]:
    """The URLs that were fetched."""
    allowance = Allowance(pages, len(shards))
    caps, given, still = [0] * len(shards), [0] * len(shards), 0
    for shard in shards:
        shard.start(seeds)
    while sum(shard.store.pages for shard in shards) < pages and still < IDLE:
        reports = [report(shard, cap, times) for shard, cap, times in zip(shards, caps, given, strict=True)]
        for index, cap in allowance.dealt(reports, turns(reports, BATCH)):
            if cap is None:
                caps[index], given[index] = shards[index].store.pages, given[index] + 1
            else:
                caps[index] = cap
        brought = 0
        for index, shard in enumerate(shards):
            if caps[index] > shard.store.pages:
                brought += await shard.step(caps[index] - shard.store.pages, 0.0)
        still = 0 if exchange(shards) or brought else still + 1
    stores = [shard.store for shard in shards if isinstance(shard.store, MemoryStore)]
    return [visit.url for store in stores for visit in store.visits]


def share(web: Web, topic: str, strategy: str, pages: int, count: int) -> tuple[float, int]:
    """Relevant pages among those fetched, and how many these are."""
    shards = made(SynthFetcher(web), strategy, topic.rpartition("/")[2].replace("-", " "), count)
    urls = asyncio.run(crawled(shards, web.seeds(topic), pages))
    return sum(web.labels(url).get("topic", "").startswith(topic) for url in urls) / max(1, len(urls)), len(urls)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--web", type=int, default=200_000, help="pages of the synthetic web")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--strategy", default="blend")
    parser.add_argument("--topic", default="beekeeping")
    parser.add_argument("--shards", type=int, nargs="+", default=SHARDS)
    told = parser.parse_args()
    web = Web(told.web, told.seed)
    topic = next((topic for topic in web.topics if topic.endswith(f"/{told.topic}")), web.topics[0])
    print(f"{topic}, {told.strategy}, {told.pages:,} pages of a synthetic web of {told.web:,}, seed {told.seed}\n")
    print("| shards | pages | relevant |\n| --- | --- | --- |")
    for count in told.shards:
        relevant, fetched = share(web, topic, told.strategy, told.pages, count)
        print(f"| {count} | {fetched:,} | {relevant:.2f} |", flush=True)


if __name__ == "__main__":
    main()
