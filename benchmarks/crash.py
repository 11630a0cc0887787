"""Kills a live crawl again and again, and looks for what got lost: `make crash`.

A synthetic web is served over HTTP on loopback by one process; another crawls it and is killed with SIGKILL, its whole
process group, whenever the server has been asked for this many pages more: moments spread evenly over the crawl, and more of
them over the last 3 %, blind to what the crawler is doing. Then it goes on in a new process. Of a crawl by two processes,
every second kill hits one worker alone, which the crawl has to start again itself. In the end, what is stored is held
against all that links lead to. Then the commands are killed that people use on a crawl (crash_commands.py), and those that
copy it or visit its pages again (crash_copies.py).
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
from http.client import HTTPConnection
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from warcio.archiveiterator import ArchiveIterator

from opilio import registry
from opilio.config import Config
from opilio.engine.run_folder import configured
from opilio.fetchers.to_page import answered
from opilio.nouns import Link, Offer
from opilio.shard import FIRST, SHARE
from opilio.start import made
from opilio.store.reader import reading
from opilio.store.warc import read
from opilio.synth.layout import Settings
from opilio.synth.local_server import port_of, serve
from opilio.synth.web import Web

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it warns, as soon as it is imported, of old classes of its own
    from fastwarc.warc import ArchiveIterator as FastIterator
    from fastwarc.warc import WarcRecordType

FORK = get_context("fork")  # a life of the crawler begins in milliseconds, so that two hundred fit into minutes
BATCH = 50
LAST = 300.0  # seconds that the last life may take
NOBODY = "nobody.test"  # the host of requests that do not count
END = 0.03  # the share of a crawl in which the late kills are


@dataclass
class Outcome:
    """What two hundred deaths did, all counts of trouble."""

    kills: int = 0
    processes: int = 1
    pages: int = 0
    lost: list[str] = field(default_factory=list)  # reachable, and not stored
    strange: list[str] = field(default_factory=list)  # stored, and not reachable
    stored_twice: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)  # payloads that are not what the server sent
    broken: list[str] = field(default_factory=list)  # records that a reader of others rejects
    refetched: list[int] = field(default_factory=list)  # for each kill
    victims: list[int] = field(
        default_factory=list
    )  # processes that each kill hit: each has a batch of its own in flight
    batches: list[int] = field(default_factory=list)  # what a batch was at each kill: it grows at the beginning
    seconds: float = 0.0

    @property
    def good(self) -> bool:
        trouble = (self.lost, self.strange, self.stored_twice, self.changed, self.broken)
        return not any(trouble) and not self.larger([BATCH] * self.kills)

    def larger(self, batches: list[int]) -> int:
        """How many kills cost more than a batch for each process that was hit."""
        return sum(cost > batch * hit for cost, batch, hit in zip(self.refetched, batches, self.victims, strict=True))


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


class Served:
    """The web in a process of its own; it counts URLs that were asked for, and knows in which life of the crawler."""

    def __init__(self, web: Web) -> None:
        self.count, self.life = FORK.Value("l", 0), FORK.Value("l", 0)
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
        """Wait until what the dead has sent is answered, so that it counts for the right life: who comes last is served last."""
        for _ in range(3):  # to be accepted, to be read, and one to spare
            with closing(HTTPConnection("127.0.0.1", self.port, timeout=LAST)) as last:
                last.request("GET", "/", headers={"Host": NOBODY})
                last.getresponse().read()

    def kill(self) -> None:
        self._process.kill()
        self._process.join()
        self._ours.close()

    def _main(self, web: Web, pipe: Connection) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        seen: list[tuple[int, str]] = []
        different: set[str] = set()

        def answer(url: str) -> Any:
            if url == f"http://{NOBODY}/":
                return web.answer(url)
            seen.append((self.life.value, url))
            different.add(url)
            self.count.value = len(different)
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
        "delay": 0.0, "fetch_to": f"127.0.0.1:{port}",
        "contact": "test@opilio.test",
    }  # fmt: skip


def life(folder: Path, told: dict[str, Any]) -> None:
    """One life of the crawler, in a process group of its own."""
    os.setsid()
    crawled(folder, configured(folder) if (folder / "config.toml").exists() else Config(**told))


def crawled(folder: Path, config: Config) -> None:
    """Crawl until something ends it."""
    with closing(made(folder, config)) as run:
        run.go()


def crash(
    folder: Path, pages: int = 5000, kills: int = 200, seed: int = 11, processes: int = 1, late: int = 0
) -> Outcome:
    """Crawl a web into a folder, killed so often on the way, and so often late."""
    dict(registry.strategies()), dict(registry.topics())  # loaded once, here, and not in every life
    web, begun = finite(pages, seed), time.monotonic()
    known = reachable(web)
    outcome = Outcome(kills + late, processes)
    with served(web) as server:
        lives = Lives(folder, settings(web, server.port) | {"processes": processes, "max_barren": 0}, server)
        for number, count in enumerate(moments(len(known), kills, late)):
            lives.wait(count)
            outcome.batches.append(min(BATCH, max(FIRST, server.count.value // SHARE)))
            alone = processes > 1 and number % 2 == 1
            outcome.victims.append(1 if alone else processes)
            lives.kill_worker() if alone else lives.kill()
        lives.end()
        requests = server.requests()
    _compare(outcome, folder, web, known)
    outcome.refetched = _refetched(requests, outcome.kills)
    outcome.seconds = time.monotonic() - begun
    return outcome


def moments(pages: int, kills: int, late: int) -> list[int]:
    """After how many pages the kills are: spread over the crawl, and the late ones over its end."""
    spread = [round(number * pages / (kills + 1)) for number in range(1, kills + 1)]
    return sorted(spread + [pages - round(END * pages * number / late) for number in range(1, late + 1)])


class Lives:
    """The crawler, which is born again when it was killed."""

    def __init__(self, folder: Path, told: dict[str, Any], server: Served) -> None:
        self._folder, self._told, self._server = folder, told, server
        self._begin()

    def _begin(self) -> None:
        self._crawler = FORK.Process(target=life, args=(self._folder, self._told))
        self._crawler.start()

    def wait(self, count: int) -> None:
        """Let it live until this many different URLs were asked for."""
        while self._server.count.value < count:
            assert self._crawler.is_alive(), f"a life ended by itself, with {self._crawler.exitcode}"
            time.sleep(0.001)

    def kill(self) -> None:
        """Kill it, and all of its workers; then it goes on."""
        kill(self._crawler.pid)
        self._crawler.join()
        self._crawler.close()
        self._server.settle()
        self._server.life.value += 1  # before the next one asks for anything: what that costs is not this one's
        self._begin()

    def kill_worker(self) -> None:
        """Kill one worker; the crawl starts another."""
        while self._crawler.is_alive() and not (found := self._workers()):
            time.sleep(0.001)
        if self._crawler.is_alive():
            os.kill(found[0], signal.SIGKILL)
        self._server.settle()
        self._server.life.value += 1

    def _workers(self) -> list[int]:
        """The workers of this life: an id that was left in a lock file may be anybody's by now."""
        told = (path.read_text().strip() for path in sorted(self._folder.glob("lock-*")))
        return [int(pid) for pid in told if pid.isdigit() and _parent(pid) == self._crawler.pid]

    def end(self) -> None:
        """Let it live to its end."""
        self._crawler.join(LAST)
        if ended := not self._crawler.is_alive():
            assert self._crawler.exitcode == 0, f"the last life ended with {self._crawler.exitcode}"
        else:
            kill(self._crawler.pid)
        assert ended, "the last life does not end"


