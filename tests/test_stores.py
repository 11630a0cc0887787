"""Run folders and exports in an object store, on a server that speaks like S3."""

from __future__ import annotations

import csv
import errno
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from benchmarks.cluster import stores
from typer.testing import CliRunner

from opilio.cli.commands import app
from opilio.engine import stored_folder
from opilio.engine.run import Run
from opilio.engine.run_folder import configured
from opilio.errors import ConfigError, OpilioError, UnreadableError, UnwritableError
from opilio.object_store import FileStore
from opilio.report.summary import summary

from .crawled import crawled, opened
from .doc_page import run_page


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with stores.moto() as url:
        yield url


@pytest.fixture
def bucket(server: str, tmp_path: Path) -> Iterator[str]:
    with stores.reached(server) as base:
        yield f"{base}/{tmp_path.name}"


def pages_of(folder: Path) -> list[tuple[str, int, int]]:
    with closing(sqlite3.connect(folder / "state.db")) as db:
        return db.execute("SELECT url, offset, length FROM pages ORDER BY number").fetchall()


def test_a_run_is_pushed_pulled_and_goes_on(bucket: str, tmp_path: Path) -> None:
    folder = crawled(tmp_path / "run", max_pages=30)
    (folder / "archive" / "aside").mkdir()
    (folder / "archive" / "aside" / "x").write_bytes(b"not committed")
    assert stored_folder.push(folder, bucket) > 3
    there = stored_folder.pull(bucket, tmp_path / "there")
    assert pages_of(there) == pages_of(folder)
    assert {path.name for path in there.iterdir()} >= {"archive", "config.toml", "manifest.json", "state.db"}
    assert not (there / "archive" / "aside").exists()
    assert not list(there.glob("lock*"))
    told = [{**summary(place), "state": ""} for place in (folder, there)]
    assert told[0] == told[1]
    crawled(there, max_pages=50)
    assert pages_of(there)[:30] == pages_of(folder)
    stored_folder.push(there, bucket)
    assert len(pages_of(stored_folder.pull(bucket, tmp_path / "last"))) == 50


def test_full_archives_are_sent_once(bucket: str, tmp_path: Path) -> None:
    folder = crawled(tmp_path / "run", max_pages=10)
    full = folder / "archive" / "opilio-000000.warc.gz"
    (folder / "archive" / "opilio-000001.warc.gz").write_bytes(full.read_bytes())
    assert stored_folder.push(folder, bucket) == stored_folder.push(folder, bucket) + 1


def test_what_is_kept_at_a_place_is_left_alone(bucket: str, tmp_path: Path) -> None:
    one, other = crawled(tmp_path / "one", max_pages=10), crawled(tmp_path / "other", max_pages=10)
    stored_folder.push(one, bucket)
    before = FileStore(bucket).sizes()
    with pytest.raises(ConfigError, match="another crawl is kept there"):
        stored_folder.push(other, bucket)
    (tmp_path / "text").write_text("hello")
    FileStore(f"{bucket}-files").put("hello.txt", tmp_path / "text")
    with pytest.raises(ConfigError, match="other files are kept there"):
        stored_folder.push(other, f"{bucket}-files")
    FileStore(f"{bucket}-cluster").put("crawl/config.toml", tmp_path / "text")
    with pytest.raises(ConfigError, match="state of a crawl on a cluster"):
        stored_folder.push(other, f"{bucket}-cluster")
    assert FileStore(bucket).sizes() == before


