"""Scrapy as its tutorial has it: a spider that takes titles and follows every link."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from scrapy import Spider
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor


class Stock(Spider):
    name = "stock"
    links = LinkExtractor()

    def parse(self, response: Any) -> Iterator[Any]:
        yield {"url": response.url, "title": response.css("title::text").get()}
        for link in self.links.extract_links(response):
            yield response.follow(link)


def run(spider: type[Spider], seed: str, connections: int) -> None:
    """Crawl with the settings that all contenders have: robots on, no delay."""
    process = CrawlerProcess(
        {
            "ROBOTSTXT_OBEY": True,
            "CONCURRENT_REQUESTS": connections,
            "CONCURRENT_REQUESTS_PER_DOMAIN": connections,
            "DOWNLOAD_DELAY": 0,
            "LOG_LEVEL": "WARNING",
            "TELNETCONSOLE_ENABLED": False,
        }
    )
    process.crawl(spider, start_urls=[seed])
    process.start()


if __name__ == "__main__":
    run(Stock, sys.argv[1], int(sys.argv[2]))
