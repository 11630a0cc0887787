"""The strategies of a crawl with what they have learned, out of its run folder."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from typing import Any

from .. import registry
from ..codec import unpack
from ..config import Config
from ..fetchers.to_page import answered
from ..learning.page_likeness import Like
from ..nouns import Link, Offer, Strategy, Topic
from ..shard.saved_state import restore, restoring
from ..store.reader import Reading
from ..store.tables import check_version
from ..urls import canonical


class NoTopic(Topic):
    """Stands for the topic of a crawl where nothing is judged."""

    def text(self, text: str) -> float:
        return 0.0


def fresh(config: Config) -> Strategy:
    """The strategy of a crawl, to look at: topic and example are not learned again for that."""
    example = answered(Offer(Link("http://example.invalid/")), 200, {"content-type": "text/html"}, b"<p>example</p>")
    given: dict[str, Any] = {"topic": NoTopic(), "words": config.topic, "seed": config.seed, "truth": {}}
    given["tag"] = config.topic
    if config.like:
        given["like"] = Like([replace(example, url=canonical(url)) for url in config.like])
    return registry.make(
        config.strategy, given | ({"example": example} if config.examples or config.like else {}), restored=True
    )


def strategies(config: Config, db: Reading) -> list[Strategy]:
    """What the strategy of each shard knows; shards that saved nothing are left out."""
    for shard in db.shards:
        check_version(shard)
    restored = (_restored(config, shard) for shard in db.shards)
    return [strategy for strategy in restored if strategy]


def _restored(config: Config, shard: sqlite3.Connection) -> Strategy | None:
    row = shard.execute("SELECT data FROM state WHERE name = 'strategy'").fetchone()
    if not row:
        return None
    strategy = fresh(config)  # first, since it knows the classes of what was saved
    with restoring(shard):
        restore(strategy, unpack(row[0]))
    return strategy