def _parent(pid: str) -> int:
    try:
        return int(Path("/proc", pid, "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:  # it is gone
        return 0


def kill(pid: int | None) -> None:
    """Kill a process and all of its group."""
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
    """Of the kills six tenths hit one process, three tenths two, one tenth the commands; a tenth of all are late each time.

    Copies and visits come on top, as many times each as a command.
    """
    from .crash_commands import COMMANDS, kill_commands  # which need this one
    from .crash_copies import CHECKS, kill_copies

    pages, kills = (int(word) for word in (sys.argv[1:] or ["5000", "200"]))
    tenth, good = kills // 10, True
    for processes, spread in ((1, 5 * tenth), (2, 2 * tenth)):
        with TemporaryDirectory(prefix="opilio-crash-") as scratch:
            outcome = crash(Path(scratch, "run"), pages, spread, processes=processes, late=tenth)
        _show(outcome)
        good = good and outcome.good
    for names, killed in ((COMMANDS, kill_commands), (CHECKS, kill_copies)):
        for processes, each in ((1, -(-tenth // 8)), (2, tenth // 8)):
            with TemporaryDirectory(prefix="opilio-crash-") as scratch:
                trouble = killed(Path(scratch), each, processes=processes)
            print(f"{each * len(names)} kills of {', '.join(names)} on a crawl by {processes}: trouble {len(trouble)}")
            print(*trouble[:5], sep="\n", end="\n" if trouble else "", flush=True)
            good = good and not trouble
    print("nothing lost" if good else "SOMETHING IS WRONG")
    sys.exit(not good)


def _show(outcome: Outcome) -> None:
    crawl = f"a crawl of {outcome.pages} pages, processes: {outcome.processes}"
    print(f"{outcome.kills} kills over {crawl}, {outcome.seconds:.0f} s")
    for name in ("lost", "strange", "stored_twice", "changed", "broken"):
        found = getattr(outcome, name)
        print(f"{name.replace('_', ' ')}: {len(found)}", *found[:5])
    for hit in sorted(set(outcome.victims)):
        costs = [cost for cost, victims in zip(outcome.refetched, outcome.victims, strict=True) if victims == hit]
        which = f"{hit} process{'es' if hit > 1 else ''}"
        print(f"refetched for a kill of {which}: {max(costs)} at most, {sum(costs)} in all, by {len(costs)} kills")
    print(f"more than a batch ({BATCH} at most) for each of them: {outcome.larger(outcome.batches)} times", flush=True)


if __name__ == "__main__":
    main()
