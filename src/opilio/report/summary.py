"""The figures of a crawl, running or finished."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..codec import unpack
from ..frontier.counts import open_urls
from ..nouns import INTERNAL, RELEVANT
from ..shard.saved_state import restoring
from ..store.manifest import known_facts
from ..store.reader import Reading, reading
from ..urls import site
from .refusals import counts as refusal_counts
from .run_state import run_state


def summary(folder: Path) -> dict[str, Any]:
    """What a crawl did so far."""
    with closing(reading(folder)) as db:
        return {"state": run_state(folder), **manifest(folder), **asked(folder), **_figures(db)}


def manifest(folder: Path) -> dict[str, Any]:
    """Version, start, stop, and why it stopped; None for what is not known."""
    known = known_facts(folder)
    return {name: known.get(name) for name in ("version", "started", "stopped", "why")}


def asked(folder: Path) -> dict[str, list[str]]:
    """The pages that the wanted ones are like, if any are named."""
    like = known_facts(folder).get("like")
    return {"like": like} if like else {}


def failures(folder: Path, most: int) -> list[tuple[str, str]]:
    """Some URLs that brought no page, each with the reason: refused, or an error."""
    refusals = "SELECT url, reason FROM refusals LIMIT ?"
    errors = "SELECT url, error FROM pages WHERE error != '' ORDER BY number LIMIT ?"
    with closing(reading(folder)) as db:
        return [row for query in (refusals, errors) for row in db.execute(query, (most,))][:most]


def unread(folder: Path) -> int:
    """How many PDF files were stored and not read, because what reads them is not installed."""
    if find_spec("pypdfium2"):
        return 0
    query = "SELECT count(*) FROM pages WHERE mime LIKE 'application/pdf%' AND status = 200"
    with closing(reading(folder)) as db:
        return int(db.execute(query).fetchone()[0])


def _figures(db: Reading) -> dict[str, Any]:
    counts = "SELECT count(*), coalesce(sum(relevance >= ?), 0), coalesce(sum(bytes), 0) FROM pages"
    pages, relevant, size = db.execute(counts, (RELEVANT,)).fetchone()
    found = db.execute("SELECT url FROM pages WHERE relevance >= ?", (RELEVANT,))
    errors = dict(db.execute("SELECT error, count(*) FROM pages WHERE error != '' GROUP BY error ORDER BY 2 DESC"))
    seconds = db.execute("SELECT value FROM meta WHERE name = 'seconds'").fetchone()
    refused, failed = refusal_counts(db), strategy_errors(db)
    return {
        "pages": pages,
        "relevant": relevant,
        "harvest_rate": round(relevant / pages, 4) if pages else 0.0,
        "sites_with_relevant_pages": len({site(url) for (url,) in found}),
        "bytes": size,
        "seconds": round(json.loads(seconds[0]), 2) if seconds else 0.0,
        "open_urls": open_urls(db),
        "refused": sum(refused.values()),
        "refused_because": refused,
        "out_of_scope": out_of_scope(db),
        "errors": errors,
        "strategy_errors": failed,
        "internal_errors": internal(errors) + sum(failed.values()),
    }


def internal(errors: Mapping[str, int]) -> int:
    """How many pages failed by mistakes of our own."""
    return sum(count for error, count in errors.items() if error.startswith(INTERNAL))


def strategy_errors(db: Reading) -> dict[str, int]:
    """What the strategy raised when it was not about one page; the most frequent first."""
    return _counted(db, "errors", "failed_")


def out_of_scope(db: Reading) -> dict[str, int]:
    """Links that were not taken, by reason; the most frequent first."""
    return _counted(db, "scope", "refused_")


def _counted(db: Reading, owner: str, name: str) -> dict[str, int]:
    """Counts in the saved state of all shards, together."""
    found: Counter[str] = Counter()
    for shard in db.shards:
        if saved := shard.execute("SELECT data FROM state WHERE name = ?", (owner,)).fetchone():
            with restoring(shard):
                found.update(unpack(saved[0])[name])
    return dict(found.most_common())
