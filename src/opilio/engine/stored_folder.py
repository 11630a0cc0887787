"""Run folders in an object store: pushed there after a crawl, and pulled to look at them or to go on."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path, PurePosixPath

from ..errors import ConfigError, UnreadableError
from ..object_store import FileStore
from ..store.lock import lock
from ..store.run import writing
from .run_folder import brought, configured

CONFIG = "config.toml"  # the last to come and to go: with it, this is a run folder
CLUSTER = "crawl/config.toml"  # what the state of a crawl on a cluster has instead
MARK = 512  # bytes at the start of an archive that no other crawl has: the first record has a number of its own
LEFT_OUT = ("-wal", "-shm", ".part")
Step = Callable[[int, int, str], None]


def push(folder: Path, url: str, step: Step = lambda done, total, doing: None) -> int:
    """Upload a run folder that nobody is crawling into; how many files were new or had changed.

    Archives go first and databases after them, so what is there can be pulled at any time, also after a push that broke off.
    """
    configured(folder)
    store = FileStore(url)
    there = store.sizes()
    with writing(folder), ExitStack() as held:
        held.enter_context(closing(lock(folder)))
        names = sorted(_names(folder), key=_order)
        _check(store, folder, there)
        for database in folder.glob("*.db"):
            _settle(database)
        changed = [name for name in names if not _is_there(folder, name, names, there)]
        for done, name in enumerate(changed):
            step(done, len(changed), name)
            store.put(name, folder / name)
    return len(changed)


def is_pushed(url: str) -> bool:
    """Whether a run folder is kept at a URL."""
    return CONFIG in FileStore(url).sizes()


def pull(url: str, folder: Path, step: Step = lambda done, total, doing: None) -> Path:
    """Download a run folder that was pushed."""
    store = FileStore(url)
    names = sorted(store.sizes(), key=_order)
    if CONFIG not in names:
        raise UnreadableError(f"{url}: no run folder is kept there; `opilio push DIR {url}` puts one there")
    with brought(folder) as into:
        for done, name in enumerate(names):
            step(done, len(names), name)
            if PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts:
                raise UnreadableError(f'{url}: "{name}" is not the name of a file in a run folder')
            store.fetch(name, into / name)
    return folder


def _names(folder: Path) -> list[str]:
    """The files of a run folder that matter elsewhere."""
    found = (path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
    return [
        name.as_posix()
        for name in found
        if not name.name.startswith((".", "lock")) and not name.name.endswith(LEFT_OUT) and "aside" not in name.parts
    ]


def _order(name: str) -> tuple[int, str]:
    """Archives, other files, databases, the manifest, and the configuration."""
    rank = 0 if name.startswith("archive/") else 2 if name.endswith(".db") else 3 if name == "manifest.json" else 1
    return 4 if name == CONFIG else rank, name


def _check(store: FileStore, folder: Path, there: dict[str, int]) -> None:
    """What is at the place already has to be an earlier state of the same crawl."""
    if CLUSTER in there:
        raise ConfigError(f"{store.url}: the state of a crawl on a cluster is kept there; name another place")
    if there and CONFIG not in there and not any(name.startswith("archive/opilio-") for name in there):
        raise ConfigError(
            f"{store.url}: other files are kept there; name another place, such as {store.url}/{folder.name}"
        )
    first = min((name for name in there if name.endswith(".warc.gz")), default="")
    if first and store.begin(first, min(MARK, there[first])) != _begin(folder / first, min(MARK, there[first])):
        raise ConfigError(f"{store.url}: another crawl is kept there; name another place")


def _begin(path: Path, size: int) -> bytes:
    if not path.is_file():
        return b""
    with path.open("rb") as file:
        return file.read(size)


def _is_there(folder: Path, name: str, names: list[str], there: dict[str, int]) -> bool:
    """Whether a file need not be sent again: archives only grow, and only the last one of each shard does."""
    if not name.endswith(".warc.gz") or there.get(name) != (folder / name).stat().st_size:
        return False
    prefix = name[: -len("000000.warc.gz")]
    return name != max(other for other in names if other.startswith(prefix) and other.endswith(".warc.gz"))


def _settle(database: Path) -> None:
    """All that was committed is in the file itself, and not in the log beside it."""
    with closing(sqlite3.connect(database)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
