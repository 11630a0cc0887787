"""A clock on the wall that is set back or forward changes nothing but the dates that are written down."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from opilio.fetchers.manners.robots_cache import FRESH, Rules
from opilio.frontier.disk.frontier import DiskFrontier
from opilio.nouns import Link, Offer, Weight

# The clock is replaced before anything of ours is imported, and jumps at the third page.
CRAWL = """
import asyncio, time
real, jump = time.time, [0.0]
time.time = lambda: real() + jump[0]
from opilio.fetchers.replay import Recorded, Replay
from opilio.frontier.memory import MemoryFrontier
from opilio.loop import Limits, crawl
from opilio.shard import Shard
from opilio.store.memory import MemoryStore
from opilio.strategies.breadth_first import BreadthFirst

def find(url):
    number = int(url.rpartition("/")[2])
    jump[0] = {jump} if number >= 3 else 0.0
    return Recorded(200, {{"content-type": "text/html"}}, f'<a href="/{{number + 1}}">x</a>'.encode())

strategy, store, rounds = BreadthFirst(), MemoryStore(), iter(range(200))
shard = Shard(strategy, MemoryFrontier(strategy.weigh, delay=0.02), Replay(find), store)
shard.start(["http://a.test/0"])
why = asyncio.run(crawl([shard], Limits(pages=6, seconds=60), stop=lambda: next(rounds, None) is None))
print(why, store.pages, 0 <= store.seconds < 60)
"""
DAY = 86_400.0


@pytest.mark.parametrize("jump", [-DAY, DAY])
def test_a_clock_that_jumps_does_not_stop_a_crawl(jump: float) -> None:
    told = subprocess.run(
        [sys.executable, "-c", CRAWL.format(jump=jump)], capture_output=True, text=True, check=True, timeout=300
    )
    assert told.stdout == "page limit: 6 6 True\n"


def test_a_rest_is_kept_over_a_restart_and_no_longer_when_the_clock_was_set_back() -> None:
    with closing(sqlite3.connect(":memory:")) as db:
        frontier = DiskFrontier(db, lambda lane: Weight(), delay=5.0)
        frontier.offer(Offer(Link(f"http://{name}.test/{n}")) for name in "ab" for n in range(2))
        assert len(frontier.take(2, DAY)) == 2
        frontier.rest("b.test", DAY + 3600)
        db.commit()
        for now, until in ((DAY + 1, DAY + 5), (0.0, 5.0), (3.0, 8.0)):
            again = DiskFrontier(db, lambda lane: Weight(), now=now)
            again._leases.left.clear()
            assert again.ready(now) == until
            again.rest("a.test", now + 10_000)
            assert again.ready(now) == (DAY + 3600 if now > DAY else now + 3600)
            db.rollback()


def test_a_robots_file_that_came_later_than_now_is_fetched_again() -> None:
    assert Rules(b"", got=DAY).due(0.0)
    assert not Rules(b"", got=DAY).due(DAY + 1)
    assert Rules(b"", got=DAY).due(DAY + FRESH)
    failing = Rules(None, failing=DAY, retry=DAY + 10)
    assert [failing.due(now) for now in (0.0, DAY + 5, DAY + 10)] == [True, False, True]
