"""Main text and Markdown: what is in them, where they go, and that no page can do more than spoil its own."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pyarrow.dataset
import pytest
from typer.testing import CliRunner

import opilio
from opilio.cli.commands import app
from opilio.content import extract
from opilio.engine import stored_content
from opilio.errors import ConfigError, UnreadableError
from opilio.fetchers.to_page import answered
from opilio.nouns import Content, Link, Offer, Page
from opilio.report.export import export
from opilio.report.markdown_files import file_name, front_matter, write_markdown
from opilio.system.sandbox import Sandbox, SandboxError, SandboxTimeoutError

from .crawled import crawled
from .doc_page import run_page

ARTICLE = b"""<html lang=en><head><title>The keeping of bees | Bee blog</title><meta name=author content="Ann Apis">
<meta property="article:published_time" content="2021-05-06T10:00:00Z"></head><body>
<nav><a href=/>Home page</a> <a href=/news>All the news</a></nav><article><h1>The keeping of bees</h1>
<p>Bees live in a <b>hive</b>, as <a href="/hives.html">this page</a> says, and they make honey, of which people have been fond
for thousands of years. <a href="javascript:alert(1)">Click here</a> to see it.</p>
<ul><li>one thing is the queen</li><li>another one are the workers</li></ul>
<p>A second paragraph that is long enough to be seen as one, and says that drones do little work in the hive.</p></article>
<footer>Imprint and privacy</footer></body></html>"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawled(tmp_path_factory.mktemp("content") / "run", max_pages=40)


def page(body: bytes, content_type: str = "text/html", url: str = "http://a.example/b/c.html") -> Page:
    return answered(Offer(Link(url)), 200, {"content-type": content_type}, body)


def test_an_article_is_text_and_markdown_without_its_furniture() -> None:
    content = extract.extracted(page(ARTICLE))
    assert (content.date, content.author, content.language) == ("2021-05-06", "Ann Apis", "en")
    assert content.title == "The keeping of bees"
    assert content.markdown.startswith("# The keeping of bees\n")
    assert "**hive**" in content.markdown
    assert "[this page](http://a.example/hives.html)" in content.markdown
    assert "- one thing is the queen" in content.markdown
    assert "**" not in content.text
    assert "this page says" in content.text
    for furniture in ("Home page", "Imprint", "javascript"):
        assert furniture not in content.markdown + content.text
    assert "Click here" in content.markdown  # the words of a link that leads nowhere


def test_text_without_markup_is_its_own_content() -> None:
    content = extract.extracted(page(b"Bees.\n\nAnd more bees.", "text/plain"))
    assert content.text == content.markdown == "Bees.\nAnd more bees."


