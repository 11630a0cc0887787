"""Crawlee with its HTTP crawler for parsel, the faster one of its two; its queue is in memory, which is the fastest."""

from __future__ import annotations

import asyncio
import logging
import sys

from crawlee import ConcurrencySettings, service_locator
from crawlee.crawlers import ParselCrawler, ParselCrawlingContext
from crawlee.storage_clients import MemoryStorageClient


async def crawl(seed: str, connections: int) -> None:
    service_locator.set_storage_client(MemoryStorageClient())
    crawler = ParselCrawler(
        concurrency_settings=ConcurrencySettings(
            min_concurrency=connections, desired_concurrency=connections, max_concurrency=connections
        ),
        respect_robots_txt_file=True,
        configure_logging=False,
    )

    @crawler.router.default_handler  # type: ignore[untyped-decorator]
    async def handle(context: ParselCrawlingContext) -> None:
        await context.push_data({"url": context.request.url, "title": context.selector.css("title::text").get()})
        await context.enqueue_links(strategy="all")

    await crawler.run([seed])


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    asyncio.run(crawl(sys.argv[1], int(sys.argv[2])))
