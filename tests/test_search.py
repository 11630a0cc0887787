"""Search: what was harvested is found, as it is now, by words, phrases, filters, in any script."""

from __future__ import annotations

import json
import re
import shlex
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from opilio.cli.commands import app
from opilio.errors import ConfigError, UnreadableError
from opilio.fetchers.replay import Recorded, Replay
from opilio.fetchers.to_page import answered
from opilio.nouns import Fetcher, Offer, Page
from opilio.report.search import ANYTHING, Hit, Wanted, match, search, update
from opilio.testing import small_web

from .crawled import crawled, opened

HOME = "http://a.one.test/"
TEXTS = {
    HOME: (
        "Bees",
        "A queen bee rules the hive. <a href=/ja>ja</a> <a href=/de>de</a> <a href=http://b.two.test/x>x</a>",
    ),
    "http://a.one.test/ja": ("養蜂", "蜂蜜の動画がここにあります。東京の養蜂場です。"),
    "http://a.one.test/de": ("Honig", "Die Königin der Bienen lebt im Bienenstock."),
    "http://b.two.test/x": ("<script>alert(1)</script>", "The hive is a rule of queens; a bee queen \x02too\x03."),
}


def answer(url: str) -> Recorded | None:
    title, text = TEXTS.get(url, ("", ""))
    body = f"<html><title>{title}</title><body><p>{text}</p></body></html>"
    return Recorded(200, {"content-type": "text/html; charset=utf-8"}, body.encode()) if url in TEXTS else None


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("search") / "run"
    crawled(folder, Replay(answer), seeds=[HOME], topic="bee hive", strategy="breadth-first")
    update(folder)
    return folder


def urls(folder: Path, query: str, wanted: Wanted = ANYTHING) -> set[str]:
    return {hit.url for hit in search(folder, query, wanted).hits}


def test_all_words_must_be_there(run: Path) -> None:
    assert urls(run, "queen hive") == {HOME, "http://b.two.test/x"}
    assert urls(run, "queen honey") == set()


def test_words_are_stemmed_and_accents_do_not_matter(run: Path) -> None:
    assert HOME in urls(run, "queens")
    assert urls(run, "konigin") == {"http://a.one.test/de"}


def test_phrases_beginnings_and_exclusion(run: Path) -> None:
    assert urls(run, '"queen bee"') == {HOME}
    assert urls(run, "bienens*") == {"http://a.one.test/de"}
    assert urls(run, "queen -rules") == set()  # stemmed: rule, rules
    assert urls(run, 'queen -"bee queen"') == {HOME}


def test_scripts_without_spaces(run: Path) -> None:
    assert urls(run, "動画") == {"http://a.one.test/ja"}
    assert urls(run, "東京") == {"http://a.one.test/ja"}
    assert urls(run, "画動") == set()
    (hit,) = search(run, "動画").hits
    assert "".join(text for text, _ in hit.snippet).startswith("蜂蜜の動画が")


def test_title_counts_more(run: Path) -> None:
    assert search(run, "bees").hits[0].url == HOME


def test_filters(run: Path) -> None:
    assert urls(run, "queen", Wanted(site="two.test")) == {"http://b.two.test/x"}
    assert urls(run, "queen", Wanted(language="xx")) == set()
    best = max(hit.relevance or 0.0 for hit in search(run, "queen").hits)
    assert len(urls(run, "queen", Wanted(least=best))) == 1


def test_snippet_marks_the_words_and_only_them(run: Path) -> None:
    hit = next(hit for hit in search(run, "queen").hits if hit.url.startswith("http://b."))
    assert [text for text, is_match in hit.snippet if is_match] == ["queens", "queen"]
    assert "too" in "".join(text for text, is_match in hit.snippet if not is_match)


@pytest.mark.parametrize("query", ["", "  ", "-bee", '""', "*", "--- !!!"])
def test_a_query_without_a_word(query: str) -> None:
    with pytest.raises(ConfigError, match="no word"):
        match(query)


@pytest.mark.parametrize(
    "query", ['bee"', "bee AND", "NEAR(", "title:bee", "(bee", "bee*hive", "'; DROP TABLE docs", "be^e"]
)
def test_no_query_is_a_syntax_error(run: Path, query: str) -> None:
    search(run, query)


@pytest.mark.parametrize("query", ["bee\0", "\0bee hive", "bee \ud800", "bee\x1a", "_", "bee _"])
def test_what_sqlite_takes_for_no_text_is_left_out(run: Path, query: str) -> None:
    assert (HOME in urls(run, query)) == (query != "_")


def test_a_query_has_32_words_at_most(run: Path) -> None:
    assert urls(run, " ".join(["bee"] * 32)) == urls(run, "bee")
    assert HOME not in urls(run, " ".join([f"bee{number}*" for number in range(32)]))
    for query in (" ".join(["bee"] * 33), '"' + " ".join(["bee"] * 33) + '"', "bee-" * 33, "蜂" * 1001):
        with pytest.raises(ConfigError, match="the query is too long; it may have 32 words and 1,000 letters"):
            search(run, query)


