"""Scrapy with the work that Opilio does: its parser, its links with contexts, its relevance, its WARC records.

What is Scrapy's own is what remains: fetching, robots.txt, the queue with priorities and the filter of duplicates.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from scrapy import Request, Spider

from benchmarks.peers.scrapy_stock import run
from opilio.html import Document
from opilio.nouns import Link, Offer, Page
from opilio.store.archive import Archive
from opilio.store.warc_records import date_of, response_record
from opilio.topics.models.auto import Auto


class Same(Spider):
    name = "same"
    topic: ClassVar[Auto]
    archive: ClassVar[Archive]

    def parse(self, response: Any) -> Iterator[Any]:
        headers = {name: response.headers[name].decode("latin-1") for name in ("Content-Type", "Date")}
        record = response_record(response.url, response.status, headers, response.body, date_of(time.time()))
        self.archive.append(record)
        document = Document(response.body, response.url, headers["Content-Type"])
        page = Page(Offer(Link(response.url)), response.url, response.status, headers, response.body, document=document)
        yield {"url": response.url, "title": document.title, "relevance": self.topic.page(page)}
        for link, promise in zip(document.links, self.topic.links(page), strict=True):
            yield Request(link.url, priority=int(1000 * promise))


if __name__ == "__main__":
    Same.topic = Auto.load(Path(sys.argv[3]))
    Same.archive = Archive(Path(sys.argv[4]) / "archive", None)
    run(Same, sys.argv[1], int(sys.argv[2]))
    Same.archive.sync()
    Same.archive.close()