def test_a_push_that_broke_off_is_completed(bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = crawled(tmp_path / "run", max_pages=10)
    put, sent = FileStore.put, list[str]()

    def failing(store: FileStore, name: str, path: Path) -> None:
        if name == "state.db":
            raise UnwritableError("no answer")
        sent.append(name)
        put(store, name, path)

    with monkeypatch.context() as patched:
        patched.setattr(FileStore, "put", failing)
        with pytest.raises(UnwritableError):
            stored_folder.push(folder, bucket)
    assert sent
    assert all(name.startswith("archive/") or name.endswith(".model") for name in sent)
    with pytest.raises(UnreadableError, match="no run folder is kept there"):
        stored_folder.pull(bucket, tmp_path / "there")
    stored_folder.push(folder, bucket)
    assert pages_of(stored_folder.pull(bucket, tmp_path / "there")) == pages_of(folder)


PULL = """
import os, sys
from opilio.engine import stored_folder
from opilio.object_store import FileStore
fetch, left = FileStore.fetch, int(sys.argv[3])
def dying(store, name, path):
    global left
    if left == 0:
        path.parent.mkdir(exist_ok=True)
        path.with_name(f".{path.name}.part").write_bytes(b"half of it")
        os.kill(os.getpid(), 9)
    left -= 1
    fetch(store, name, path)
FileStore.fetch = dying
stored_folder.pull(sys.argv[1], __import__("pathlib").Path(sys.argv[2]))
"""


@pytest.mark.parametrize("files", [0, 1, 3])
def test_a_pull_that_is_killed_leaves_no_run_folder_and_the_next_one_is_whole(
    bucket: str, tmp_path: Path, files: int
) -> None:
    folder, there = crawled(tmp_path / "run", max_pages=10), tmp_path / "there"
    stored_folder.push(folder, bucket)
    done = subprocess.run([sys.executable, "-c", PULL, bucket, there, str(files)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert not there.exists()
    assert pages_of(stored_folder.pull(bucket, there)) == pages_of(folder)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run", "there"]


def test_a_pull_on_a_full_disk_is_a_sentence(bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, there = crawled(tmp_path / "run", max_pages=10), tmp_path / "there"
    stored_folder.push(folder, bucket)

    def full(store: FileStore, name: str, path: Path) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(FileStore, "fetch", full)
        with pytest.raises(
            UnwritableError, match=r"there: it cannot be written .No space left on device.; free some space"
        ):
            stored_folder.pull(bucket, there)
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
    assert pages_of(stored_folder.pull(bucket, there)) == pages_of(folder)


def test_a_crawl_that_runs_is_not_pushed(bucket: str, tmp_path: Path) -> None:
    run: Run = opened(tmp_path / "run", max_pages=5)
    try:
        run.go()
        with pytest.raises(ConfigError, match="another process is crawling"):
            stored_folder.push(tmp_path / "run", bucket)
    finally:
        run.close()


def test_names_that_lead_out_of_a_folder_are_refused(
    bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FileStore, "sizes", lambda store: {"config.toml": 1, "archive/../../x": 1})
    with pytest.raises(UnreadableError, match="is not the name of a file in a run folder"):
        stored_folder.pull(bucket, tmp_path / "run")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["push", "RUN", "ftp://x/y"], "ftp is not known"),
        (["push", "RUN", "s3:///"], "names no bucket"),
        (["push", "RUN", "s3://nowhere/x"], "object store refuses"),
        (["push", "nowhere", "s3://bucket/x"], "nowhere"),
        (["pull", "s3://bucket/nothing", "DIR"], "no crawl is kept there"),
        (["export", "RUN", "-o", "s3://nowhere/x.csv"], "object store refuses"),
        (["export", "RUN", "-o", "s3://bucket/x.doc"], "not a known format"),
        (["export", "RUN", "-o", "s3://"], "s3://: it names no bucket"),
        (["export", "RUN", "-o", "s3://bucket"], "it names a bucket and no file in it; write s3://bucket/FILE"),
        (
            ["crawl", "--topic", "bees", "--seed", "http://a.test/", "--out", "s3://bucket/x"],
            "s3://bucket/x: a run folder is on a disk",
        ),
    ],
)
def test_sentences(words: list[str], told: str, bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    crawled(tmp_path / "RUN", max_pages=5)
    done = CliRunner().invoke(app, words)
    assert isinstance(done.exception, OpilioError), done.output
    assert told in str(done.exception)


def test_status_of_a_pushed_run_says_how_to_get_it(bucket: str, tmp_path: Path) -> None:
    stored_folder.push(crawled(tmp_path / "run", max_pages=5), bucket)
    done = CliRunner().invoke(app, ["status", bucket])
    assert f"opilio pull {bucket} DIR" in str(done.exception)


def test_without_the_extra_a_sentence_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "obstore", None)
    monkeypatch.setattr("opilio.object_store.find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r'pip install "opilio\[stores\]"'):
        FileStore("s3://bucket/x")


@pytest.mark.slow
def test_the_page_of_the_docs_runs(bucket: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_page("stores.md", tmp_path, monkeypatch)
    FileStore("s3://bucket").fetch("bees.csv", tmp_path / "bees.csv")
    with (tmp_path / "bees.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows
    assert all(float(row["relevance"]) >= 0.5 for row in rows)
    assert configured(stored_folder.pull("s3://bucket/bees", tmp_path / "again")).max_pages == 60


@pytest.mark.slow
def test_markdown_goes_below_its_name(bucket: str, tmp_path: Path) -> None:
    folder = crawled(tmp_path / "run", max_pages=10)
    done = CliRunner().invoke(app, ["export", str(folder), "--format", "markdown", "-o", f"{bucket}/texts"])
    assert done.exit_code == 0, done.output
    names = FileStore(f"{bucket}/texts").sizes()
    assert len(names) > 3
    assert all(name.endswith(".md") for name in names)


def test_a_directory_is_not_taken_for_an_object_store(tmp_path: Path) -> None:
    pytest.importorskip("obstore")
    with pytest.raises(ConfigError, match=r"is not in an object store; give s3://BUCKET/PATH, gs://... or az://...$"):
        FileStore(str(tmp_path))
