"""WACZ: the validator of py-wacz has nothing to complain about, and a player finds every page."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from typer.testing import CliRunner

from opilio.cli.commands import app
from opilio.errors import ConfigError
from opilio.report.wacz import write_wacz

from .crawled import crawled, opened
from .doc_page import run_page


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawled(tmp_path_factory.mktemp("wacz") / "run", max_pages=40)


@pytest.fixture(scope="module")
def made(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("made") / "bees.wacz"
    done = CliRunner().invoke(app, ["export", str(run), "-o", str(target)])
    assert done.exit_code == 0, done.output
    assert done.stdout.strip() == str(target)
    return target


@pytest.mark.slow
def test_the_validator_of_py_wacz_finds_nothing_wrong(made: Path) -> None:
    call = [sys.executable, "-W", "ignore", "-c", "from wacz.main import main; main()", "validate", "-f", str(made)]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "fail" not in (done.stdout + done.stderr).lower()


def test_every_line_of_the_index_leads_to_its_record(made: Path) -> None:
    with zipfile.ZipFile(made) as archive:
        assert {info.compress_type for info in archive.infolist()} == {zipfile.ZIP_STORED}
        lines = archive.read("indexes/index.cdxj").decode().splitlines()
        assert lines == sorted(lines)
        for line in lines:
            entry = json.loads(line.split(" ", 2)[2])
            data = archive.read(f"archive/{entry['filename']}")
            start, length = int(entry["offset"]), int(entry["length"])
            record = gzip.decompress(data[start : start + length])
            assert f"WARC-Target-URI: {entry['url']}\r\n".encode() in record
        pages = [json.loads(line) for line in archive.read("pages/pages.jsonl").splitlines()]
    assert pages[0]["format"] == "json-pages-1.0"
    assert {page["url"] for page in pages[1:]} <= {json.loads(line.split(" ", 2)[2])["url"] for line in lines}
    assert len(pages) > 20


def test_no_part_has_a_mark_before_its_bytes(run: Path, tmp_path: Path) -> None:
    """ReplayWeb.page takes the extra field of a local header for the first bytes of the part, and then opens nothing."""
    write_wacz(run, tmp_path / "x.wacz")
    data = (tmp_path / "x.wacz").read_bytes()
    with zipfile.ZipFile(tmp_path / "x.wacz") as archive:
        extras = [
            int.from_bytes(data[info.header_offset + 28 : info.header_offset + 30], "little")
            for info in archive.infolist()
        ]
    assert len(extras) >= 5
    assert set(extras) == {0}


def test_only_relevant_pages_are_listed_if_asked_for(run: Path, tmp_path: Path) -> None:
    assert 0 < write_wacz(run, tmp_path / "few.wacz", least=0.5) < write_wacz(run, tmp_path / "all.wacz")


def test_a_crawl_that_goes_on_gives_what_is_committed(tmp_path: Path) -> None:
    run = opened(tmp_path / "run", max_pages=20)
    try:
        run.go()
        run.store.archive.append(b"not committed")
        run.store.archive.flush()
        write_wacz(tmp_path / "run", tmp_path / "x.wacz")
    finally:
        run.close()
    with zipfile.ZipFile(tmp_path / "x.wacz") as archive:
        assert not archive.read("archive/opilio-000000.warc.gz").endswith(b"not committed")


def test_content_and_links_are_not_for_wacz(run: Path, tmp_path: Path) -> None:
    for option in ("--links", "--content"):
        done = CliRunner().invoke(app, ["export", str(run), "--format", "wacz", option])
        assert isinstance(done.exception, ConfigError)


@pytest.mark.slow
def test_the_page_of_the_docs_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(run_page("wacz.md", tmp_path, monkeypatch)) == 3
    assert zipfile.is_zipfile(tmp_path / "bees.wacz")
