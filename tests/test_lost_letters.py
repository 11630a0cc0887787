"""Shards whose letters get lost, come twice, or in another order bring what one shard brings."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from benchmarks.crash import finite, reachable, seeds

from opilio.config import Config
from opilio.engine.cluster import actor
from opilio.engine.parallel import protocol, worker
from opilio.engine.parallel.coordinator import Coordinator
from opilio.engine.parallel.members import Member
from opilio.engine.parallel.protocol import Line
from opilio.engine.parallel.worker import Worker
from opilio.engine.run import AsyncRun
from opilio.engine.run_folder import prepare
from opilio.nouns import Offer, Page
from opilio.store.reader import reading
from opilio.synth.fetcher import SynthFetcher
from opilio.synth.web import Web

SHARDS = 3


class Bad(Line):
    """Every third letter is lost, comes twice, or comes late."""

    loses, gone = True, False

    def __init__(self, member: Direct, crawl: Crawl) -> None:
        self._member, self._crawl = member, crawl

    def say(self, *message: Any) -> None:
        kind, *told = message
        if kind not in (protocol.LETTERS, protocol.SKIP):
            self._crawl.coordinator.hear(self._member, list(message))
            return
        letter = [kind, self._member.index, told[1]]
        fate = self._crawl.chance.randrange(6)
        self._crawl.faults[fate] += 1
        hear = self._crawl.members[told[0]].worker.hear
        for _ in range({0: 0, 1: 2}.get(fate, 1)):
            if fate == 2:
                asyncio.get_running_loop().call_later(self._crawl.chance.random() * 0.3, hear, letter)
            else:
                hear(list(letter))

    def close(self) -> None:
        pass


class Direct(Member):
    """A shard in this process."""

    worker: Worker

    def say(self, *message: Any) -> None:
        if self._crawl_chance.random() > 0.1:  # what the coordinator says gets lost, too
            self.worker.hear(list(message))

    _crawl_chance: random.Random

    @property
    def gone(self) -> bool:
        return False


class Crawl:
    def __init__(self, folder: Path, web: Web, seed: int) -> None:
        self.folder, self.chance, self.faults = folder, random.Random(seed), Counter[int]()
        told = Config(
            seeds=seeds(web),
            strategy="breadth-first",
            max_barren=0,
            batch=10,
            max_pages=5000,
            saturation=0,
            corpus="synth:500",
        )
        self.config = told.model_copy(update={"processes": SHARDS})
        prepare(folder, self.config)
        self.runs = [AsyncRun(folder, self.config, SynthFetcher(web), "", (index, SHARDS)) for index in range(SHARDS)]
        self.members = [Direct(index) for index in range(SHARDS)]
        self.coordinator = Coordinator(self.config, self.members)

    async def go(self) -> str:
        tasks = []
        for run, member in zip(self.runs, self.members, strict=True):
            await run.begin()
            member.worker, member._crawl_chance = Worker(run), self.chance
        for member in self.members:
            tasks.append(asyncio.create_task(member.worker.work(Bad(member, self))))
        while not (why := await self.coordinator.turn()):
            self.coordinator.repeat()
        for member in self.members:
            member.worker.hear([protocol.STOP])
        await asyncio.gather(*tasks)
        for run in self.runs:
            await run.end()
        return why


class Waiting(SynthFetcher):
    """Pages that come when the gate is opened."""

    def __init__(self, web: Web) -> None:
        super().__init__(web)
        self.gate = asyncio.Event()

    async def fetch(self, offer: Offer) -> Page:
        await self.gate.wait()
        return await super().fetch(offer)


class Counting(Line):
    """Nobody is there; one that reports again and again without a pause never hears anything any more."""

    loses, gone, reports = True, False, 0

    def say(self, *message: Any) -> None:
        self.reports += message[0] == protocol.REPORT
        assert self.reports < 1000

    def close(self) -> None:
        pass


def test_a_shard_that_may_fetch_less_than_it_has_sent_for_waits_for_what_comes(tmp_path: Path) -> None:
    """As when it was told what an earlier life might fetch, or when the log of its commits is full."""
    web = finite(500, 4)

    async def go() -> int:
        config = Config(seeds=seeds(web), strategy="breadth-first", corpus="synth:500", processes=2)
        prepare(tmp_path / "run", config)
        fetcher, line = Waiting(web), Counting()
        run = AsyncRun(tmp_path / "run", config, fetcher, "", (0, 2))
        await run.begin()
        shard = Worker(run)
        shard.hear([protocol.CAP, 5])
        working = asyncio.create_task(shard.work(line))
        while not run.shard.in_flight and not working.done():
            await asyncio.sleep(0)
        sent, seen = run.shard.in_flight, line.reports
        shard.hear([protocol.CAP, 0])
        while line.reports < seen + 2 and not working.done():
            await asyncio.sleep(0.01)
        fetcher.gate.set()
        while run.shard.in_flight and not working.done():
            await asyncio.sleep(0.01)
        shard.hear([protocol.STOP])
        await working
        assert run.store.pages == sent
        await run.end()
        return sent

    assert asyncio.run(asyncio.wait_for(go(), 60)) > 0


def test_what_was_said_to_an_earlier_life_does_not_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(actor, "_node", lambda: "machine")
    shard = actor.ShardActor(actor.Part("state", 0, 2, 1, "names"), lambda config: (None, ""))
    shard._life = 2
    asyncio.run(shard.tell(1, [[protocol.CAP, 200]]))
    asyncio.run(shard.tell(2, [[protocol.CAP, 50]]))
    assert shard._early == [[protocol.CAP, 50]]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_letters_that_get_lost_doubled_or_reordered_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(worker, "RESEND", 0.2)
    web = finite(500, 4)
    crawl = Crawl(tmp_path / "run", web, seed)
    assert asyncio.run(asyncio.wait_for(crawl.go(), 60)) == "nothing left to fetch"
    assert min(crawl.faults[fate] for fate in (0, 1, 2)) > 5
    with closing(reading(tmp_path / "run")) as db:
        urls = [url for (url,) in db.execute("SELECT url FROM pages ORDER BY url")]
    assert urls == sorted(reachable(web))
