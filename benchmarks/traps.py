"""Pages that a crawl spends in traps, with and without the defence: `python -m benchmarks.traps [PAGES]`.

A site for each kind of trap, crawled breadth first until nothing is left or this many pages are fetched; then the same beside a
healthy site that has half as many pages, until all of these are fetched or this many in all.
"""

from __future__ import annotations

import asyncio
import re
import sys
from collections.abc import Callable

from opilio.config import Config
from opilio.fetchers.to_page import answered
from opilio.frontier.memory import MemoryFrontier
from opilio.loop import Limits, crawl
from opilio.nouns import Fetcher, Material, Offer, Page, Topic
from opilio.registry import learn, make
from opilio.scope import Scope
from opilio.scope.bounds import Bounds
from opilio.shard import Shard
from opilio.store.memory import MemoryStore
from opilio.urls import digest, host

SUBJECT = "beekeeping"
WORDS = re.findall(
    r"\w+",
    "amber basin cedar delta ember fjord grove haven islet jetty knoll ledge meadow notch oasis plain quarry ridge",
)
Html = tuple[int, dict[str, str], str]


def html(body: str) -> Html:
    return 200, {"content-type": "text/html"}, f"<html><body><p>{body}</p></body></html>"


def links(*targets: str) -> str:
    return " ".join(f'<a href="{target}">more</a>' for target in targets)


def number(url: str) -> int:
    return int((re.findall(r"\d+", url) or ["0"])[-1])


def words(url: str, count: int) -> list[str]:
    """Names of three words, which depend on the URL."""
    keys = [digest(f"{url} {n}") for n in range(count)]
    return ["-".join(WORDS[key // size % len(WORDS)] for size in (1, 100, 10_000)) for key in keys]


def calendar(url: str) -> Html:
    n = number(url)
    return html(f"No events in month {n}. " + links(f"/cal/{n + 1}", f"/cal/{n + 12}", f"/cal/{n + 120}"))


def diary(url: str) -> Html:
    n = number(url)
    return html(f"{' '.join(words(url, 30))}. " + links(f"/diary/{n + 1}", f"/diary/{n + 7}", f"/diary/{n + 365}"))


def session(url: str) -> Html:
    keys = [f"{digest(url + str(n)):016x}" for n in range(5)]
    return html("Welcome to our shop. " + links(*(f"/shop?visit={key}" for key in keys)))


def pagination(url: str) -> Html:
    n = number(url)
    return html(
        f"Nothing found, page {n}. " + links(f"/list?page={n + 1}", f"/list?page={n + 2}", f"/list?page={n + 10}")
    )


def soft_404(url: str) -> Html:
    return html("Sorry, we have nothing of that name. " + links(*(f"/{word}.html" for word in words(url, 5))))


def alias_hosts(url: str) -> Html:
    n = number(host(url))
    targets = [f"http://w{m}.alias-hosts.traps/{page}" for m in (n + 1, n + 2) for page in ("", "about", "news")]
    return html("The same under every name. " + links(*targets))


def redirects(url: str) -> Html:
    n = number(url)
    if n % 4 == 0:  # a page now and then, so that the chains are many
        return html("Wait. " + links(*(f"/go/{10 * n + m}" for m in (1, 5, 9))))
    return 302, {"location": f"/go/{n + 1}"}, ""


def nested(url: str) -> Html:
    return html("A folder. " + links("up/", "down/"))


def deep(url: str) -> Html:
    return html("A folder in a folder. " + links(*(f"{word}/" for word in words(url, 3))))


TRAPS: dict[str, Callable[[str], Html]] = {
    "calendar": calendar,
    "diary": diary,
    "session": session,
    "pagination": pagination,
    "soft-404": soft_404,
    "alias-hosts": alias_hosts,
    "redirects": redirects,
    "nested": nested,
    "deep": deep,
}


def healthy(url: str, size: int) -> Html:
    """A site of this many pages, each with words of its own and links to the two below it."""
    n = number(url)
    below = [f"/{word}/{m}" for m, word in zip((2 * n + 1, 2 * n + 2), words(url, 2), strict=True) if m < size]
    return html(f"{' '.join(words(url, 30))}. " + links(*below))


class Trap(Fetcher):
    """Answers for a site that is one trap, and for a healthy one of this many pages."""

    def __init__(self, kind: str, size: int = 0) -> None:
        self._answer, self._size = TRAPS[kind], size

    async def fetch(self, offer: Offer) -> Page:
        url = offer.link.url
        status, headers, text = healthy(url, self._size) if host(url) == "healthy.test" else self._answer(url)
        return answered(offer, status, headers, text.encode())


def visits(kind: str, topic: Topic | None, bounds: Bounds, pages: int, size: int = 0) -> list[str]:
    """The hosts that a crawl breadth first visits, in order."""
    strategy, store = make("breadth-first", {}), MemoryStore()
    frontier = MemoryFrontier(strategy.weigh, strategy.merge)
    shard = Shard(strategy, frontier, Trap(kind, size), store, topic=topic, scope=Scope(bounds))
    shard.start([f"http://{kind}.traps/", *(["http://healthy.test/0"] if size else [])])
    asyncio.run(crawl([shard], Limits(pages=pages)))
    return [host(visit.url) for visit in store.visits]


def beside(kind: str, bounds: Bounds, pages: int) -> int:
    """Fetches that went into the trap before a healthy site was done, or the crawl over."""
    size = pages // 2
    left, spent = size, 0
    for name in visits(kind, None, bounds, pages, size):
        left -= name == "healthy.test"
        spent += name != "healthy.test"
        if not left:
            break
    return spent


def main(pages: int) -> None:
    topic, default = learn("words", Material(SUBJECT)), Config(seeds=["http://a.test/"]).bounds()
    ways = ((None, Bounds()), (None, default), (topic, default))
    print(f"| trap | no defence (stopped at {pages:,}) | defence | defence, with a topic |", end="")
    print(" beside a healthy site, no defence | the same, defence |\n" + "| --- |" + " ---: |" * 5)
    for kind in TRAPS:
        counts = [len(visits(kind, judge, bounds, pages)) for judge, bounds in ways]
        counts += [beside(kind, bounds, pages) for bounds in (Bounds(), default)]
        print(f"| {kind} | " + " | ".join(f"{count:,}" for count in counts) + " |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3000)
