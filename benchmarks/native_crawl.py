"""What the functions in C save a crawl: `python -m benchmarks.native_crawl [--known 1000000] [--steps 30]`.

Two crawls, otie with a relevance model and breadth-first, of pages that come from memory and are stored as ever. Each starts
with that many known URLs. Steps of up to 50 pages with the functions for words in C take turns with steps in Python, so
that both see the same minutes of the machine; the table has medians of CPU time, user and system. The walk over pages is chosen
when the program starts: `python -m benchmarks.native` compares it.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from contextlib import aclosing, nullcontext
from pathlib import Path
from statistics import median

from opilio import native
from opilio.config import Config
from opilio.engine.run import AsyncRun
from opilio.learning.flow import AGAIN
from opilio.nouns import Link, Offer

from .quick_web import PORT, QuickWeb
from .speed import train
from .speed_web import Web

STRATEGIES = ("otie", "breadth-first")
LINKED = 3  # times as many pages in the web as are known
TRAINED = 1300  # pages of which some train the relevance model
WARM = 1000  # pages before anything is timed: batches have their full size then
TOGETHER = 10_000  # URLs that are made known at a time


def crawl(strategy: str, known: int, steps: int, folder: Path) -> str:
    """A row of the table."""
    web, model = QuickWeb(LINKED * known), folder / "topic.model"
    train(Web(TRAINED, PORT), model)
    topic = {"model": str(model)} if strategy == "otie" else {}
    config = Config(
        strategy=strategy,
        seeds=[web.url(1)],
        max_pages=10**9,
        max_barren=0,
        **topic,
        adapt=False,
        saturation=0,
    )
    quick, plain = asyncio.run(_timed(AsyncRun(folder / "run", config, web), web, known, steps))
    return f"| {strategy} | {quick:.0f} | {plain:.0f} | {plain / quick:.2f} |"


async def _timed(run: AsyncRun, web: QuickWeb, known: int, steps: int) -> tuple[float, float]:
    """CPU microseconds a page, in C and in Python."""
    await run.begin()
    run.shard.start(run.seeds)
    _fill(run, web, known)
    spent: dict[bool, list[float]] = {True: [], False: []}
    async with aclosing(run.steps()) as going:
        while run.store.pages < WARM:
            await anext(going)
        for plain in [False, True] * steps:
            pages, before = run.store.pages, time.process_time()
            with native.without() if plain else nullcontext():
                await anext(going)
            spent[plain].append(1e6 * (time.process_time() - before) / max(1, run.store.pages - pages))
    return median(spent[False]), median(spent[True])


def _fill(run: AsyncRun, web: QuickWeb, known: int) -> None:
    """Make URLs known, as if pages had linked to them."""
    again = AGAIN if run.shard.strategy.merge == "sum" else None
    for start in range(0, known, TOGETHER):
        numbers = range(start * LINKED, (start + TOGETHER) * LINKED, LINKED)
        links = [Link(web.url(number), web.url(2), "a link", "words around a link") for number in numbers]
        run.shard.frontier.offer([Offer(link, 1e-9 if again else -1.0, again=again, depth=1) for link in links])
        run.shard.commit()


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--known", type=int, default=1_000_000)
    asked.add_argument("--steps", type=int, default=30)
    given = asked.parse_args()
    print("| | in C, µs a page | words in Python, µs a page | ratio |\n| --- | --- | --- | --- |")
    for strategy in STRATEGIES:
        with tempfile.TemporaryDirectory() as scratch:
            print(crawl(strategy, given.known, given.steps, Path(scratch)), flush=True)


if __name__ == "__main__":
    main()
