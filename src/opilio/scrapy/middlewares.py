"""What tells the scheduler of pages: each with all that its spider made of it, and of requests that failed."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from typing import Any, Self

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response

from .scheduler import schedulers


class Observer:
    """A spider middleware, the nearest to the engine. Items pass at once; requests when the whole page is known."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._in_flight: set[Response] = set()  # those whose callbacks have not ended

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    async def process_spider_output(self, response: Response, result: AsyncIterator[Any]) -> AsyncIterator[Any]:
        requests: list[Request] = []
        taken: list[Request] = []
        self._in_flight.add(response)
        try:
            async for one in result:
                if isinstance(one, Request):
                    requests.append(one)
                else:
                    yield one
        finally:  # a callback that fails has asked for these all the same; one that is cut off is asked again
            self._in_flight.discard(response)
            if not isinstance(sys.exception(), GeneratorExit | asyncio.CancelledError):
                taken = schedulers[self._crawler].observe(response, requests)
        for request in taken:
            yield request

    def process_spider_exception(self, response: Response, exception: Exception) -> None:
        """A callback has failed before there was any output, as one that is no generator does: nothing was asked for."""
        if response not in self._in_flight:
            schedulers[self._crawler].observe(response, [])


class Failures:
    """A downloader middleware, the nearest to the engine: what comes here, no other middleware has an answer to."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_exception(self, request: Request, exception: Exception) -> None:
        schedulers[self._crawler].fail(request, f"{type(exception).__name__}: {exception}"[:200])
