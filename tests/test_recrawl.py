"""A recrawl asks whether pages changed, keeps what they were, and says what is new, changed and gone."""

from __future__ import annotations

import gzip
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from opilio.cli.commands import app
from opilio.engine.change_rate import Visit, chances
from opilio.engine.recrawl import recrawl
from opilio.errors import ConfigError
from opilio.shard.delivery import shard_of
from opilio.store.reader import reading

from .crawled import crawled
from .doc_page import run_page
from .local_site import LocalSite, Reply, Request

LONG = b"<p>bees " * 300
DAY = 86400.0


def tagged(request: Request) -> Reply:
    """A page that has not changed, for those who have it."""
    status = 304 if request.headers.get("if-none-match") == '"1"' else 200
    return Reply(b"" if status == 304 else b"<title>still</title>" + LONG, status=status, headers={"ETag": '"1"'})


def web() -> LocalSite:
    return LocalSite({
        "/": b'<a href="/tagged">1</a> <a href="/same">2</a> <a href="/moving">3</a> <a href="/going">4</a>',
        "/tagged": tagged,
        "/same": b"<title>same</title>" + LONG,
        "/moving": b"<title>moving</title><p>first version",
        "/going": b"<p>here today",
        "/fresh": b"<p>written since",
    })  # fmt: skip


def change(site: LocalSite) -> None:
    site.pages["/moving"] = b'<title>moving</title><p>second version <a href="/fresh">more</a>'
    site.pages["/going"] = Reply(b"gone", status=410)
    site.asked.clear()


def test_says_what_is_new_changed_and_gone_and_keeps_versions(tmp_path: Path) -> None:
    with web() as site:
        site.crawl(tmp_path / "run", topic="bees")
        change(site)
        done = CliRunner().invoke(app, ["recrawl", str(tmp_path / "run"), "--json"])
        assert done.exit_code == 0, done.output
        told = json.loads(done.stdout)
        assert {word: told[word] for word in ("new", "changed", "gone", "failed")} == {
            "new": [f"{site.url}/fresh"], "changed": [f"{site.url}/moving"], "gone": [f"{site.url}/going"], "failed": {},
        }  # fmt: skip
        assert sorted(told["unchanged"]) == [f"{site.url}{path}" for path in ("/", "/same", "/tagged")]
        asked = {request.path: request.headers for request in site.asked}
        assert asked["/tagged"]["if-none-match"] == '"1"'
        again = recrawl(tmp_path / "run")  # what is gone is not asked for again, what is new is
        assert (again.new, again.changed, again.gone) == ([], [], [])
        assert f"{site.url}/fresh" in again.unchanged
    with closing(sqlite3.connect(tmp_path / "run" / "state.db")) as db:
        kept = db.execute("SELECT title, relevance FROM pages WHERE url = ?", (f"{site.url}/moving",)).fetchall()
        revisits = dict(db.execute("SELECT pages.url, count(*) FROM revisits JOIN pages ON number = page GROUP BY 1"))
    assert len(kept) == 3
    assert all(relevance is not None for _, relevance in kept)
    assert revisits[f"{site.url}/tagged"] == revisits[f"{site.url}/same"] == 2
    records = gzip.decompress(next((tmp_path / "run" / "archive").glob("*.warc.gz")).read_bytes())
    assert records.count(b"server-not-modified") == 2
    assert b"first version" in records
    assert b"second version" in records


def test_lines_for_people_and_a_limit(tmp_path: Path) -> None:
    with web() as site:
        run = site.crawl(tmp_path / "run")
        change(site)
        done = CliRunner().invoke(app, ["recrawl", str(run.folder), "--max-pages", "2"])
        assert len(site.asked) == 2
        assert "2 pages visited" in done.stderr
        rest = CliRunner().invoke(app, ["recrawl", str(run.folder)])
    lines = [*done.stdout.splitlines(), *rest.stdout.splitlines()]
    assert f"changed\t{site.url}/moving" in lines
    assert f"gone\t{site.url}/going" in lines


def test_pages_that_changed_often_come_first_and_sites_speak_for_their_pages() -> None:
    often, never = "http://a.example/often", "http://b.example/never"
    visits = [Visit(often, day * DAY, str(day)) for day in range(5)] + [
        Visit(never, day * DAY, "x") for day in range(5)
    ]
    once = [Visit("http://a.example/once", 4 * DAY, "1"), Visit("http://b.example/once", 4 * DAY, "1")]
    found = chances([*visits, *once], 5 * DAY)
    assert list(found) == [often, "http://a.example/once", "http://b.example/once", never]
    assert all(0 <= chance <= 1 for chance in found.values())
    assert found[often] > 5 * found[never]
    assert list(chances([*visits, *once], 5 * DAY).values()) < list(chances([*visits, *once], 50 * DAY).values())


def test_a_run_of_several_processes_is_visited_again(tmp_path: Path) -> None:
    hosts = [f"127.0.0.{n}" for n in range(2, 30)]
    here = next(host for host in hosts if shard_of(f"http://{host}/", 2) == 0)
    there = next(host for host in hosts if shard_of(f"http://{host}/", 2) == 1)
    with LocalSite({"/far": b"<p>first", "/new": b"<p>new"}, there) as far:
        home = b'<a href="/near">near</a> <a href="%b/far">far</a>' % far.url.encode()
        with LocalSite({"/": home, "/near": b"<p>near"}, here) as near:
            near.crawl(tmp_path / "run", processes=2, seeds=[f"{near.url}/", f"{far.url}/far"])
            near.pages["/near"] = b'<p>now <a href="%b/new">elsewhere</a>' % far.url.encode()
            far.pages["/far"] = Reply(b"gone", status=404)
            found = recrawl(tmp_path / "run")
            assert (found.changed, found.new, found.gone) == (
                [f"{near.url}/near"],
                [f"{far.url}/new"],
                [f"{far.url}/far"],
            )
            assert recrawl(tmp_path / "run").changed == []
    rows = []
    for name in ("state.db", "state-1.db"):
        with closing(sqlite3.connect(tmp_path / "run" / name)) as db:
            rows.append([url for (url,) in db.execute("SELECT url FROM pages ORDER BY number")])
    assert all(url.startswith(near.url) for url in rows[0])
    assert all(url.startswith(far.url) for url in rows[1])
    assert rows[1].count(f"{far.url}/new") == 2
    with closing(reading(tmp_path / "run")) as db:
        numbers = [number for (number,) in db.execute("SELECT number FROM pages")]
    assert len(numbers) == len(set(numbers)) == len(rows[0]) + len(rows[1])


def test_recorded_pages_never_change(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="recorded"):
        recrawl(crawled(tmp_path / "run", max_pages=10))


def test_the_page_of_the_docs_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    *_, printed, _ = run_page("recrawl.md", tmp_path, monkeypatch)
    assert "changed" in printed
    assert "new" in printed
    assert "gone" in printed
