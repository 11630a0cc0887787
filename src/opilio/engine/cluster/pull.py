"""A crawl on a cluster, as an ordinary run folder, and its figures without one."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ...config import Config
from ...config_file import load
from ...errors import ConfigError, UnreadableError
from ...store import cdxj
from ...store.archive import prefix_of
from ...store.reader import MOST, state_file, write_united
from ...system import durable
from ..labels import FILE as LABELS_FILE
from ..run_folder import brought
from .actor import FILES, shards_of
from .driver import LABELS, MANIFEST
from .objects import CONFIG, Objects, place
from .restore import archive_names, ends, fetch_file, restore
from .shard_log import Entry, last_entry
from .shipping import Written


def config_of(objects: Objects, **overrides: Any) -> Config:
    """What a crawl was told, changed by what the command line says."""
    data = objects.get(CONFIG)
    if data is None:
        pushed = objects.get("config.toml") is not None
        raise UnreadableError(
            f"{objects.url}: a run folder is kept there; `opilio pull {objects.url} DIR` brings it to this machine"
            if pushed
            else f"{objects.url}: no crawl is kept there; name what was given as --state to `opilio crawl`"
        )
    with TemporaryDirectory(prefix="opilio-") as scratch:
        Path(scratch, "config.toml").write_bytes(data)
        config = load(Path(scratch, "config.toml"), overrides)
    if overrides:
        objects.put(CONFIG, config.toml().encode())
    return config


def figures(objects: Objects) -> dict[str, Any]:
    """How a crawl stands, by the last entries of its logs."""
    config = config_of(objects)
    manifest = json.loads(objects.get(MANIFEST) or b"{}")
    last = [last_entry(objects, index) for index in range(shards_of(config))]
    entries = [entry for entry in last if entry]
    sums = {name: _sum(entries, name) for name in ("pages", "relevant", "bytes")}
    return {
        **{name: manifest.get(name) for name in ("version", "started", "stopped", "why")},
        **sums,
        "harvest_rate": round(sums["relevant"] / sums["pages"], 4) if sums["pages"] else 0.0,
        "seconds": max((entry.facts.get("seconds", 0.0) for entry in entries), default=0.0),
        "open_urls": _sum(entries, "waiting"),
        "shards": len(last),
        "nodes": len({entry.facts["node"] for entry in entries if "node" in entry.facts}),
        "letters": _sum(entries, "posted"),
        "letters_on_their_way": max(0, _sum(entries, "posted") - _sum(entries, "received")),
        "entries": sum(entry.number for entry in entries),
        "restarts": sum(entry.life - entry.driver for entry in entries),
        **{name: _sum(entries, name) for name in Written.__dataclass_fields__},
        "starts": len(objects.names("crawl/starts")),
    }


def shard_figures(objects: Objects) -> list[dict[str, Any]]:
    """How each shard of a crawl stands, by the last entry of its log; {} for one that has not begun."""
    return [_shard(index, last_entry(objects, index)) for index in range(shards_of(config_of(objects)))]


def _shard(index: int, entry: Entry | None) -> dict[str, Any]:
    if not entry:
        return {}
    facts = entry.facts
    counts = {name: facts.get(name, 0) for name in ("pages", "relevant", "waiting", "posted", "received")}
    ago = max(0.0, time.time() - facts["time"]) if "time" in facts else None
    return {
        "shard": index,
        "node": str(facts.get("node", ""))[:8],
        **counts,
        "entry": entry.number,
        "life": entry.life,
        "ago": ago,
    }


def _sum(entries: list[Entry], name: str) -> int:
    return sum(entry.facts.get(name, 0) for entry in entries)


def pull(url: str, folder: Path, step: Callable[[int, int, str], None] = lambda done, total, doing: None) -> Path:
    """Make a run folder of all that was committed; a crawl that runs goes on meanwhile."""
    objects = place(url)
    config = config_of(objects)
    with brought(folder) as into:
        _fill(into, objects, shards_of(config), step)
    return folder


def _fill(folder: Path, objects: Objects, count: int, step: Callable[[int, int, str], None]) -> None:
    durable.make_folder(folder / "archive")
    for index in range(count):
        step(index, count, f"shard {index}")
        _pull_shard(objects, index, folder)
    if count > MOST:
        write_united(folder)
    facts = {
        **json.loads(objects.get(MANIFEST) or b"{}"),
        "processes": count,
        "pulled": time.time(),
        "state": objects.url,
    }
    durable.write(folder / "manifest.json", json.dumps(facts, indent=2) + "\n")
    for name in reversed(FILES):  # the configuration last: with it, this is a run folder
        if data := objects.get(f"crawl/{name}"):
            durable.write(folder / name, data)


def hand_labels(folder: Path, state: str) -> None:
    """Let a crawl on a cluster know what people said of pages in a folder that was pulled from it; what was said last counts."""
    place(state).put(LABELS, (folder / LABELS_FILE).read_bytes())


def _pull_shard(objects: Objects, index: int, folder: Path) -> None:
    database = state_file(folder, index)
    if restore(objects, index, database) is None:
        raise ConfigError(f"{objects.url}: shard {index} has not begun yet; try again in a minute")
    sizes, names = ends(database), archive_names(objects, index)
    with closing(sqlite3.connect(database)) as db:
        for file, offsets in names.items():
            if _committed(file, sizes, index):
                path = folder / "archive" / file
                fetch_file(objects, index, file, offsets, sizes.get(file), path)
                cdxj.write(db, path)


def _committed(file: str, sizes: dict[str, int], index: int) -> bool:
    """Whether anything of a file counts: its life may have ended before it."""
    life = file.removeprefix(prefix_of(index))[: -len("000000.warc.gz")]
    last = max((name for name in sizes if name.startswith(f"{prefix_of(index)}{life}")), default="")
    return file <= last
