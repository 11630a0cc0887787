"""A shard's database, and its archive files, as they were after the last entry of its log."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Container
from contextlib import closing
from pathlib import Path

from isal import isal_zlib

from ...errors import UnreadableError
from ...system import durable
from . import wal
from .objects import Objects
from .shard_log import LONG, Entry, entry_name, entry_numbers, read_entry

PART = 32 << 20  # bytes of a base in one object, before it is compressed
TRIES = 5  # times that the log may change under a reader
FAST = 1  # compression


def compressed(data: bytes) -> bytes:
    return isal_zlib.compress(data, FAST)


def put_base(objects: Objects, shard: int, number: int, database: Path) -> list[int]:
    """Keep a database, which nobody changes meanwhile, as what it was after an entry; how long its parts are."""
    folder, sizes = f"shard-{shard}/base/{number:0{LONG}}", list[int]()
    with database.open("rb") as file:
        while part := file.read(PART):
            data = compressed(part)
            objects.put(f"{folder}/{len(sizes):0{LONG}}", data)
            sizes.append(len(data))
    objects.put(f"{folder}/end", str(len(sizes)).encode())
    return sizes


def superseded(objects: Objects, shard: int, number: int, opens: Container[int]) -> list[str]:
    """Objects that nobody needs when there is a base of that number: older bases, and the entries before it but for the opens.

    The entry of that number stays: it may be the last one, and by that the next owner knows which number to create.
    """
    older = [name for name in objects.names(f"shard-{shard}/base") if int(name.split("/")[2]) < number]
    past = [known for known in entry_numbers(objects, shard) if known < number and known not in opens]
    return older + [entry_name(shard, known) for known in past]


class _MovedError(Exception):
    """A newer base has taken the place of what was to be read."""


def restore(objects: Objects, shard: int, database: Path) -> Entry | None:
    """Make the database of a shard anew; the last entry that is in it, None where there is none."""
    for _ in range(TRIES):
        try:
            return _restored(objects, shard, database)
        except _MovedError:
            continue
    raise UnreadableError(f"{objects.url}: entries of shard-{shard} are missing; its state log was damaged")


def _base(objects: Objects, shard: int) -> tuple[int, int]:
    """The newest base that is whole: its number, and how many parts it has; (0, 0) where there is none."""
    ends = [name for name in objects.names(f"shard-{shard}/base") if name.endswith("/end")]
    if not ends:
        return 0, 0
    return int(ends[-1].split("/")[2]), int(objects.get(ends[-1]) or b"0")


def _restored(objects: Objects, shard: int, database: Path) -> Entry | None:
    for path in (database, wal.log_of(database)):
        path.unlink(missing_ok=True)
    base, parts = _base(objects, shard)
    numbers = [number for number in entry_numbers(objects, shard) if number > base]
    if numbers != list(range(base + 1, base + 1 + len(numbers))):
        raise _MovedError
    _write_base(objects, shard, database, base, parts)
    last, place = read_entry(objects, shard, base) if base else None, (0, 0)
    for number in numbers:
        last = read_entry(objects, shard, number)
        if last is None:
            raise _MovedError
        if last.wal:
            if (last.life, last.generation) != place:
                wal.apply(database)
                place = last.life, last.generation
            _add(database, last)
    wal.apply(database)
    return last


def _write_base(objects: Objects, shard: int, database: Path, number: int, parts: int) -> None:
    if not parts:
        wal.empty(database)
        return
    with database.open("wb") as file:
        for part in range(parts):
            data = objects.get(f"shard-{shard}/base/{number:0{LONG}}/{part:0{LONG}}")
            if data is None:
                raise _MovedError
            file.write(isal_zlib.decompress(data))


def _add(database: Path, entry: Entry) -> None:
    """Put the bytes of an entry where they were in the write-ahead log."""
    log = wal.log_of(database)
    size = log.stat().st_size if log.exists() else 0
    if entry.start != size:
        raise UnreadableError(
            f"entry {entry.number} of a state log goes on at byte {entry.start}, and {size} are there; it was damaged"
        )
    with log.open("ab") as file:
        file.write(isal_zlib.decompress(entry.wal))


def ends(database: Path) -> dict[str, int]:
    """How long each archive file was at its last commit, for files in which an owner ended; others count whole."""
    with closing(sqlite3.connect(database)) as db:
        rows = dict(db.execute("SELECT name, value FROM meta WHERE name IN ('archive', 'archives')"))
    last = [json.loads(rows["archive"])] if "archive" in rows else []
    return dict([*json.loads(rows.get("archives", "[]")), *last])


def archive_names(objects: Objects, shard: int) -> dict[str, list[int]]:
    """The archive files of a shard, and where the pieces of each begin."""
    found: dict[str, list[int]] = {}
    for name in objects.names(f"shard-{shard}/warc"):
        _, _, file, offset = name.split("/")
        found.setdefault(file, []).append(int(offset))
    return found


def fetch_file(objects: Objects, shard: int, file: str, offsets: list[int], size: int | None, target: Path) -> None:
    """Join the pieces of an archive file, up to its committed size."""
    with durable.whole(target) as joined:
        for offset in sorted(offsets):
            if size is not None and offset >= size:
                break
            data = objects.get(f"shard-{shard}/warc/{file}/{offset:012}")
            if data is None or offset != joined.tell():
                raise UnreadableError(f"{objects.url}: a piece of {file} is missing before byte {offset}")
            joined.write(data)
        if size is not None:
            if joined.tell() < size:
                raise UnreadableError(f"{objects.url}: {file} has {joined.tell()} bytes of the {size} committed")
            joined.truncate(size)
