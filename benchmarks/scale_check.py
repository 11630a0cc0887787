"""What a crawl by several shards has lost, or has twice."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from opilio.engine.run_folder import configured
from opilio.engine.stored_pages import copy
from opilio.frontier.disk.row_log import Log
from opilio.frontier.rows import key_of
from opilio.start import source
from opilio.store.reader import Reading, reading
from opilio.synth.fetcher import SynthFetcher

SOME = 300  # stored pages whose links and records are looked at


@dataclass(frozen=True)
class Checked:
    """Counts; all but the first three are trouble."""

    pages: int
    again: int  # visits that the strategy asked for
    links: int  # that were looked at
    lost: int  # pages that were committed before the kill, and are not there
    twice: int  # pages that are there once too often
    broken: int  # records that are not those of their page
    unheard: int  # links that no frontier knows
    letters: int  # that were sent and not received

    def __str__(self) -> str:
        return (
            f"{self.pages:,} pages are stored, {self.again:,} of them visits that otie asked for again. Of those committed "
            f"before the kill {self.lost} are lost; {self.twice} are stored twice. Of {SOME} records "
            f"{self.broken} are broken; of the {self.links:,} links on these pages {self.unheard} are unknown to the "
            f"frontiers; {self.letters} letters between shards are lost."
        )


def committed(folder: Path) -> dict[int, str]:
    """The pages that are committed, by number."""
    with closing(reading(folder)) as db:
        return dict(db.execute("SELECT number, url FROM pages"))


def check(folder: Path, before: dict[int, str]) -> Checked:
    """Hold what is stored against what was committed earlier, and against itself."""
    with closing(reading(folder)) as db:
        pages = db.execute("SELECT count(*) FROM pages").fetchone()[0]
        again = db.execute("SELECT count(*) FROM pages WHERE lane = '[\"again\"]'").fetchone()[0]
        twice = db.execute("SELECT count(*) - count(DISTINCT url) FROM pages WHERE lane != '[\"again\"]'").fetchone()[0]
        now = dict(db.execute("SELECT number, url FROM pages")) if before else {}
        lost = sum(now.get(number) != url for number, url in before.items())
        return Checked(pages, again, *_links(db, folder, lost, twice), _letters(db))


def _links(db: Reading, folder: Path, lost: int, twice: int) -> tuple[int, int, int, int, int]:
    config, logs = configured(folder), [Log(shard) for shard in db.shards]
    bounds, web = config.bounds(), source(config)[0]
    assert isinstance(web, SynthFetcher)
    broken, links = 0, set[str]()
    for row in _some(db):
        page = copy(folder, row)
        broken += page is None or page.body != web.web.answer(row["url"]).body
        links |= {link.url for link in page.links} if page else set()
    known = {key for log in logs for key in log.read([key_of(url) for url in links])}
    unheard = sum(key_of(url) not in known and not bounds.reason(url) for url in links)
    return len(links), lost, twice, broken, unheard


def _some(db: Reading) -> list[sqlite3.Row]:
    numbers = [number for (number,) in db.execute("SELECT number FROM pages WHERE status = 200 AND file IS NOT NULL")]
    chosen = random.Random(0).sample(numbers, min(SOME, len(numbers)))
    cursor = db.cursor()
    cursor.row_factory = sqlite3.Row
    return [cursor.execute("SELECT * FROM pages WHERE number = ?", (number,)).fetchone() for number in chosen]


def _letters(db: Reading) -> int:
    """Letters that a shard posted and did not keep, and that its receiver has not heard."""
    lost = 0
    heard = [dict(shard.execute("SELECT sender, number FROM heard")) for shard in db.shards]
    for index, shard in enumerate(db.shards):
        for receiver, posted in shard.execute("SELECT receiver, number FROM posted").fetchall():
            first = shard.execute("SELECT min(number) FROM letters WHERE receiver = ?", (receiver,)).fetchone()[0]
            lost += 0 if first is not None else posted - heard[receiver].get(index, 0)
    return lost
