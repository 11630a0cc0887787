"""Export: every format has the same rows, files are whole or not there, names mean what they say."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pyarrow.parquet as parquet
import pytest
from typer.testing import CliRunner

from opilio import registry
from opilio.cli.commands import app
from opilio.errors import ConfigError, UnreadableError
from opilio.loop import trace
from opilio.nouns import RELEVANT
from opilio.report.export import LINKS, PAGES, export
from opilio.report.formats import Column, write_csv, write_jsonl, write_parquet
from opilio.testing import small_web

from .crawled import crawled
from .doc_page import run_page
from .strategies.forum import HOME, Forum

ASKED = {
    "url", "status", "time", "title", "language", "relevance", "genre", "page_type", "duplicate_group", "parent", "anchor",
    "path", "score", "parts", "importance", "warc_file", "warc_offset",
}  # fmt: skip


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawled(tmp_path_factory.mktemp("export") / "run")


def test_columns_are_those_that_others_rely_on() -> None:
    assert {column.name for column in PAGES} >= ASKED


def test_jsonl_has_every_fetch_with_its_parts_by_name(run: Path, tmp_path: Path) -> None:
    assert export(run, tmp_path / "pages.jsonl", "jsonl") == 80
    rows = [json.loads(line) for line in (tmp_path / "pages.jsonl").read_text().splitlines()]
    with closing(sqlite3.connect(run / "state.db")) as db:
        stored = db.execute("SELECT url, relevance, file, offset FROM pages ORDER BY number").fetchall()
    assert [(r["url"], r["relevance"], r["warc_file"], r["warc_offset"]) for r in rows] == stored
    found = [row for row in rows if row["parent"]]
    assert found
    assert all(row["parts"].keys() == {"parent", "context"} for row in found)
    for row in found:
        expected = 0.25 * row["parts"]["parent"] + 0.75 * row["parts"]["context"]
        assert row["score"] == pytest.approx(expected)
    assert rows[0]["time"].endswith("+00:00")


def test_a_time_is_rounded_in_the_same_way_by_every_format() -> None:
    time, columns = 1794954061.79799995, [Column("time", "time")]  # a hair below the next millisecond
    lines, table = io.BytesIO(), io.BytesIO()
    write_jsonl(lines, columns, [(time,)])
    write_parquet(table, columns, [(time,)])
    (row,) = parquet.read_table(table).to_pylist()
    assert json.loads(lines.getvalue())["time"] == row["time"].isoformat(timespec="milliseconds")


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1.5", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1"])
def test_no_cell_of_a_csv_file_is_a_formula(text: str) -> None:
    file = io.BytesIO()
    columns = [Column("title"), Column("score", "number"), Column("number", "integer"), Column("parts", "object")]
    write_csv(file, columns, [(text, -1.5, -2, {"a": text}), ("a=b", None, None, None), (None, 1.0, 1, [])])
    rows = list(csv.reader(io.StringIO(file.getvalue().decode(), newline="")))
    assert rows[1] == [f"'{text}", "-1.5", "-2", json.dumps({"a": text}, ensure_ascii=False)]
    assert rows[2:] == [["a=b", "", "", ""], ["", "1.0", "1", "[]"]]


def test_all_formats_say_the_same(run: Path, tmp_path: Path) -> None:
    for kind in ("jsonl", "csv", "parquet"):
        export(run, tmp_path / f"p.{kind}", kind)
    lines = [json.loads(line) for line in (tmp_path / "p.jsonl").read_text().splitlines()]
    table = parquet.read_table(tmp_path / "p.parquet").to_pylist()
    with (tmp_path / "p.csv").open(newline="") as file:
        comma = list(csv.DictReader(file))
    for one, two, three in zip(lines, table, comma, strict=True):
        assert one["url"] == two["url"] == three["url"]
        assert one["title"] == two["title"] == three["title"]
        assert one["relevance"] == two["relevance"]
        assert (three["relevance"] == "") == (one["relevance"] is None)
        assert one["parts"] == json.loads(two["parts"]) == json.loads(three["parts"])
        assert one["time"] == three["time"] == two["time"].isoformat(timespec="milliseconds")


def test_only_relevant_pages(run: Path, tmp_path: Path) -> None:
    count = export(run, tmp_path / "pages.jsonl", "jsonl", least=RELEVANT)
    rows = [json.loads(line) for line in (tmp_path / "pages.jsonl").read_text().splitlines()]
    assert 0 < count == len(rows) < 80
    assert all(row["relevance"] >= RELEVANT for row in rows)


def test_links_are_those_of_the_stored_pages(run: Path, tmp_path: Path) -> None:
    export(run, tmp_path / "links.jsonl", "jsonl", links=True)
    rows = [json.loads(line) for line in (tmp_path / "links.jsonl").read_text().splitlines()]
    assert list(rows[0]) == [column.name for column in LINKS]
    first = small_web.seeds()[0]
    here = [(row["url"], row["anchor"]) for row in rows if row["source"] == first]
    assert here == [(link.url, link.anchor) for link in small_web.page(first).links]


def test_importance_is_the_cash_that_went_through_a_page_and_waits_there(tmp_path: Path) -> None:
    run = crawled(tmp_path / "run", strategy="opic(recrawl=7)", max_pages=100)
    export(run, tmp_path / "pages.jsonl", "jsonl")
    rows = [json.loads(line) for line in (tmp_path / "pages.jsonl").read_text().splitlines()]
    importance = {row["url"]: row["importance"] for row in rows}
    visits: dict[str, list[float]] = {}
    for visit in trace(registry.make("opic(recrawl=7)", {}), small_web.fetcher(), small_web.seeds(), 100, batch=10):
        visits.setdefault(visit.url, []).append(visit.lease.offer.value)
    assert importance.keys() == visits.keys()
    assert any(len(values) > 1 for values in visits.values())
    assert all(importance[url] >= sum(values) * (1 - 1e-9) for url, values in visits.items())
    assert any(importance[url] > sum(values) * (1 + 1e-9) for url, values in visits.items())


def test_page_types_are_those_that_structure_found(tmp_path: Path) -> None:
    told = {"strategy": "structure(sample=100)", "seeds": [HOME], "max_pages": 160}
    run = crawled(tmp_path / "run", Forum().fetcher(), **told)
    export(run, tmp_path / "pages.jsonl", "jsonl")
    rows = [json.loads(line) for line in (tmp_path / "pages.jsonl").read_text().splitlines()]
    kinds: dict[str, set[str]] = {}
    for row in rows:
        if row["page_type"]:
            kinds.setdefault(row["page_type"], set()).add(row["url"].split("/")[3])
    assert kinds
    assert all(len(folders) == 1 for folders in kinds.values())  # a type has pages of one template


def test_importance_is_empty_where_nothing_adds_up(run: Path, tmp_path: Path) -> None:
    export(run, tmp_path / "pages.jsonl", "jsonl")
    assert all(json.loads(line)["importance"] is None for line in (tmp_path / "pages.jsonl").read_text().splitlines())


def test_a_failed_export_leaves_the_old_file_alone(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "pages.parquet"
    target.write_text("as it was")
    monkeypatch.setitem(sys.modules, "pyarrow", None)  # as if it were not installed
    with pytest.raises(ConfigError, match=r"opilio\[parquet\]"):
        export(run, target, "parquet")
    assert target.read_text() == "as it was"
    assert [path.name for path in tmp_path.iterdir()] == ["pages.parquet"]


def test_a_place_that_cannot_be_written(run: Path, tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="cannot be written"):
        export(run, tmp_path / "nowhere" / "pages.csv", "csv")


def test_command_writes_both_tables_into_the_run_folder(tmp_path: Path) -> None:
    run = crawled(tmp_path / "run", max_pages=20)
    done = CliRunner().invoke(app, ["export", str(run)])
    assert done.exit_code == 0, done.output
    assert done.stdout.split() == [str(run / "pages.parquet"), str(run / "links.parquet")]
    assert parquet.read_table(run / "pages.parquet").num_rows == 20
    assert parquet.read_table(run / "links.parquet").num_rows > 20


def test_command_takes_the_format_from_the_name(run: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["export", str(run), "-o", str(tmp_path / "x.csv")])
    assert done.exit_code == 0, done.output
    assert len(list(csv.reader(io.StringIO((tmp_path / "x.csv").read_text())))) == 81
    wrong = CliRunner().invoke(app, ["export", str(run), "-o", str(tmp_path / "x.xls")])
    assert isinstance(wrong.exception, ConfigError)
    assert ".jsonl" in str(wrong.exception)


def test_stdout_is_json_lines(run: Path) -> None:
    done = CliRunner().invoke(app, ["export", str(run), "-o", "-"])
    assert len([json.loads(line) for line in done.stdout.splitlines()]) == 80


@pytest.mark.parametrize("name", registry.strategies())
def test_every_note_has_names_for_its_parts(name: str) -> None:
    kind = registry.strategies()[name]
    visits = trace(registry.make(name, small_web.given()), small_web.fetcher(), small_web.seeds(), 60)
    lengths = {len(visit.lease.offer.note) for visit in visits} - {0}
    assert all(length <= len(kind.notes) for length in lengths), f"{name}: notes has too few names"
    assert bool(lengths) == bool(kind.notes)


def test_the_page_of_the_docs_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    printed = run_page("export.md", tmp_path, monkeypatch)
    assert len(printed) == 7
    assert parquet.read_table(tmp_path / "bees" / "pages.parquet").num_rows == 40
    assert parquet.read_table(tmp_path / "bees" / "links.parquet").num_rows > 40
    with (tmp_path / "pages.csv").open(newline="", encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == 40
    relevant = [json.loads(line) for line in printed[4].splitlines() if line.startswith("{")]
    assert relevant
    assert all(page["relevance"] >= RELEVANT for page in relevant)
    assert (tmp_path / "links.jsonl").stat().st_size > 0
    assert len(list((tmp_path / "pages").glob("**/*.md"))) > 30
