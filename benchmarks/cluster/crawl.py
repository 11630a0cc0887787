"""A crawl of all of a synthetic web on a cluster, over HTTP, and what of it was kept in the end."""

from __future__ import annotations

import math
import sqlite3
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.crash import broken, seeds
from opilio.codec import unpack
from opilio.config import Config
from opilio.engine.cluster.actor import Source
from opilio.engine.cluster.driver import Cluster
from opilio.engine.cluster.pull import pull
from opilio.frontier.disk.frontier import DiskFrontier
from opilio.nouns import Lane, Weight
from opilio.start import source
from opilio.store.reader import state_files
from opilio.synth.web import Web

PATIENCE = 3600.0  # seconds that a crawl may take
CASH = 1e-12  # that may be missing


@dataclass
class Kept:
    """What a crawl has kept, all counts of trouble but for the pages."""

    pages: int = 0
    lost: list[str] = field(default_factory=list)  # reachable, and not stored
    strange: list[str] = field(default_factory=list)  # stored, and not reachable
    twice: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)  # records that a reader of others rejects
    cash: float = 1.0  # of opic, in all frontiers and letters

    @property
    def good(self) -> bool:
        return not (self.lost or self.strange or self.twice or self.broken) and abs(self.cash - 1) <= CASH

    def __str__(self) -> str:
        counts = ", ".join(f"{name} {len(getattr(self, name))}" for name in ("lost", "strange", "twice", "broken"))
        return f"{self.pages:,} pages kept; {counts}; cash 1 {self.cash - 1:+.1e}"


def settings(web: Web, port: int, **more: Any) -> dict[str, Any]:
    """A crawl of all that there is, with opic: no topic, no delay, nothing held back."""
    return {
        "seeds": seeds(web), "strategy": "opic", "batch": 20, "max_pages": 10**9, "obey": [], "sitemaps": False, "delay": 0.0,
        "fetch_to": f"127.0.0.1:{port}", "max_barren": 0, "contact": "test@opilio.test", "engine": "ray",
    } | more  # fmt: skip


def crawled(config: Config, watch: Callable[[Cluster], None], told: Source = source) -> str:
    """Crawl to the end; why it ended."""
    deadline = time.monotonic() + PATIENCE
    with closing(Cluster(config, told)) as run:

        def look() -> None:
            if time.monotonic() > deadline:
                raise SystemExit(f"the crawl does not end: {run.standing()}")
            watch(run)

        return run.go(look)


def kept(state: str, known: set[str]) -> Kept:
    """What was kept of a crawl, held against what there is."""
    with TemporaryDirectory(prefix="opilio-cluster-") as scratch:
        folder = pull(state, Path(scratch, "run"))
        stored: Counter[str] = Counter()
        cash: list[float] = []
        for path in state_files(folder):
            with closing(sqlite3.connect(path, isolation_level=None)) as db:
                stored.update(url for (url,) in db.execute("SELECT url FROM pages"))
                cash += [_cash(db), *_letters(db)]
        records = list(broken(folder, set(stored)))
    return Kept(
        stored.total(),
        sorted(known - set(stored)),
        sorted(set(stored) - known),
        [url for url, count in stored.items() if count > 1],
        records,
        math.fsum(cash),
    )


def _cash(db: sqlite3.Connection) -> float:
    def weigh(lane: Lane) -> Weight:
        return Weight()

    return float(DiskFrontier(db, weigh, "sum", 0.0, False, True, 0.0).total())


def _letters(db: sqlite3.Connection) -> list[float]:
    """The cash in letters that nobody has confirmed; after the end of a crawl, all were heard."""
    rows = db.execute("SELECT say FROM letters").fetchall()
    return [offer.value for (data,) in rows for offer in unpack(data)]
