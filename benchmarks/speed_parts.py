"""Where the CPU time of a crawl goes: `python -m benchmarks.speed_parts crawl ...`, with what `opilio` is told.

The functions below are timed while the crawl runs, each without the time of those that it calls; the rest is what is left
of the process. The last lines on stdout are the table, in ms a page.
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Callable
from typing import Any

from opilio import scope, shard
from opilio.cli.commands import app
from opilio.engine import run as local
from opilio.fetchers.http.client import Transport
from opilio.fetchers.http.transfer import Transfer
from opilio.fetchers.live import Live
from opilio.frontier.disk.frontier import DiskFrontier
from opilio.frontier.frontier import RowFrontier
from opilio.html import document
from opilio.shard import delivery
from opilio.store import duplicates, replies, run, tables
from opilio.topics.adaptive import Growing

MARK = "where the time goes"
PARTS: dict[str, list[tuple[Any, str]]] = {
    "fetch, robots, manners": [(Transport, "_answer"), (Transfer, "aim"), (Live, "_page"), (Live, "_forbidden")],
    "HTML: parser, and the walk over its tree": [(document, "gather")],
    "HTML: links and the rest": [(document, "content"), (document, "source")],
    "relevance of the page": [(Growing, "page")],
    "relevance of the links": [(Growing, "links")],
    "what the topic learns": [(Growing, "observe")],
    "strategy, scope, shard": [
        (shard.Shard, "receive"), (delivery.Delivery, "apply"), (scope.Scope, "keep"), (scope.Scope, "saw"),
    ],
    "frontier: what is known of links": [(RowFrontier, "known_all"), (RowFrontier, "known")],
    "frontier: offers": [(RowFrontier, "offer"), (RowFrontier, "reweigh")],
    "frontier: leases": [(RowFrontier, "take"), (RowFrontier, "settle")],
    "frontier: writing": [(DiskFrontier, "save")],
    "WARC records": [(replies.Answers, "add")],
    "near-duplicates": [(duplicates.StoredGroups, "of_page")],
    "page rows": [(tables, "add_page"), (tables.Waiting, "_write"), (run.RunStore, "add"), (run.RunStore, "keep")],
    "commit": [(shard.Shard, "commit"), (run.RunStore, "commit")],
}  # fmt: skip


class Clock:
    """CPU seconds by part."""

    def __init__(self) -> None:
        self.spent: defaultdict[str, float] = defaultdict(float)
        self._inside: list[float] = []

    def watch(self, part: str, owner: Any, name: str) -> None:
        timed: Callable[..., Any] = getattr(owner, name)

        def call(*given: Any, **named: Any) -> Any:
            begun = time.thread_time()
            self._inside.append(0.0)
            try:
                return timed(*given, **named)
            finally:
                whole, inner = time.thread_time() - begun, self._inside.pop()
                self.spent[part] += whole - inner
                if self._inside:
                    self._inside[-1] += whole

        setattr(owner, name, call)


def main() -> None:
    clock, ready = Clock(), time.process_time()
    for part, places in PARTS.items():
        for owner, name in places:
            clock.watch(part, owner, name)
    begun, pages = [ready], [0]
    go = local.Run.go

    def timed(self: local.Run, *given: Any) -> str:
        begun[0] = time.process_time()
        clock.spent.clear()  # pages that were fetched for the topic
        why = go(self, *given)
        pages[0] = self.store.pages
        return why

    local.Run.go = timed  # type: ignore[method-assign, assignment]
    app(sys.argv[1:], standalone_mode=False)
    whole = time.process_time()
    clock.spent["start: imports"] = ready
    clock.spent["start: the relevance model"] = begun[0] - ready
    clock.spent["the rest: event loop, libcurl, timing itself"] = whole - sum(clock.spent.values())
    print(MARK)
    for part, seconds in sorted(clock.spent.items(), key=lambda pair: -pair[1]):
        print(f"{1000 * seconds / pages[0]:.2f}\t{part}")


if __name__ == "__main__":
    main()
