"""A crawl by several processes brings what one brings, whichever of them dies on the way, and reads like one."""

from __future__ import annotations

import asyncio
import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from benchmarks.crash import Served, finite, reachable, seeds, served, settings
from typer.testing import CliRunner

from opilio import start
from opilio.cli.commands import app
from opilio.codec import unpack
from opilio.config import Config
from opilio.engine.parallel.budget import Allowance
from opilio.engine.parallel.coordinator import Coordinator
from opilio.engine.parallel.members import Member, ProcessMember, quiet
from opilio.engine.parallel.processes import Processes
from opilio.engine.parallel.protocol import CAP, RECEIVED, REPORT, Report
from opilio.engine.parallel.sockets import SocketLine, framed
from opilio.engine.parallel.turns import SHARE, listed, turns
from opilio.errors import ConfigError, UnreadableError
from opilio.store.reader import reading
from opilio.synth.corpus import write
from opilio.synth.web import Web
from opilio.system import steady_clock

from .test_archive import checked

pytestmark = pytest.mark.slow

PATIENCE = 120.0  # seconds
COMMAND = [sys.executable, "-c", "from opilio.cli import main; main()"]


@pytest.fixture(scope="module")
def web() -> Web:
    return finite(500, 4)


@pytest.fixture(scope="module")
def corpus(web: Web, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus") / "web"
    write(web, folder, workers=1)
    return folder


@pytest.fixture
def server(web: Web) -> Iterator[Served]:
    with served(web) as running:
        yield running


@pytest.fixture(scope="module")
def run(corpus: Path, web: Web, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl of all of the corpus by two processes, to look at."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    told = {
        "corpus": str(corpus),
        "seeds": seeds(web),
        "topic": "beekeeping",
        "strategy": "breadth-first",
        "max_barren": 0,
    }
    assert crawl(folder, Config(**told, max_pages=5000)) == "nothing left to fetch"
    return folder


def crawl(folder: Path, config: Config) -> str:
    source, home = start.source(config)
    crawling = Processes(
        folder, config.model_copy(update={"processes": 2}), [*start.SHARD_COMMAND, str(folder)], source, home
    )
    with closing(crawling):
        return crawling.go()


def stored(folder: Path) -> list[str]:
    """Every page, once for each time that it was stored."""
    with suppress(Exception), closing(reading(folder)) as db:
        return [url for (url,) in db.execute("SELECT url FROM pages ORDER BY url")]
    return []


def started(folder: Path, told: dict[str, Any]) -> subprocess.Popen[bytes]:
    """The command itself, in a process group of its own."""
    words = [word for url in told["seeds"] for word in ("--seed", url)]
    words += [word for name, value in told.items() if name != "seeds" for word in ("-s", f"{name}={json.dumps(value)}")]
    quiet = subprocess.DEVNULL
    return subprocess.Popen(
        [*COMMAND, "crawl", *words, "--out", str(folder)], start_new_session=True, stdout=quiet, stderr=quiet
    )


def until(done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_two_processes_bring_the_same_pages_as_one(run: Path, web: Web) -> None:
    assert stored(run) == sorted(reachable(web))
    checked(run)
    with closing(reading(run)) as db:
        parts = [
            part.execute("SELECT count(*), min(number) % 2, max(number) % 2 FROM pages").fetchone()
            for part in db.shards
        ]
        letters = [part.execute("SELECT count(*) FROM letters").fetchone()[0] for part in db.shards]
    assert min(count for count, *_ in parts) > 100
    assert [tuple(numbers) for _, *numbers in parts] == [(1, 1), (0, 0)]
    assert letters == [0, 0]


def test_a_run_folder_of_two_shards_reads_like_one(run: Path, web: Web, tmp_path: Path) -> None:
    count, page = len(reachable(web)), web.seeds("beekeeping")[0]
    assert json.loads(said("status", run, "--json"))["pages"] == count
    rows = [json.loads(line) for line in said("export", run, "--format", "jsonl", "-o", "-").splitlines()]
    assert len({row["number"] for row in rows}) == len(rows) >= count * 0.9
    assert json.loads(said("search", run, "beekeeping", "--json"))
    told = json.loads(said("explain", run, page, "--json"))
    assert told["state"] == "fetched"
    assert Path(said("report", run).strip()).stat().st_size > 10_000
    said("corpus", "from", run, tmp_path / "again")
    assert start.source(Config(corpus=str(tmp_path / "again")))[0]


def said(*words: object) -> str:
    result = CliRunner().invoke(app, list(map(str, words)))
    assert result.exit_code == 0, result.output
    return result.stdout


def test_what_people_say_of_a_page_goes_to_all_shards(run: Path) -> None:
    with closing(reading(run)) as db:
        url = db.shards[1].execute("SELECT url FROM pages WHERE file IS NOT NULL AND status = 200").fetchone()[0]
    said("label", run, "--yes", url)
    with closing(reading(run)) as db:
        told = [part.execute("SELECT data FROM state WHERE name = 'topic told_'").fetchone()[0] for part in db.shards]
    assert [list(unpack(data)) for data in told] == [[url], [url]]


def test_both_shards_are_searched(run: Path) -> None:
    with closing(reading(run)) as db:
        titles = [
            part.execute("SELECT title, url FROM pages WHERE status = 200 AND length(title) > 20").fetchone()
            for part in db.shards
        ]
    for title, url in titles:
        found = json.loads(said("search", run, f'"{title}"', "--json", "-n", "100"))
        assert url in json.dumps(found)


@pytest.mark.slow
def test_limits_are_shared_and_a_worker_that_cannot_work_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "run"
    config = Config(corpus="synth:2000:3", topic="beekeeping", strategy="otie", max_pages=150, batch=10)
    assert crawl(folder, config.model_copy(update={"max_bytes": 100_000})) == "byte limit: 100000"
    assert 5 < len(stored(folder)) < 150
    with monkeypatch.context() as patched:
        limits = Config.limits
        patched.setattr(Config, "limits", lambda self: limits(self)._replace(window=50))
        assert crawl(folder, config.model_copy(update={"saturation": 1.0})).startswith("saturated: ")
    assert len(stored(folder)) < 150
    assert crawl(folder, config) == "page limit: 150"
    assert len(stored(folder)) == 150
    with pytest.raises(ConfigError, match="made by 2 processes"):
        Processes(folder, config.model_copy(update={"processes": 3}), [], home="http://a.example/")
    with closing(sqlite3.connect(folder / "state-1.db")) as db:
        db.execute("PRAGMA user_version = 99")
    with pytest.raises(UnreadableError, match="another version"):  # the sentence comes from a worker
        crawl(folder, config)


@pytest.mark.slow
def test_kills_lose_nothing_and_store_nothing_twice(web: Web, server: Served, tmp_path: Path) -> None:
    """Over HTTP: first one worker is killed, then Ctrl-C is pressed, then all are killed; every time it goes on."""
    folder, told = tmp_path / "run", settings(web, server.port) | {"max_barren": 0, "processes": 2}
    with started(folder, told) as process:
        until(lambda: len(stored(folder)) > 60)
        victim = int((folder / "lock-1").read_text())
        os.kill(victim, signal.SIGKILL)
        until(lambda: (folder / "lock-1").read_text().strip() not in ("", str(victim)))
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        assert process.wait(PATIENCE) == 130
    before, total = len(stored(folder)), len(reachable(web))
    assert 60 < before < total
    with resumed(folder) as process:
        until(lambda: len(stored(folder)) > before + min(60, (total - before) // 2))  # on a slow machine few are left
        os.killpg(process.pid, signal.SIGKILL)
    with resumed(folder) as process:
        assert process.wait(PATIENCE) == 0
    assert stored(folder) == sorted(reachable(web))
    checked(folder)


class KilledLate(Processes):
    """The second worker is killed when all shards are idle for the first time, before it knows that its letters were heard."""

    killed = False

    async def _start(self, member: ProcessMember) -> None:
        await super()._start(member)
        if member.index == 1 and not self.killed:
            say, self._ended = member.say, self._coordinator.ended_stage
            member.say = lambda kind, *told: None if kind == RECEIVED else say(kind, *told)  # type: ignore[method-assign]
            self._coordinator.ended_stage = self._kill  # type: ignore[method-assign]

    def _kill(self, reports: Sequence[Report]) -> str:
        if self.killed:
            return self._ended(reports)
        victim, self.killed = self._members[1], True
        del victim.say
        victim.process.kill()
        victim.process.wait()
        return ""


def test_a_crawl_ends_although_a_worker_died_at_its_end(corpus: Path, web: Web, tmp_path: Path) -> None:
    """The reborn worker has letters in its database that the others heard long ago: it must learn that they were."""
    told = Config(corpus=str(corpus), seeds=seeds(web), strategy="breadth-first", max_barren=0, max_pages=5000)
    config = told.model_copy(update={"processes": 2})
    crawling = KilledLate(
        tmp_path / "run", config, [*start.SHARD_COMMAND, str(tmp_path / "run")], *start.source(config)
    )
    deadline = time.monotonic() + PATIENCE

    def in_time() -> None:
        assert time.monotonic() < deadline, "the crawl does not end"

    with closing(crawling):
        assert crawling.go(in_time) == "nothing left to fetch"
    assert crawling.killed
    assert stored(tmp_path / "run") == sorted(reachable(web))


def test_a_shard_whose_state_is_older_than_its_letters_goes_on(corpus: Path, web: Web, tmp_path: Path) -> None:
    """As when a backup of one database was put back: its letters get new numbers, and lost ones are skipped."""
    folder, saved = tmp_path / "run", tmp_path / "state.db"
    config = Config(corpus=str(corpus), seeds=seeds(web), strategy="breadth-first", max_barren=0, batch=10)
    crawl(folder, config.model_copy(update={"max_pages": 200}))
    shutil.copy(folder / "state.db", saved)
    crawl(folder, config.model_copy(update={"max_pages": 400}))
    shutil.copy(saved, folder / "state.db")
    assert crawl(folder, config.model_copy(update={"max_pages": 5000})) == "nothing left to fetch"
    urls = stored(folder)
    assert len(urls) == len(set(urls))
    assert len(urls) > 400


def resumed(folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*COMMAND, "resume", str(folder)], start_new_session=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def test_a_made_up_web_is_crawled_without_being_stored() -> None:
    with pytest.raises(ConfigError, match="synth:PAGES"):
        start.source(Config(corpus="synth:many"))
    fetcher, home = start.source(Config(corpus="synth:1000:5"))
    assert fetcher
    assert home == Web(1000, 5).place(0).url


# The parts


def report(**told: Any) -> Report:
    plain = Report(0, 0, 0.0, 0, 0, 0, [], 0, False, 0, False, {}, {}, [], "")
    return plain._replace(**told)


def test_what_is_dealt_out_never_exceeds_the_limit() -> None:
    allowance, pages, caps = Allowance(1000, 3), [0, 0, 0], [0, 0, 0]
    for turn in range(500):
        reports = [report(pages=pages[i], cap=caps[i]) for i in range(3)]
        for index, cap in allowance.dealt(reports, [100] * 3):
            assert cap is not None
            caps[index] = cap
        assert sum(caps) <= 1000
        busy = turn % 3
        pages[busy] += min(7, caps[busy] - pages[busy])
    assert pages == caps
    assert sum(pages) == 1000


def test_while_a_shard_comes_back_the_others_go_on_with_what_it_cannot_have_used() -> None:
    allowance, caps = Allowance(100, 2), [0, 0]

    def deal(*reports: Report | None) -> None:
        for index, cap in allowance.dealt(reports, [20] * 2):
            caps[index] = cap or 0

    deal(report(), report())
    allowance.forget(1)
    for _ in range(100):
        deal(report(pages=caps[0], cap=caps[0]), None)
    assert caps == [80, 20]
    deal(report(pages=80, cap=80), report(pages=3))  # of its last batch nothing was committed
    assert caps[1] > 3
    assert 83 < sum(caps) <= 100


def test_an_idle_shard_gives_back_what_it_cannot_use() -> None:
    allowance = Allowance(100, 2)
    dict(allowance.dealt([report(), report()], [100] * 2))
    caps = dict(allowance.dealt([report(), report()], [100] * 2))
    while more := dict(allowance.dealt([report(cap=caps.get(0, 0)), report(cap=caps.get(1, 0))], [100] * 2)):
        caps |= more
    full = [report(pages=caps[0] or 0, cap=caps[0]), report(idle=True, cap=caps[1])]
    assert list(allowance.dealt(full, [100] * 2)) == [(1, None)]
    assert not list(allowance.dealt(full, [100] * 2))  # it was asked already
    freed = dict(allowance.dealt([full[0], report(idle=True, given=1)], [100] * 2))
    assert 0 < (freed[0] or 0) - (caps[0] or 0) <= (caps[1] or 0)


def test_a_shard_whose_offers_are_cheaper_waits_unless_the_others_have_few() -> None:
    dear, cheap = report(pages=100, prices=[1.0] * listed(10)), report(pages=100, prices=[0.5] * listed(10))
    assert turns([dear, cheap], 10) == [listed(10) + 1, 0]
    assert turns([dear._replace(prices=[1.0] * 3), cheap], 10) == [4, listed(10) + 1]
    assert turns([dear._replace(prices=[]), cheap], 10) == [1, listed(10) + 1]
    assert turns([None, cheap], 10)[1] == listed(10) + 1


def test_the_best_offers_are_fetched_wherever_they_are() -> None:
    chance = random.Random(4)
    for pages in (0, 800, 4000, 100_000):
        lists = [sorted((chance.random() for _ in range(chance.randrange(10, 30))), reverse=True) for _ in range(8)]
        least = sorted(chain.from_iterable(lists), reverse=True)[: min(max(20, int(SHARE * pages)), 8 * listed(20))][-1]
        wanted = [sum(price >= least for price in prices) for prices in lists]
        found = turns([report(pages=pages // 8, prices=prices) for prices in lists], 20)
        assert found == [count + (count == len(prices)) for count, prices in zip(wanted, lists, strict=True)]


def test_many_shards_whose_offers_cost_about_the_same_all_work() -> None:
    """Their prices differ by chance; the best of a thousand has more than most of them ever have."""
    chance = random.Random(5)
    lists = [sorted((chance.random() for _ in range(listed(50))), reverse=True) for _ in range(1000)]
    reports = [report(pages=2000, prices=prices) for prices in lists]
    assert np.mean(np.array(turns(reports, 50)) == 0) < 0.2
    reports[0] = report(pages=2000, prices=[2.0] * listed(50))
    assert np.mean(np.array(turns(reports, 50)) == 0) < 0.2  # they do not wait for one
    for index in range(200):
        reports[index] = report(pages=2000, prices=[2.0] * listed(50))
    found = turns(reports, 50)
    assert all(found[:200])
    assert not any(found[200:])


@pytest.mark.parametrize("shards", [2, 8, 32])
def test_a_young_crawl_fetches_one_batch_at_a_time(shards: int) -> None:
    chance = random.Random(6)
    reports = [
        report(pages=3, prices=sorted((chance.random() for _ in range(60)), reverse=True)) for _ in range(shards)
    ]
    assert sum(turns(reports, 50)) == 50


class Told(Member):
    """A shard that only notes what it is told."""

    gone = False

    def __init__(self, index: int) -> None:
        super().__init__(index)
        self.cap = 0

    def say(self, *message: Any) -> None:
        if message[0] == CAP:
            self.cap = message[1]


@pytest.mark.parametrize("silent", [True, False])
def test_a_shard_that_hangs_with_good_offers_holds_nobody_back(monkeypatch: pytest.MonkeyPatch, silent: bool) -> None:
    """It says nothing any more, or again and again that it has fetched nothing of what it may."""
    clock = [1e9]
    monkeypatch.setattr(steady_clock, "now", lambda: clock[0])
    members = [Told(0), Told(1)]
    coordinator = Coordinator(Config(max_pages=5000, batch=10, seeds=["http://a.example/"]), members)
    coordinator.wait = lambda: asyncio.sleep(0)  # type: ignore[method-assign]
    fetched = [0]

    def second(hangs: bool) -> None:
        """The first shard has the better offers; both fetch whatever they may."""
        clock[0] += 1
        if not (hangs and silent and fetched[1:]):
            better = report(pages=0 if hangs else members[0].cap, cap=members[0].cap, prices=[1.0] * listed(10))
            coordinator.hear(members[0], [REPORT, *better])
        cheaper = report(pages=members[1].cap, cap=members[1].cap, prices=[0.5] * listed(10))
        coordinator.hear(members[1], [REPORT, *cheaper])
        assert not asyncio.run(coordinator.turn())
        fetched.append(members[1].cap)

    for _ in range(5):
        second(hangs=True)
    assert fetched[-1] == 0  # it may still come round
    for _ in range(5):
        second(hangs=True)
    assert fetched[-1] >= 2 * listed(10)
    second(hangs=False)
    assert fetched[-1] - fetched[-2] <= 1, "it works again, and comes first again"
    for _ in range(8):
        second(hangs=False)
    assert fetched[-1] - fetched[-9] <= 1


def test_letters_on_their_way_are_not_the_end() -> None:
    left, right = report(idle=True, posted={1: 5}), report(idle=True, received={0: 4})
    assert not quiet([left, right])
    assert quiet([left, right._replace(received={0: 5})])
    assert not quiet([left._replace(idle=False), right._replace(received={0: 5})])


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_messages_arrive_whole_in_whatever_pieces(size: int) -> None:
    received: list[Any] = []
    line = SocketLine(received.append, lambda: None)
    sent = [("letters", 1, [(7, b"x" * 300)]), ("stop",), ("cap", 5)]
    data = b"".join(map(framed, sent))
    for begin in range(0, len(data), size):
        line.data_received(data[begin : begin + size])
    assert received == [list(message) for message in sent]
