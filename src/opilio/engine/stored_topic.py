"""The topic of a run folder as it judges now, to look at: the crawl may go on meanwhile."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from ..codec import unpack
from ..errors import ConfigError
from ..shard.saved_state import learned, restoring
from ..store.reader import reading
from ..store.tables import check_version
from ..topics.adaptive import Growing
from ..topics.models.auto import Auto
from .run_folder import configured
from .topic import FILE


def stored_topic(folder: Path) -> Growing:
    """Of several processes, the topic of the one that saw the most pages; ConfigError where the crawl has none."""
    config = configured(folder)
    if not (folder / FILE).is_file():
        raise ConfigError(
            f"{folder}: this crawl has no topic, so no page is judged; one that has it is started with --topic WORDS or "
            f"--example URL"
        )
    given = Auto.load(folder / FILE)
    with closing(reading(folder)) as db:
        return max((_restored(Growing(given, config.adapt), shard) for shard in db.shards), key=lambda one: one.seen_)


def _restored(topic: Growing, shard: sqlite3.Connection) -> Growing:
    check_version(shard)
    for name in learned(topic):
        if row := shard.execute("SELECT data FROM state WHERE name = ?", (f"topic {name}",)).fetchone():
            with restoring(shard):
                setattr(topic, name, unpack(row[0]))
    return topic
