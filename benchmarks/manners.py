"""Is robots.txt read right, and are hosts left alone for as long as they ask? `python -m benchmarks.manners`.

Three tables, all printed with what came of each case: robots.txt files and what they allow; answers to the request for one;
answers that ask for a rest, with the seconds between two requests as a server on loopback saw them.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.utils import formatdate
from itertools import pairwise

from tests.polite_web import MISSING, Served, fetched, live, moved, page, serving, text
from tests.test_robots import CASES

from opilio.fetchers.live import Live, Manners
from opilio.fetchers.manners.pace import PaceSettings
from opilio.fetchers.manners.robots import Robots
from opilio.nouns import Link, Offer
from opilio.synth.local_server import Response

DELAY, BACKOFF, MAX_DELAY, MAX_REST = 0.4, 0.8, 2.0, 3.0
LATE = 1.5  # seconds more than it must that a wait may take on a busy machine
ROBOTS, PAGE = "http://a.test/robots.txt", "http://a.test/x"
LONG = ("#" * 63 + "\n") * 9600
RULES = text("User-agent: *\nDisallow: /x")


@dataclass(frozen=True)
class Row:
    """One case: what is so, what must come of it, what did."""

    what: str
    wanted: str
    got: str
    right: bool


# robots.txt


def files() -> Iterator[Row]:
    """Files and what they allow."""
    for name, body, agent, paths in CASES:
        robots = Robots(body.encode())
        for path, allowed in paths:
            may = robots.check(f"http://h.test{path}", agent).allowed
            words = {True: "allowed", False: "forbidden"}
            yield Row(f"{name}: `{path}`", words[allowed], words[may], may == allowed)


def chain(hops: int) -> dict[str, Response]:
    steps = {f"http://b{n}.test/r": moved(f"http://b{n + 1}.test/r") for n in range(1, hops)}
    return {ROBOTS: moved("http://b1.test/r"), **steps, f"http://b{hops}.test/r": RULES}


def said(status: int) -> dict[str, Response]:
    return {ROBOTS: (status, {}, b"User-agent: *\nDisallow: /")}


ALLOWED, FORBIDDEN, LATER = "allowed", "forbidden", "not now"
ANSWERS: list[tuple[str, dict[str, Response], str]] = [
    ("200, Disallow: /x", {ROBOTS: RULES}, FORBIDDEN),
    ("200, the same with a byte order mark", {ROBOTS: text("\ufeffUser-agent: *\nDisallow: /x")}, FORBIDDEN),
    ("200, a page of HTML", {ROBOTS: page("welcome")}, ALLOWED),
    ("200, the rule behind 600 KiB", {ROBOTS: text(LONG + "User-agent: *\nDisallow: /x")}, ALLOWED),
    ("200, the rule before 600 KiB", {ROBOTS: text("User-agent: *\nDisallow: /x\n" + LONG)}, FORBIDDEN),
    *((str(status), said(status), ALLOWED) for status in (400, 401, 403, 404, 410)),
    *((str(status), said(status), LATER) for status in (429, 500, 502, 503, 599)),
    *((f"{hops} redirects to Disallow: /x", chain(hops), FORBIDDEN) for hops in (2, 5)),
    ("6 redirects to Disallow: /x", chain(6), ALLOWED),
    ("a redirect to Disallow: /x", chain(1), FORBIDDEN),
    ("a redirect to itself", {ROBOTS: moved(ROBOTS)}, ALLOWED),
    ("a redirect to nowhere", {ROBOTS: (302, {}, b"")}, ALLOWED),
    ("a redirect to a 404", {ROBOTS: moved("http://b.test/gone")}, ALLOWED),
    ("a redirect to 10.0.0.1", {ROBOTS: moved("http://10.0.0.1/robots.txt")}, LATER),
]


def answers() -> Iterator[Row]:
    """Answers to the request for robots.txt, and whether the page is then fetched."""
    for what, pages, wanted in ANSWERS:
        [got], served = fetched({PAGE: page(), **pages}, PAGE)
        outcome = ALLOWED if not got.refused else LATER if got.rest else FORBIDDEN
        asked = PAGE in served.urls
        yield Row(what, wanted, outcome, outcome == wanted and asked == (wanted == ALLOWED))


# Rests


@dataclass
class Host:
    """Says one thing about its first pages, and is well from then on."""

    what: str
    wait: float  # seconds before the last request that must pass
    status: int = 200
    after: str = ""  # Retry-After
    robots: str = ""
    ahead: float | None = None  # Retry-After is a date, this many seconds from the answer
    tired: int = 1  # this many requests are answered like that
    served: int = field(default=0)

    def answer(self, path: str) -> Response:
        if path == "robots.txt":
            return text(f"User-agent: *\n{self.robots}") if self.robots else MISSING
        self.served += 1
        if self.served > self.tired:
            return page()
        after = self.after if self.ahead is None else formatdate(time.time() + self.ahead, usegmt=True)
        return self.status, {"Retry-After": after} if after else {}, b""


HOSTS = [
    Host("nothing", DELAY),
    Host("Crawl-delay: 1", 1.0, robots="Crawl-delay: 1"),
    Host("Crawl-delay: 1.2", 1.2, robots="Crawl-delay: 1.2"),
    Host("Crawl-delay: 0.1", DELAY, robots="Crawl-delay: 0.1"),
    Host("Crawl-delay: 100000", MAX_DELAY, robots="Crawl-delay: 100000"),
    Host("429", BACKOFF, 429),
    Host("503", BACKOFF, 503),
    Host("503 twice", 2 * BACKOFF, 503, tired=2),
    Host("429, Retry-After: 2", 2.0, 429, "2"),
    Host("503, Retry-After: 2", 2.0, 503, "2"),
    Host("503, Retry-After: 0", DELAY, 503, "0"),
    Host("503, Retry-After: a date in 2.9 seconds", 1.9, 503, ahead=2.9),  # dates know whole seconds only
    Host("429, Retry-After: a date in 2.9 seconds", 1.9, 429, ahead=2.9),
    Host("503, Retry-After: a date that is past", DELAY, 503, ahead=-3600.0),
    Host("503, Retry-After: 99999999999999999999", MAX_REST, 503, "99999999999999999999"),
    Host("503, Retry-After: in the year 9999", MAX_REST, 503, "Fri, 31 Dec 9999 23:59:59 GMT"),
    Host("503, Retry-After: -5", BACKOFF, 503, "-5"),
    Host("503, Retry-After: soon", BACKOFF, 503, "soon"),
    Host("404, Retry-After: 2", 2.0, 404, "2"),
    Host("301, Retry-After: 2", 2.0, 301, "2"),
    Host("200, Retry-After: 2", DELAY, 200, "2"),
    Host("429, Retry-After: 1; Crawl-delay: 1.5", 1.5, 429, "1", robots="Crawl-delay: 1.5"),
]


def rests() -> Iterator[Row]:
    """What hosts say, and the seconds that passed until the next request."""
    served = Served(lambda url: HOSTS[int(url[8:].partition(".")[0])].answer(url.rpartition("/")[2]))
    pace = PaceSettings(DELAY, MAX_DELAY, 0.0, BACKOFF, MAX_REST)
    asyncio.run(_visit_all(served, Manners(pace=pace)))
    times: dict[int, list[float]] = {}
    for when, url in served.asked:
        if not url.endswith("robots.txt"):
            times.setdefault(int(url[8:].partition(".")[0]), []).append(when)
    for number, host in enumerate(HOSTS):
        gap = [late - early for early, late in pairwise(times[number])][-1]
        yield Row(host.what, f"{host.wait:.1f}", f"{gap:.2f}", host.wait <= gap < host.wait + LATE)


async def _visit_all(served: Served, manners: Manners) -> None:
    async with serving(served):
        fetcher = live(served, manners)
        try:
            await asyncio.gather(*(_visit(fetcher, number) for number in range(len(HOSTS))))
        finally:
            await fetcher.close()


async def _visit(fetcher: Live, number: int) -> None:
    for count in range(HOSTS[number].tired + 1):
        await fetcher.fetch(Offer(Link(f"http://h{number}.test/{count}")))


TABLES = {
    "a robots.txt and a path": files,
    "the answer to a request for robots.txt that may forbid the page": answers,
    f"what a host says (delay {DELAY}, backoff {BACKOFF}, max_delay {MAX_DELAY:.0f}, max_rest {MAX_REST:.0f})": rests,
}


def main() -> int:
    wrong = 0
    for title, made in TABLES.items():
        rows = list(made())
        print(f"| {title} | must be | is |\n| --- | --- | --- |")
        for row in rows:
            print(f"| {row.what} | {row.wanted} | {row.got}{'' if row.right else ' WRONG'} |")
        bad = sum(not row.right for row in rows)
        print(f"\n{len(rows)} cases, {bad} wrong\n")
        wrong += bad
    print("all right" if not wrong else f"{wrong} WRONG")
    return wrong


if __name__ == "__main__":
    sys.exit(bool(main()))
