"""A crawl as one WACZ file: archive, index and list of pages, to be replayed in a browser (ReplayWeb.page).

WACZ 1.1.1: a zip file whose parts are not compressed again, so that a player reads single records out of it.
"""

from __future__ import annotations

import json
import sqlite3
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import closing
from hashlib import sha256
from heapq import merge
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO, Any, BinaryIO

from .. import __version__
from ..engine.stored_pages import rows
from ..errors import ConfigError
from ..store import cdxj
from ..store.reader import Reading, reading
from ..store.warc_records import date_of
from .export import Tick, wanted, watched, whole_file

CHUNK = 1 << 20
SINCE = (1980, 1, 1, 0, 0, 0)  # the date of every part: the same crawl gives the same bytes
READ = " AND status = 200 AND file IS NOT NULL AND error = ''"


def write_wacz(
    folder: Path, target: Path, *, least: float | None = None, noindex: bool = False, tick: Tick | None = None
) -> int:
    """Write all that a crawl has archived, with a list of its pages; how many are listed. The file is whole or not there."""
    with closing(reading(folder)) as db:
        files = dict(sorted(_archived(db, folder).items()))
        if not files:
            raise ConfigError(f"{folder}: nothing is archived there yet; crawl first")
        return whole_file(target, lambda file: _write(file, db, folder, files, wanted(least, noindex), tick))


def _write(file: BinaryIO, db: Reading, folder: Path, files: dict[str, int], where: str, tick: Tick | None) -> int:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        package = Package(archive)
        for name, size in files.items():
            with (folder / "archive" / name).open("rb") as part:
                package.add(f"archive/{name}", part, size)
        package.write("indexes/index.cdxj", map(str.encode, merge(*(cdxj.lines(db, name) for name in files))))
        query = f"SELECT number, url, time, title FROM pages{where}{READ}"
        count = package.write("pages/pages.jsonl", _pages(watched(db, rows(db, query), tick))) - 1
        package.close(folder.name)
    return count


class Package:
    """The parts of the file, and what has to be said about each."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive, self._resources = archive, list[dict[str, Any]]()

    def write(self, path: str, lines: Iterable[bytes]) -> int:
        """Write a part of which nobody knows how long it will be; how many lines it has."""
        count = 0
        with SpooledTemporaryFile(CHUNK) as draft:
            for count, line in enumerate(lines, 1):  # noqa: B007
                draft.write(line)
            size = draft.tell()
            draft.seek(0)
            self.add(path, draft, size)
        return count

    def add(self, path: str, part: IO[bytes], size: int) -> None:
        """Write the beginning of a file as a part. ReplayWeb.page takes the marks of ZIP64 for a part's first bytes, so only
        parts above 2 GB have them, and the size is told first.
        """
        info, digest = zipfile.ZipInfo(path, SINCE), sha256()
        info.file_size = size
        with self._archive.open(info, "w") as out:
            for piece in _pieces(part, size):
                digest.update(piece)
                out.write(piece)
        name = path.rpartition("/")[2]
        self._resources.append({"name": name, "path": path, "hash": f"sha256:{digest.hexdigest()}", "bytes": size})

    def close(self, title: str) -> None:
        """Write what ties the parts together."""
        described = {
            "profile": "data-package",
            "wacz_version": "1.1.1",
            "title": title,
            "software": f"opilio {__version__}",
        }
        data = json.dumps({**described, "resources": self._resources}, indent=2).encode()
        self.write("datapackage.json", [data])
        digest = {"path": "datapackage.json", "hash": f"sha256:{sha256(data).hexdigest()}"}
        self.write("datapackage-digest.json", [json.dumps(digest).encode()])


def _archived(db: Reading, folder: Path) -> dict[str, int]:
    """The files of the archive, with the length up to which each is committed."""
    sizes = {path.name: path.stat().st_size for path in (folder / "archive").glob("*.warc.gz")}
    for shard in db.shards:
        for (value,) in shard.execute("SELECT value FROM meta WHERE name = 'archive'"):
            name, size = json.loads(value)
            sizes[name] = size
    return {name: size for name, size in sizes.items() if size and (folder / "archive" / name).is_file()}


def _pieces(file: IO[bytes], size: int) -> Iterator[bytes]:
    while size > 0 and (piece := file.read(min(CHUNK, size))):
        size -= len(piece)
        yield piece


def _pages(found: Iterable[sqlite3.Row]) -> Iterator[bytes]:
    yield json.dumps({"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}).encode() + b"\n"
    for row in found:
        page = {"id": str(row["number"]), "url": row["url"], "ts": date_of(row["time"]), "title": row["title"]}
        yield json.dumps(page).encode() + b"\n"
