"""Shards are killed, and machines with their disks, all through a crawl: what is lost, and how long until they are back?"""

from __future__ import annotations

import random
import signal
import statistics
import time
from dataclasses import dataclass, field
from typing import Any

from benchmarks.crash import moments, reachable, served
from opilio.config import Config
from opilio.engine.cluster.actor import Source
from opilio.engine.cluster.driver import Cluster
from opilio.start import source
from opilio.synth.web import Web

from .crawl import Kept, crawled, kept, settings
from .nodes import Nodes, shard_pids, signalled

LATE = 10  # of this many kills one is in the last 3 % of the crawl
QUICK = 30.0  # seconds within which 95 of 100 shards are back


@dataclass
class Outcome:
    """What the kills did."""

    shards: int = 0
    nodes: int = 0
    missed: int = 0  # kills for which the crawl was over too soon
    kept: Kept = field(default_factory=Kept)
    recovered: list[float] = field(default_factory=list)  # seconds until a shard was back
    seconds: float = 0.0

    @property
    def slow(self) -> float:
        """The recovery that only one of twenty is slower than."""
        if len(self.recovered) < 2:
            return max(self.recovered, default=0.0)
        return statistics.quantiles(self.recovered, n=20, method="inclusive")[-1]

    @property
    def good(self) -> bool:
        return self.kept.good and self.slow < QUICK and not self.missed

    def __str__(self) -> str:
        middle = statistics.median(self.recovered) if self.recovered else 0.0
        most = max(self.recovered, default=0.0)
        return (
            f"{self.shards} shards and {self.nodes} machines with their disks killed in {self.seconds:.0f} s: {self.kept}; one "
            f"shard is back after {middle:.1f} s in the middle, {self.slow:.1f} s for 95 of 100, {most:.1f} s at most"
        )


class Killer:
    """Looks on while a crawl runs, and kills at given numbers of pages."""

    def __init__(self, nodes: Nodes, shards: list[int], machines: list[int], seed: int = 7) -> None:
        self.outcome = Outcome()
        self._nodes, self._chance = nodes, random.Random(seed)
        self._pending = sorted([(pages, self._shard) for pages in shards] + [(pages, self._machine) for pages in machines],
                               key=lambda kill: kill[0])  # fmt: skip
        self._away: dict[int, tuple[int, float]] = {}  # shards that were killed: in which life, and when

    def __call__(self, run: Cluster) -> None:
        self._look(run)
        if self._pending and run.standing().pages >= self._pending[0][0] and shard_pids(run.config.state):
            self._pending.pop(0)[1](run)

    @property
    def pending(self) -> int:
        return len(self._pending)

    def _look(self, run: Cluster) -> None:
        for shard in run.shards():
            life, when = self._away.get(shard.shard, (shard.life, 0.0))
            if shard.at_work and shard.life > life:
                self.outcome.recovered.append(time.monotonic() - when)
                del self._away[shard.shard]

    def _gone(self, run: Cluster, victims: set[int]) -> None:
        """One that was killed again while it came back is away since then."""
        lives = {shard.shard: shard.life for shard in run.shards()}
        for index in victims:
            self._away[index] = (lives[index], time.monotonic())

    def _shard(self, run: Cluster) -> None:
        pids = shard_pids(run.config.state)
        victim = self._chance.choice(list(pids))
        self._gone(run, {victim})
        signalled(pids[victim], signal.SIGKILL)
        self.outcome.shards += 1

    def _machine(self, run: Cluster) -> None:
        before = shard_pids(run.config.state)
        self._nodes.kill()
        after = shard_pids(run.config.state)
        self._gone(run, {index for index, pid in before.items() if after.get(index) != pid})
        self._nodes.add()
        self.outcome.nodes += 1


def killed(
    nodes: Nodes, web: Web, state: str, shards: int, kills: int, machines: int, told: Source = source, **more: Any
) -> Outcome:
    """Crawl a web with this many kills on the way, a tenth of them late."""
    known, begun = reachable(web), time.monotonic()
    with served(web) as server:
        killer = Killer(nodes, spread(len(known), kills), spread(len(known), machines))
        config = Config(**settings(web, server.port, address=nodes.address, state=state, shards=shards, **more))
        why = crawled(config, killer, told)
    assert why == "nothing left to fetch", why
    outcome = killer.outcome
    outcome.missed = killer.pending
    outcome.seconds, outcome.kept = time.monotonic() - begun, kept(state, known)
    return outcome


def spread(pages: int, kills: int) -> list[int]:
    late = -(-kills // LATE)
    return moments(pages, kills - late, late) if kills else []
