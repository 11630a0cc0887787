"""The story of one URL: why it was fetched, when and on whose word, or why not."""

from __future__ import annotations

import json
import math
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias

from .. import registry
from ..codec import unpack
from ..engine.run_folder import configured
from ..engine.stored_pages import copy
from ..errors import ConfigError, OpilioError
from ..frontier.deferred import in_original_lane
from ..frontier.inspect import Waiting, dropped, waiting
from ..nouns import RELEVANT, Link, Offer, Strategy, Terms, Weight
from ..scope import too_deep
from ..scope.new_hosts import why_left_out
from ..shard.saved_state import restoring
from ..store.reader import LARGEST, Reading, reading
from ..store.tables import PRICE
from ..urls import canonical
from .explain_paragraph import LAST, needed, paragraph
from .explain_words import lines
from .learned_strategies import strategies
from .note_parts import named, strategy_of
from .summary import manifest

Reasons: TypeAlias = Callable[[Offer], list[str]]
CHAIN = 20  # parents told of, at most
AROUND = 3  # pages fetched just before, and just after
NEAR = 25  # pages on each side that a price is compared with
LOOKS = 2000  # stored pages that are searched for a link to a URL nobody offered

BEFORE = f"SELECT number, url, relevance, {PRICE} AS price FROM pages WHERE number"


def story(folder: Path, url: str, looks: int = LOOKS, ahead_of: Callable[[float], int] | None = None) -> dict[str, Any]:
    """What is known about a URL: the facts, and the same as lines to read.

    `state` is fetched, being fetched, waiting, parked, refused, out of scope, not wanted (a stored page links to it, but it was
    not offered or its lane was dropped) or never seen. `looks` is how many stored pages may be read to tell the last two;
    `ahead_of` how many waiting URLs have a higher price, for those who know without counting.
    """
    address = canonical(url)
    if not address:
        raise ConfigError(f'"{url}" is not an http(s) URL; write it in full, as in https://host/path')
    strategy = strategy_of(folder)
    knowing = _knowing(folder)
    with closing(reading(folder)) as db:
        db.row_factory = sqlite3.Row
        visits = [_visit(db, row, strategy, knowing) for row in _rows(db, address)]
        places = [_place(db, place, strategy, knowing) for place in waiting(db, address, ahead_of)]
        refusal = db.execute("SELECT * FROM refusals WHERE url = ?", (address,)).fetchone()
        facts = {
            "url": address,
            "visits": visits,
            "parents": _chain(db, visits[0]) if visits else _chain(db, places[0]) if places else [],
            "waiting": places,
            "refusal": dict(refusal) if refusal else None,
            "scope": "" if visits else _scope(folder, address),
            "directives": _directives(db, address),
            "mention": None,
            "dropped": sum(dropped(db).values()),
            "strategy": registry.about(strategy) if strategy else "",
            "seeks_topic": strategy is not None and registry.takes(strategy, "topic"),
            "paid": _paid(db) if places else None,
            "stopped": manifest(folder)["why"] or "",
        }
        if not (visits or places or refusal or facts["scope"]):
            facts["mention"] = mention = _mention(db, folder, address, looks)
            facts["scope"] = _not_taken(db, folder, mention) or _host_not_taken(db, address) if mention else ""
    facts["state"] = _state(facts)
    facts |= {"paragraph": paragraph(facts), "needed": needed(facts)}
    return {**facts, "lines": list(lines(facts, strategy.terms if strategy else Terms()))}


def _paid(db: sqlite3.Connection) -> float | None:
    """The lowest price among the pages that were fetched last."""
    last = f"SELECT {PRICE} AS price FROM pages WHERE source != '' ORDER BY number DESC LIMIT ?"
    lowest: float | None = db.execute(f"SELECT min(price) FROM ({last})", (LAST,)).fetchone()[0]
    return lowest


def _rows(db: sqlite3.Connection, url: str) -> list[sqlite3.Row]:
    return db.execute("SELECT * FROM pages WHERE url = ? ORDER BY number", (url,)).fetchall()


def _knowing(folder: Path) -> Reasons:
    """What speaks for an offer, by the strategies of a crawl with what they have learned."""
    try:
        with closing(reading(folder)) as db:
            known = strategies(configured(folder), db)
    except ConfigError:  # a strategy in a file that is gone, say
        known = []
    return lambda offer: next(filter(None, ([*strategy.reasons(offer)] for strategy in known)), [])


def _visit(
    db: sqlite3.Connection, row: sqlite3.Row, strategy: type[Strategy] | None, knowing: Reasons
) -> dict[str, Any]:
    price, number = Weight(row["shift"], row["scale"]).price(row["value"]), row["number"]
    note = json.loads(row["note"])
    near = [other["price"] for other in db.execute(f"{BEFORE} BETWEEN ? AND ?", (number - NEAR, number + NEAR))]
    visit = {
        **dict(row),
        "when": datetime.fromtimestamp(row["time"], UTC).isoformat(timespec="seconds"),
        "price": price,
        "parts": named(strategy, note),
        "reasons": knowing(Offer(Link(row["url"], row["source"], row["anchor"]), row["value"], note=tuple(note))),
        "record": _record(db, row["path"] or "", row["source"] or "", number),
        "rank": 1 + sum(other > price for other in near),
        "of": len(near),
        "before": _around(db, f"{BEFORE} < ? ORDER BY number DESC LIMIT ?", number)[::-1],
        "after": _around(db, f"{BEFORE} > ? ORDER BY number LIMIT ?", number),
    }
    visit["lane"] = json.loads(row["lane"])
    del visit["note"]
    return visit