def test_a_page_that_cannot_be_extracted_has_what_it_was_judged_by(monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(Sandbox("os:abort", seconds=5, megabytes=1000)) as dying:
        monkeypatch.setattr(extract, "_reader", lambda: dying)
        found = page(ARTICLE)
        assert extract.extracted(found).text == found.main


def test_a_page_of_which_most_was_left_out_has_what_it_was_judged_by(monkeypatch: pytest.MonkeyPatch) -> None:
    found = page(ARTICLE)
    words = found.main.split()
    told = {"title": "", "date": "2021-05-06", "author": "", "markdown": "# x"}
    for share, is_theirs in ((0.6, False), (0.7, True)):
        text = " ".join(words[: int(share * len(words))])
        monkeypatch.setattr(extract, "_asked", lambda *_, text=text: {**told, "text": text})
        content = extract.extracted(found)
        assert content.text == (text if is_theirs else found.main)
        assert content.markdown == ("# x" if is_theirs else found.main)
        assert content.date == "2021-05-06"


@pytest.fixture
def hog() -> Iterator[Sandbox]:
    with closing(Sandbox("operator:mul", seconds=20, megabytes=400)) as made:
        yield made


def test_memory_has_an_end_and_the_next_piece_of_work_is_done(hog: Sandbox) -> None:
    with pytest.raises(SandboxError, match="memory"):
        hog.ask(b"bees", 1 << 40)
    assert hog.ask(6, 7) == 42


def test_time_has_an_end_and_the_process_is_gone() -> None:
    with closing(Sandbox("time:sleep", seconds=0.2, megabytes=400)) as sleeper:
        begun = time.monotonic()
        with pytest.raises(SandboxTimeoutError, match=r"longer than 0\.2 s"):
            sleeper.ask(600)
        assert time.monotonic() - begun < 120
        sleeper._seconds = 60
        assert sleeper.ask(0) is None


def test_a_crash_is_one_piece_of_work() -> None:
    with closing(Sandbox("os:kill", seconds=20, megabytes=400)) as crashing:
        with pytest.raises(SandboxError, match=r"died|ended"):
            crashing.ask("not a number", 9)
        with pytest.raises(SandboxError):
            crashing.ask("again", 9)


def test_what_a_library_prints_is_no_answer() -> None:
    with closing(Sandbox("builtins:print", seconds=20, megabytes=400)) as talking:
        assert talking.ask("\0" * 100) is None
        assert talking.ask("more") is None


def test_export_has_the_content_of_every_page_and_makes_it_once(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind in ("jsonl", "parquet", "arrow"):
        assert export(run, tmp_path / f"pages.{kind}", kind, content=True) == 40
        monkeypatch.setattr(stored_content, "extracted", lambda page: pytest.fail("it was made before"))
    rows = [json.loads(line) for line in (tmp_path / "pages.jsonl").read_text().splitlines()]
    good = [row for row in rows if row["status"] == 200]
    assert good
    assert all(row["text"] and row["markdown"] for row in good)
    assert all(row["text"] == "" for row in rows if row["status"] != 200)
    for kind in ("parquet", "arrow"):
        table = pyarrow.dataset.dataset(tmp_path / f"pages.{kind}", format=kind).to_table()
        assert table.column("markdown").to_pylist() == [row["markdown"] for row in rows]


def test_where_nothing_can_be_written_content_is_made_anew(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_content, "NAME", "missing/content.db")
    assert next(opilio.open_run(run).pages()).markdown


def test_a_damaged_cache_is_a_sentence(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stored_content, "NAME", "damaged.db")
    (run / "damaged.db").write_bytes(b"SQLite format 3\0" + b"bees" * 1000)
    page = next(opilio.open_run(run).pages())
    with pytest.raises(UnreadableError, match="remove it"):
        page.markdown  # noqa: B018


def test_markdown_files_say_where_they_come_from(run: Path, tmp_path: Path) -> None:
    count = write_markdown(run, tmp_path / "md")
    files = sorted((tmp_path / "md").rglob("*.md"))
    assert len(files) == count > 20
    text = files[0].read_text()
    head, _, body = text.removeprefix("---\n").partition("---\n")
    told = dict(line.split(": ", 1) for line in head.splitlines())
    assert json.loads(told["url"]).startswith("http")
    assert {"title", "fetched", "relevance"} <= told.keys()
    assert body.strip()
    with pytest.raises(ConfigError, match="new folder"):
        write_markdown(run, tmp_path / "md")
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize(
    "url",
    [
        "http://a.example/../../etc/passwd", "http://a.example/" + "x" * 3000, "http://[::1]:8080/a%2F..%2Fb?c=d&e",
        "http://xn--bcher-kva.example/%C3%BC/\u202e.md", "http://a.example/.hidden", "http://a.example/-rf", "http://a.example/",
        "http://a.example/con.txt ", "http://../..", "http:///",
    ],
)  # fmt: skip
def test_no_url_makes_a_name_that_leads_elsewhere(url: str) -> None:
    name = file_name(url, 7)
    assert len(name.parts) == 2
    assert all(part.isascii() and len(part) < 100 and part[0].isalnum() for part in name.parts)
    assert os.path.normpath(name) == str(name)


def test_no_title_can_forge_a_line_of_the_front_matter() -> None:
    row = {"url": "http://a.example/", "title": "", "language": "", "relevance": None, "time": 0.0}
    title = 'x"\n---\nurl: "http://b.example/"\u2028\x85\x00'
    lines = front_matter(row, Content(title=title)).splitlines()  # type: ignore[arg-type]
    assert [line.partition(":")[0] for line in lines] == ["---", "url", "title", "fetched", "---", ""]


def test_pages_of_a_run_have_markdown(run: Path) -> None:
    pages = list(opilio.open_run(run).pages())
    good = [page for page in pages if page.document and not page.location]
    assert good[0].markdown == good[0].content().markdown != ""


def test_without_the_extra_one_sentence_names_it(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extract, "find_spec", lambda name: None)
    asked = CliRunner().invoke(app, ["export", str(run), "--content", "-o", str(tmp_path / "x.jsonl")])
    assert isinstance(asked.exception, ConfigError)
    assert "opilio[content]" in str(asked.exception)
    left_out = CliRunner().invoke(app, ["export", str(run), "-o", str(tmp_path / "x.jsonl")])
    assert left_out.exit_code == 0
    assert "opilio[content]" in left_out.stderr
    assert "markdown" not in json.loads((tmp_path / "x.jsonl").read_text().splitlines()[0])


@pytest.mark.slow
def test_the_page_of_the_docs_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    printed = run_page("content.md", tmp_path, monkeypatch)
    assert len(printed) == 8
    assert list((tmp_path / "bees-markdown").rglob("*.md"))
