"""Every commit of a shard goes into its log: first the archive's bytes, then those of the write-ahead log.

A thread does it while the crawl goes on; what piles up meanwhile becomes one entry. Letters and confirmations wait for it (see
`RunStore.sendable`), and so do requests when it takes too long: an owner that may have been replaced must not ask a host.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import OpilioError
from .restore import archive_names, compressed, fetch_file, put_base, superseded
from .shard_log import FencedError, ShardLog
from .wal import WalReader

log = logging.getLogger(__name__)
LEASE = 10.0  # seconds after its last entry for which an owner may send requests; a new one waits for so long
RENEW = 4.0  # seconds after which another entry is made, if a request wants to go out and nothing was committed
LARGE = 64 << 20  # bytes that may wait to be shipped; then the crawl waits, too
LEAST = 8 << 20  # bytes of the write-ahead log below which no new base is made
NUMBER = "000000.warc.gz"  # so names of archive files end
MANY = 2000  # entries after which a new base is made in any case


class Commit(NamedTuple):
    """What one entry is made of, and what counts once it is there."""

    generation: int
    start: int
    wal: bytes
    archive: tuple[str, int]  # the file that grows, and its length
    marks: Any
    facts: Mapping[str, Any]
    begun: float


@dataclass
class Written:
    """What one life has written to where the state is kept."""

    objects: int = 0
    log_bytes: int = 0
    archive_bytes: int = 0
    base_bytes: int = 0


class Shipper:
    """Ships what a shard commits; `marks` is what the last commit came with that cannot be lost any more."""

    def __init__(self, log: ShardLog, database: Path, archive: Path, wake: Callable[[], None] = lambda: None) -> None:
        self.log, self.life = log, log.life
        self.facts: Callable[[], Mapping[str, Any]] = dict
        self.marks: Any = None
        self.error: BaseException | None = None  # after it nothing is shipped
        self.written = Written()
        self._database, self._archive, self._wake = database, archive, wake
        self._reader, self._generation, self._logged = WalReader(database), 0, 0
        self._sent: dict[str, int] = {}  # bytes of archive files that are there
        self._since_base = 0
        self._waiting: list[Commit] = []
        self._ended = {0: log.number}  # the last entry of each generation
        self._base_due = self._base_in_progress = False
        self._last_facts: Mapping[str, Any] = {}
        self._renewed = time.monotonic()  # when the last entry was begun that is there
        self._news, self._stopped = threading.Condition(), False
        self._thread = threading.Thread(target=self._work, name="shipping", daemon=True)
        self._thread.start()

    # For the crawl

    def committed(self, db: sqlite3.Connection, archive: tuple[str, int], marks: Any) -> None:
        """A transaction was committed just now, and no other has begun."""
        start, data = self._reader.offset, self._reader.fresh()
        self._logged += len(data)
        self._add(Commit(self._generation, start, data, archive, marks, self.facts(), time.monotonic()))
        due = self._logged > max(LEAST, self._database.stat().st_size) or self._since_base > MANY
        if (
            due
            and not self._base_due
            and not self._base_in_progress
            and not db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        ):
            self._reader.restart()
            self._generation, self._logged = self._generation + 1, 0
            with self._news:
                self._base_due, self._since_base = True, 0
                self._news.notify()

    def _add(self, commit: Commit) -> None:
        with self._news:
            self._waiting.append(commit)
            self._news.notify()

    @property
    def behind(self) -> float:
        """Seconds since the oldest commit that is not there yet."""
        waiting = self._waiting[:1]
        return time.monotonic() - waiting[0].begun if waiting else 0.0

    @property
    def full(self) -> bool:
        """Whether so much waits that the crawl has to."""
        return sum(len(commit.wal) for commit in list(self._waiting)) > LARGE

    def may_send(self) -> bool:
        """Whether nobody else can be the owner yet."""
        return self.error is None and time.monotonic() - self._renewed < LEASE

    def renew(self) -> None:
        """A request wants to go out: make an entry, if the last one is not of just now."""
        if time.monotonic() - self._renewed > RENEW and not self._waiting:
            with self._news:
                self._news.notify()

    def flush(self, seconds: float) -> None:
        """Wait until everything is there; FencedError, or what else went wrong."""
        deadline = time.monotonic() + seconds
        while self._waiting and self.error is None and time.monotonic() < deadline:
            time.sleep(0.01)
        if self.error:
            raise self.error

    def close(self) -> None:
        with self._news:
            self._stopped = True
            self._news.notify()
        self._thread.join()

    def bring(self, file: str) -> None:
        """Make an archive file of an earlier life available."""
        path = self._archive / file
        if not path.exists():
            objects, shard = self.log.objects, self.log.shard
            fetch_file(objects, shard, file, archive_names(objects, shard).get(file, []), None, path)

    # In the thread

    def _work(self) -> None:
        try:
            while not self._stopped:
                with self._news:
                    if not self._waiting:
                        self._news.wait()
                    batch = _alike(self._waiting)
                if not self._stopped:
                    self._ship(batch)
        except (FencedError, OpilioError, OSError) as error:
            self.error = error
            self._wake()

    def _ship(self, batch: list[Commit]) -> None:
        """Make one entry of these commits; of none, an entry that says: still here."""
        begun = time.monotonic()
        if batch:
            self._send_archive(batch[-1].archive)
            self._last_facts = batch[-1].facts
        data = b"".join(commit.wal for commit in batch)
        place = {"generation": batch[0].generation, "start": batch[0].start} if data else {}
        packed = compressed(data) if data else b""
        number = self.log.append(**place, wal=packed, facts={**self._last_facts, **asdict(self.written)})
        self._renewed = begun
        self.written.objects, self.written.log_bytes = self.written.objects + 1, self.written.log_bytes + len(packed)
        with self._news:
            if batch:
                self._ended[batch[0].generation] = number
                self.marks = batch[-1].marks
            del self._waiting[: len(batch)]
            self._since_base += 1
        self._begin_base()
        self._wake()

    def _begin_base(self) -> None:
        """Once all of a generation is there that was brought into the database, that can be kept whole."""
        with self._news:
            due = self._base_due and not any(commit.generation < self._generation for commit in self._waiting)
            if not due:
                return
            self._base_due, self._base_in_progress = False, True
            number = self._ended[self._generation - 1]
        threading.Thread(target=self._keep_base, args=(number,), daemon=True).start()

    def _send_archive(self, position: tuple[str, int]) -> None:
        """Bytes of archive files that are not there yet, up to this position; files before the last are whole."""
        file, size = position
        stem = f"{self.log.name}/warc"
        for path in sorted(self._archive.glob(f"{file[: -len(NUMBER)]}*.warc.gz")):  # of this life
            end = size if path.name == file else path.stat().st_size
            begin = self._sent.get(path.name, 0)
            if path.name <= file and end > begin:
                with path.open("rb") as source:
                    source.seek(begin)
                    self.log.objects.put(f"{stem}/{path.name}/{begin:012}", source.read(end - begin))
                self._sent[path.name] = end
                self.written.objects += 1
                self.written.archive_bytes += end - begin

    def _keep_base(self, number: int) -> None:
        """The database does not change until the next checkpoint, for which this is waited for."""
        objects, shard = self.log.objects, self.log.shard
        try:
            parts = put_base(objects, shard, number, self._database)
            self.written.objects, self.written.base_bytes = (
                self.written.objects + len(parts) + 1,
                self.written.base_bytes + sum(parts),
            )
            objects.delete(superseded(objects, shard, number, self.log.opens))
        except (OpilioError, OSError) as error:  # the log is as good as it was; the next one may succeed
            log.warning("shard %d: no new base of its state (%s)", shard, error)
        self._base_in_progress = False


def _alike(waiting: list[Commit]) -> list[Commit]:
    """Commits that can be one entry: of one generation of the write-ahead log."""
    return [commit for commit in waiting if commit.generation == waiting[0].generation]