def _around(db: sqlite3.Connection, query: str, number: int) -> list[dict[str, Any]]:
    return [dict(row) for row in db.execute(query, (number, AROUND))]


def _record(db: sqlite3.Connection, path: str, source: str, before: int = LARGEST) -> tuple[int, int]:
    """How often links in the same place on pages of the same host had led to something relevant, and how often at all."""
    if not (path and source):
        return 0, 0
    root = "/".join(source.split("/")[:3]) + "/"
    query = """SELECT coalesce(sum(relevance >= ?), 0), count(*) FROM pages
        WHERE number < ? AND path = ? AND substr(source, 1, ?) = ?"""
    good, times = db.execute(query, (RELEVANT, before, path, len(root), root)).fetchone()
    return good, times


def _place(db: sqlite3.Connection, place: Waiting, strategy: type[Strategy] | None, knowing: Reasons) -> dict[str, Any]:
    offer, weight = place.offer, place.weight
    rests = place.rests if place.rests and place.rests > time.time() else None
    return {
        "lane": list(offer.lane),
        "value": offer.value,
        "shift": None if math.isinf(weight.shift) else weight.shift,
        "scale": weight.scale,
        "price": None if math.isinf(weight.shift) else weight.price(offer.value),
        "parts": named(strategy, in_original_lane(offer).note),
        "reasons": knowing(in_original_lane(offer)),
        "record": _record(db, offer.link.path, offer.link.source),
        "ahead": place.ahead,
        "in_flight": place.in_flight,
        "tries": offer.tries,
        "host_rests_until": None if rests is None else datetime.fromtimestamp(rests, UTC).isoformat(timespec="seconds"),
        "source": offer.link.source,
        "anchor": offer.link.anchor,
    }


def _chain(db: sqlite3.Connection, found: dict[str, Any]) -> list[dict[str, Any]]:
    """The pages that led to it, the nearest first."""
    chain: list[dict[str, Any]] = []
    source = found["source"]
    while source and len(chain) < CHAIN:
        query = "SELECT number, url, title, anchor, source, relevance FROM pages WHERE url = ? ORDER BY number LIMIT 1"
        row = db.execute(query, (source,)).fetchone()
        if row is None or any(row["url"] == seen["url"] for seen in chain):
            break
        chain.append(dict(row))
        source = row["source"]
    return chain


def _scope(folder: Path, url: str) -> str:
    """Why a URL is out of scope by the settings; "" when it is not."""
    try:
        return configured(folder).bounds().reason(url)
    except OpilioError:
        return ""  # settings that cannot be read any more keep nothing out


def _directives(db: sqlite3.Connection, url: str) -> str:
    """What a page asked of robots when it was fetched."""
    row = db.execute("SELECT said FROM directives WHERE url = ?", (url,)).fetchone()
    return str(row["said"]) if row else ""


def _mention(db: sqlite3.Connection, folder: Path, url: str, looks: int) -> dict[str, Any] | None:
    """A stored page with a link to the URL; pages of its own host are looked at first."""
    root = "/".join(url.split("/")[:3]) + "/"
    query = "SELECT * FROM pages WHERE file IS NOT NULL ORDER BY substr(url, 1, ?) != ?, number LIMIT ?"
    for row in db.execute(query, (len(root), root, looks)):
        page = copy(folder, row)
        for link in page.links if page else ():
            if link.url == url:
                found = {name: row[name] for name in ("number", "url", "language", "source")}
                return {**found, "anchor": link.anchor, "rel": list(link.rel)}
    return None


def _not_taken(db: sqlite3.Connection, folder: Path, mention: dict[str, Any]) -> str:
    """Why a link on a stored page was not taken, as far as page and link tell; "" when they do not."""
    try:
        config = configured(folder)
    except OpilioError:
        return ""
    directives = f"{_directives(db, mention['url'])}, {', '.join(mention['rel'])}"
    if "nofollow" in config.obey and not config.corpus and "nofollow" in directives.split(", "):
        return f"robots: {mention['url']} asks not to follow this link (nofollow)"
    if config.languages and mention["language"] and mention["language"] not in config.languages:
        return f"scope: {mention['url']} is in {mention['language']}, which is not among languages"
    return too_deep(config.max_depth) if config.max_depth and _depth(db, mention) >= config.max_depth else ""


def _host_not_taken(db: Reading, url: str) -> str:
    """The limit on new hosts that kept a URL out, if one did and that was noted."""
    return next(filter(None, (_left_out(shard, url) for shard in db.shards)), "")


def _left_out(shard: sqlite3.Connection, url: str) -> str:
    row = shard.execute("SELECT data FROM state WHERE name = 'hosts'").fetchone()
    with restoring(shard):
        return why_left_out(url, unpack(row[0])["left_out_"]) if row else ""


def _depth(db: sqlite3.Connection, page: dict[str, Any]) -> int:
    """Links on the way from a seed, as the page was found."""
    depth, source, seen = 0, page["source"], set()
    while source and source not in seen:
        seen.add(source)
        row = db.execute("SELECT source FROM pages WHERE url = ? ORDER BY number LIMIT 1", (source,)).fetchone()
        depth, source = depth + 1, row["source"] if row else ""
    return depth


def _state(facts: dict[str, Any]) -> str:
    if facts["visits"]:
        return "fetched"
    if facts["refusal"]:
        return "refused"
    if facts["scope"]:
        return "out of scope"
    if places := facts["waiting"]:
        if any(place["in_flight"] for place in places):
            return "being fetched"
        return "parked" if all(place["shift"] is None for place in places) else "waiting"
    return "not wanted" if facts["mention"] else "never seen"
