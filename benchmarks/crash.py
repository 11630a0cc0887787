"""Kills a live crawl again and again, and looks for what got lost: `make crash`.

A made-up web is served over HTTP on loopback by one process; another crawls it and is killed with SIGKILL, its whole
process group, whenever the server has been asked for so many pages more: moments spread evenly over the crawl, blind to
what the crawler is doing. Then it goes on in a new process. In the end, what is stored is held against all that links
lead to.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from warcio.archiveiterator import ArchiveIterator

from opilio import registry
from opilio.config import Config
from opilio.engine.local import Run, configured
from opilio.fetchers.answer import answered
from opilio.nouns import Link, Offer
from opilio.shard import FIRST, SHARE
from opilio.store.reading import reading
from opilio.store.warc import read
from opilio.synth.layout import Settings
from opilio.synth.serve import port_of, serve
from opilio.synth.web import Web

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it warns, as soon as it is imported, of old classes of its own
    from fastwarc.warc import ArchiveIterator as FastIterator
    from fastwarc.warc import WarcRecordType

FORK = get_context("fork")  # a life of the crawler begins in milliseconds, so that two hundred fit into minutes
BATCH = 50
NOT_FOUND = 404
LAST = 300.0  # seconds that the last life may take


@dataclass
class Outcome:
    """What two hundred deaths did, all counts of trouble."""

    kills: int = 0
    pages: int = 0
    lost: list[str] = field(default_factory=list)  # reachable, and not stored
    strange: list[str] = field(default_factory=list)  # stored, and not reachable
    stored_twice: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)  # payloads that are not what the server sent
    broken: list[str] = field(default_factory=list)  # records that a reader of others rejects
    refetched: list[int] = field(default_factory=list)  # for each kill
    batches: list[int] = field(default_factory=list)  # what a batch was at each kill: it grows at the beginning
    seconds: float = 0.0

    @property
    def good(self) -> bool:
        trouble = (self.lost, self.strange, self.stored_twice, self.changed, self.broken)
        return not any(trouble) and max(self.refetched, default=0) <= BATCH


def finite(pages: int, seed: int) -> Web:
    """A web without the endless calendar, so that a crawl of all of it ends."""
    return Web(pages, seed, Settings(trap=0.0))


def seeds(web: Web) -> list[str]:
    return [web.place(0).url, *web.seeds("beekeeping")]


def reachable(web: Web) -> set[str]:
    """Every URL that links and redirects lead to, dead ones too: a search of its own, without frontier and store."""
    found, waiting = set(seeds(web)), seeds(web)
    while waiting:
        status, headers, body = web.answer(url := waiting.pop())
        page = answered(Offer(Link(url)), status, {name.lower(): value for name, value in headers.items()}, body)
        for target in [link.url for link in page.links] + [page.location]:
            if target and target not in found:
                found.add(target)
                waiting.append(target)
    return found


def recorded(web: Web) -> set[str]:
    """What of that is in a corpus of the web: dead links lead out of the recording, and are not asked for."""
    return {url for url in reachable(web) if web.answer(url).status != NOT_FOUND}


class Served:
    """The web in a process of its own; it counts URLs that were asked for, and knows in which life of the crawler."""

    def __init__(self, web: Web) -> None:
        self.count, self.asked, self.life = (FORK.Value("l", 0) for _ in range(3))
        self._ours, theirs = FORK.Pipe()
        self._process = FORK.Process(target=self._main, args=(web, theirs), daemon=True)
        self._process.start()
        self.port: int = self._ours.recv()

    def requests(self) -> list[tuple[int, str]]:
        """Every request so far: the life in which it came, and its URL. The server is over then."""
        self._ours.send("enough")
        found: list[tuple[int, str]] = self._ours.recv()
        self._process.join()
        return found

    def settle(self) -> None:
        """Wait until what the dead has sent is answered, so that it counts for the right life."""
        before = -1
        while before != self.asked.value:
            before = self.asked.value
            time.sleep(0.1)

    def kill(self) -> None:
        self._process.kill()
        self._process.join()
        self._ours.close()

    def _main(self, web: Web, pipe: Connection) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        seen: list[tuple[int, str]] = []
        different: set[str] = set()

        def answer(url: str) -> Any:
            seen.append((self.life.value, url))
            different.add(url)
            self.count.value, self.asked.value = len(different), len(seen)
            return web.answer(url)

        async def main() -> None:
            async with await serve(answer) as server:
                pipe.send(port_of(server))
                await asyncio.to_thread(pipe.recv)
            pipe.send(seen)

        asyncio.run(main())


@contextmanager
def served(web: Web) -> Iterator[Served]:
    server = Served(web)
    try:
        yield server
    finally:
        server.kill()


def settings(web: Web, port: int) -> dict[str, Any]:
    """A crawl of all that there is: no topic, no delay, nothing held back."""
    return {
        "seeds": seeds(web), "strategy": "breadth-first", "batch": BATCH, "max_pages": 10**9, "obey": [], "sitemaps": False,
        "delay": 0.0, "slowness": 0.0, "backoff": 0.1, "fetch_loopback": True, "fetch_to": f"127.0.0.1:{port}",
        "max_url_length": 0, "max_path_parts": 0, "max_repeats": 0, "contact": "test@opilio.test",
    }  # fmt: skip


def life(folder: Path, told: dict[str, Any]) -> None:
    """One life of the crawler, in a process group of its own."""
    os.setsid()
    config = configured(folder) if (folder / "config.toml").exists() else Config(**told)
    run = Run(folder, config)
    try:
        run.go()
    finally:
        run.close()


def crash(folder: Path, pages: int = 5000, kills: int = 200, seed: int = 11) -> Outcome:
    """Crawl a web into a folder, killed so often on the way."""
    dict(registry.strategies()), dict(registry.topics())  # loaded once, here, and not in every life
    web, begun = finite(pages, seed), time.monotonic()
    known = reachable(web)
    outcome = Outcome(kills)
    with served(web) as server:
        told = settings(web, server.port)
        for number in range(1, kills + 1):
            _live_until(server, folder, told, round(number * len(known) / (kills + 1)))
            outcome.batches.append(min(BATCH, max(FIRST, server.count.value // SHARE)))
            server.settle()
            server.life.value += 1
        _live_until(server, folder, told, None)
        requests = server.requests()
    _compare(outcome, folder, web, known)
    outcome.refetched = _refetched(requests, kills)
    outcome.seconds = time.monotonic() - begun
    return outcome


def _live_until(server: Served, folder: Path, told: dict[str, Any], count: int | None) -> None:
    """Let it live until so many different URLs were asked for, or to the end."""
    crawler = FORK.Process(target=life, args=(folder, told))
    crawler.start()
    if count is None:
        crawler.join(LAST)
        assert crawler.exitcode == 0, f"the last life ended with {crawler.exitcode}"
    else:
        while server.count.value < count:
            assert crawler.is_alive(), f"a life ended by itself, with {crawler.exitcode}"
            time.sleep(0.001)
        _kill(crawler.pid)
        crawler.join()
    crawler.close()


def _kill(pid: int | None) -> None:
    assert pid
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:  # it has not made its group yet
        os.kill(pid, signal.SIGKILL)


def _refetched(requests: list[tuple[int, str]], kills: int) -> list[int]:
    """What each kill cost: how many of the URLs asked for in the life that it ended had to be asked for again."""
    last: dict[str, int] = {}
    again: Counter[int] = Counter()
    for number, url in requests:
        if url in last:
            again[last[url]] += 1
        last[url] = number
    return [again[number] for number in range(kills)]


def _compare(outcome: Outcome, folder: Path, web: Web, known: set[str]) -> None:
    with closing(reading(folder)) as db:
        rows = db.execute("SELECT url, status, file, offset FROM pages ORDER BY number").fetchall()
    stored = Counter(url for url, *_ in rows)
    outcome.pages = len(rows)
    outcome.lost = sorted(known - set(stored))
    outcome.strange = sorted(set(stored) - known)
    outcome.stored_twice = [url for url, count in stored.items() if count > 1]
    outcome.changed = [url for url, status, file, offset in rows if not _same(folder, web, url, status, file, offset)]
    outcome.broken = list(broken(folder, set(stored)))


def _same(folder: Path, web: Web, url: str, status: int, file: str | None, offset: int) -> bool:
    if file is None:
        return False
    sent = web.answer(url)
    return (status, read(folder / "archive" / file, offset).body) == (sent.status, sent.body)


def broken(folder: Path, urls: set[str]) -> Iterator[str]:
    """What readers of others say of the archive: damage, digests that do not hold, a page without its one record."""
    found: Counter[str] = Counter()
    for path in sorted((folder / "archive").glob("*.warc.gz")):
        with path.open("rb") as file:
            for record in ArchiveIterator(file, check_digests=True):
                record.raw_stream.read()
                if record.digest_checker.passed is False:
                    yield f"{record.rec_headers['WARC-Record-ID']}: {record.digest_checker.problems}"
                if record.rec_type in ("response", "revisit"):
                    found[record.rec_headers["WARC-Target-URI"]] += 1
        with path.open("rb") as file:
            responses = FastIterator(file, record_types=WarcRecordType.response)
            yield from (f"{record.record_id}: payload" for record in responses if not record.verify_payload_digest())
    yield from (f"{url}: {found[url]} records" for url in urls | set(found) if found[url] != 1)


def main() -> None:
    pages, kills = (int(word) for word in (sys.argv[1:] or ["5000", "200"]))
    with TemporaryDirectory(prefix="opilio-crash-") as scratch:
        outcome = crash(Path(scratch, "run"), pages, kills)
    print(f"{outcome.kills} kills over a crawl of {outcome.pages} pages, {outcome.seconds:.0f} s")
    for name in ("lost", "strange", "stored_twice", "changed", "broken"):
        found = getattr(outcome, name)
        print(f"{name.replace('_', ' ')}: {len(found)}", *found[:5])
    most, larger = max(outcome.refetched), sum(map(int.__gt__, outcome.refetched, outcome.batches))
    print(f"refetched for a kill: {most} at most (a batch is {BATCH}), {sum(outcome.refetched)} in all;", end=" ")
    print(f"more than a batch was at that moment: {larger} times")
    print("nothing lost" if outcome.good else "SOMETHING IS WRONG")
    sys.exit(not outcome.good)


if __name__ == "__main__":
    main()
