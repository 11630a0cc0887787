"""Kills the commands that copy a crawl elsewhere or visit its pages again: part of `make crash`.

`export` to WACZ, `push` to a store that speaks like S3, `pull` from there and `recrawl` run once to their end, and are then
killed this many times at moments spread over that time. Under its own name there must be all of a copy or nothing, the folder
must be sound, and the same command must do its work afterwards.
"""

from __future__ import annotations

import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from warcio.archiveiterator import ArchiveIterator

from opilio.config import Config
from opilio.store.reader import reading

from .cluster.stores import moto, reached
from .crash import crawled, finite, reachable, served, settings
from .crash_commands import exit_code, killed_after, lasted
from .power_cut import end_of, unsound

Words = list[object]


def kill_copies(scratch: Path, kills: int, pages: int = 500, processes: int = 1) -> list[str]:
    """Crawl a part of a web, kill each command so often, let the crawl go on; what went wrong."""
    web, folder = finite(pages, 4), scratch / "run"
    with served(web) as server, moto() as store, reached(store) as base:
        config = Config(
            **{**settings(web, server.port), "processes": processes, "max_barren": 0, "max_pages": pages // 2}
        )
        crawled(folder, config)
        before = _rows(folder)
        trouble = [
            f"{name}, kill {number}: {wrong}"
            for name, check in CHECKS.items()
            for number in range(kills)
            for wrong in check(scratch, f"{base}/{name}-{number}", (number + 1) / (kills + 1))
        ]
        (folder / "config.toml").write_text(config.model_copy(update={"max_pages": 10**9}).toml())
        if (why := end_of(folder)) != "nothing left to fetch":
            trouble.append(f"ended otherwise: {why}")
    rows = _rows(folder)
    lost = {row[0] for row in before - rows} | reachable(web) - {url for url, _ in rows}
    return [*trouble, *(f"lost: {url}" for url in sorted(lost)), *_unlike(folder)]


def _wacz(scratch: Path, url: str, part: float) -> Iterator[str]:
    target = scratch / "run.wacz"
    words: Words = ["export", scratch / "run", "-o", target]
    lasting = lasted(words)
    target.unlink()
    killed_after(words, lasting * part)
    if target.exists():
        yield from _damage(target)
    yield from _works(words)
    yield from _damage(target)
    yield from _left_over(scratch, {"run", target.name})
    target.unlink()


def _damage(target: Path) -> Iterator[str]:
    try:
        with zipfile.ZipFile(target) as package:
            if bad := package.testzip():
                yield f"damaged: {bad}"
    except zipfile.BadZipFile as error:
        yield f"half a file: {error}"


def _push(scratch: Path, url: str, part: float) -> Iterator[str]:
    """What is there after a push that was killed can be pulled, or is said to be no run folder."""
    folder, there = scratch / "run", scratch / "there"
    lasting = lasted(["push", folder, f"{url}-whole"])
    killed_after(["push", folder, url], lasting * part)
    if exit_code(["pull", url, there]) == 0:
        yield from _is_copy(folder, there)
    elif there.exists():
        yield "half a folder"
    yield from _works(["push", folder, url])
    yield from _works(["pull", url, there])
    yield from _is_copy(folder, there)
    yield from _left_over(scratch, {"run"})


def _pull(scratch: Path, url: str, part: float) -> Iterator[str]:
    folder, there = scratch / "run", scratch / "there"
    yield from _works(["push", folder, url])
    lasting = lasted(["pull", url, there])
    yield from _is_copy(folder, there)
    killed_after(["pull", url, there], lasting * part)
    if there.exists():
        yield from _is_copy(folder, there)
    yield from _works(["pull", url, there])
    yield from _is_copy(folder, there)
    yield from _left_over(scratch, {"run"})


def _recrawl(scratch: Path, url: str, part: float) -> Iterator[str]:
    words: Words = ["recrawl", scratch / "run"]
    lasting = lasted(words)
    killed_after(words, lasting * part)
    yield from filter(None, [unsound(scratch / "run", again=True)])
    yield from _works(words)


def _works(words: Words) -> Iterator[str]:
    if code := exit_code(words):
        yield f"{words[0]} ends with {code} afterwards"


def _is_copy(folder: Path, there: Path) -> Iterator[str]:
    """What is wrong with a copy, which is removed."""
    yield from filter(None, [unsound(there, again=True)])
    if _rows(there) != _rows(folder):
        yield "a copy with other pages"
    _remove(there)


def _remove(folder: Path) -> None:
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    folder.rmdir()


def _left_over(scratch: Path, known: set[str]) -> Iterator[str]:
    if found := {path.name for path in scratch.iterdir()} - known:
        yield f"left over: {sorted(found)}"


def _rows(folder: Path) -> set[tuple[str, int]]:
    """All visits that are stored: address and number."""
    with closing(reading(folder)) as db:
        return set(db.execute("SELECT url, number FROM pages"))


def _unlike(folder: Path) -> Iterator[str]:
    """Rows without a record that others can read, and records without a row."""
    records: Counter[str] = Counter()
    for path in (folder / "archive").glob("*.warc.gz"):
        with path.open("rb") as file:
            for record in ArchiveIterator(file, check_digests=True):
                record.raw_stream.read()
                if record.digest_checker.passed is False:
                    yield f"damaged: {record.rec_headers['WARC-Record-ID']}"
                records[record.rec_headers["WARC-Target-URI"]] += record.rec_type in ("response", "revisit")
    rows = Counter(url for url, _ in _rows(folder))
    yield from (f"{url}: {rows[url]} rows, {records[url]} records" for url in rows if rows[url] != records[url])


CHECKS: dict[str, Callable[[Path, str, float], Iterator[str]]] = {
    "wacz": _wacz, "push": _push, "pull": _pull, "recrawl": _recrawl,
}  # fmt: skip