@pytest.mark.parametrize("least", [7, -0.1, float("nan"), float("inf")])
def test_relevance_is_a_number_from_0_to_1(run: Path, least: float) -> None:
    with pytest.raises(ConfigError, match=r"relevance .* is not allowed; give a number from 0 to 1"):
        search(run, "bee", Wanted(least=least))


def test_pages_are_added_while_the_crawl_goes_on(tmp_path: Path) -> None:
    run = opened(tmp_path / "run", max_pages=40)
    seen: list[tuple[int, int]] = []

    def watch() -> None:
        update(run.folder)
        total = search(run.folder, "honey").total
        seen.append((run.store.pages, total))

    try:
        run.go(watch)
    finally:
        run.close()
    update(run.folder)
    with closing(sqlite3.connect(run.folder / "search.db")) as db:
        indexed = db.execute("SELECT count(*) FROM docs").fetchone()[0]
    with closing(sqlite3.connect(run.folder / "state.db")) as db:
        there = db.execute("SELECT count(DISTINCT url) FROM pages WHERE status = 200").fetchone()[0]
    assert indexed == there > 0
    assert len({total for _, total in seen}) > 2  # it grows with the crawl


def test_a_page_fetched_again_is_found_as_it_is_now(tmp_path: Path) -> None:
    now = {"word": "first"}

    class Changing(Fetcher):
        async def fetch(self, offer: Offer) -> Page:
            body = f"<p>{now['word']} honey <a href=/>home</a> <a href=/2>2</a></p>"
            return answered(offer, 200, {"content-type": "text/html"}, body.encode())

    told = {"seeds": [HOME], "strategy": "opic(recrawl=2)", "batch": 1}
    run = opened(tmp_path / "run", Changing(), max_pages=6, **told)
    try:
        run.go(lambda: now.update(word="second"))
    finally:
        run.close()
    update(run.folder)
    assert urls(run.folder, "first") == set()
    assert HOME in urls(run.folder, "second")
    assert search(run.folder, "second").total == 2


def test_the_index_is_made_anew_when_it_is_gone_and_not_twice(run: Path) -> None:
    before = search(run, "queen")
    assert update(run) == 0
    (run / "search.db").unlink()
    assert update(run) == len(TEXTS)
    assert search(run, "queen") == before


def test_a_broken_index_says_what_to_do(tmp_path: Path) -> None:
    folder = crawled(tmp_path / "run", max_pages=5)
    (folder / "search.db").write_bytes(b"this is no database" * 100)
    with pytest.raises(UnreadableError, match="remove it"):
        update(folder)


def test_command(tmp_path: Path) -> None:
    folder = crawled(tmp_path / "run", small_web.fetcher(), max_pages=30)
    told = json.loads(CliRunner().invoke(app, ["search", str(folder), "honey", "--json", "-n", "3"]).stdout)
    assert told["total"] > len(told["hits"]) == 3
    assert set(told["hits"][0]) == set(Hit._fields)
    shown = CliRunner().invoke(app, ["search", str(folder), "honey", "-n", "3"]).stdout
    assert told["hits"][0]["url"] in shown
    assert "relevance" in shown
    with pytest.raises(UnreadableError):
        CliRunner().invoke(app, ["search", str(tmp_path), "honey"], catch_exceptions=False)


def test_a_page_of_one_word_keeps_nobody_busy(tmp_path: Path) -> None:
    body = "<title>x</title><p>honey in the comb</p><p>" + "honey " * 150_000 + "<p>a queen and her honey</p>"
    web = Replay(lambda url: Recorded(200, {"content-type": "text/html"}, body.encode()) if url == HOME else None)
    crawled(tmp_path / "run", web, seeds=[HOME], strategy="breadth-first")
    update(tmp_path / "run")
    begun = time.process_time()
    [hit] = search(tmp_path / "run", "honey queen").hits
    assert time.process_time() - begun < 5  # it took minutes
    assert {"honey", "queen"} <= {text.lower() for text, is_match in hit.snippet if is_match}


def test_a_snippet_is_where_most_words_of_the_query_are(tmp_path: Path) -> None:
    filler = " ".join(f"w{number}" for number in range(100))
    body = f"<p>bee {filler} the queen of a bee hive {filler} queen"
    web = Replay(lambda url: Recorded(200, {"content-type": "text/html"}, body.encode()) if url == HOME else None)
    crawled(tmp_path / "run", web, seeds=[HOME], strategy="breadth-first")
    update(tmp_path / "run")
    [hit] = search(tmp_path / "run", "bee queen").hits
    text = "".join(text for text, _ in hit.snippet)
    assert "the queen of a bee hive" in text
    assert (text[0], text[-1], len(text.split())) == ("…", "…", 24)


def test_the_commands_of_the_docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As they stand, in a run folder of that name."""
    crawled(tmp_path / "RUN")
    monkeypatch.chdir(tmp_path)
    text = (Path(__file__).parents[1] / "docs" / "search.md").read_text(encoding="utf-8")
    commands = re.findall(r"^    opilio (search .*?)(?:   .*)?$", text, re.MULTILINE)
    assert len(commands) == 4
    for command in commands:
        done = CliRunner().invoke(app, shlex.split(command))
        assert done.exit_code == 0, (command, done.output, done.exception)
