"""Corpora: everything in one canonical form, opened fast the second time, and what is wrong said in one sentence."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from opilio.bench.corpus import Corpus, check
from opilio.bench.corpus_cache import cache_folder
from opilio.bench.description import KEYS, NEEDED
from opilio.bench.graph import Graph
from opilio.errors import UnreadableError
from opilio.nouns import Link, Offer, Page
from opilio.store.warc_records import response_record, warcinfo_record

DATE = "2026-01-01T00:00:00Z"
SHARED = Path(__file__).parents[1].parent / "shared" / "corpora"
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason=f"the real corpora are not at {SHARED}")
# pages, labels, aliases
REAL = {
    "genre-news-blogs": (990, 990, 0),
    "openenergymonitor": (7064, 7064, 143),
    "polblogs": (0, 1489, 0),
    "postgresql-doc": (1167, 1167, 0),
    "redash": (7940, 7940, 4204),
    "relevance-ebola": (628, 628, 0),
    "social-music": (17743, 17743, 0),
    "webkb": (8214, 8214, 1251),
    "wikispeedia": (5462, 5464, 0),
}
TOML = """\
name = "small"
about = "four pages"
home = "http://A.example:80/"
language = "en"

[[task]]
name = "details"
kind = "type"
column = "kind"
target = "detail"
start = ["http://a.example/#top"]
"""
LABELS = """\
url,kind,topic
http://a.example/,list,
HTTP://A.example/one?utm_source=x,detail,art/music|sport
http://a.example/two#part,detail,art
"""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OPILIO_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def page(url: str, *links: str, status: int = 200) -> bytes:
    body = "".join(f'<a href="{link}">to {link}</a> ' for link in links).encode()
    return response_record(url, status, {"content-type": "text/html"}, body, DATE)


def redirect(url: str, target: str) -> bytes:
    return response_record(url, 301, {"location": target}, b"", DATE)


PAGES = [
    warcinfo_record("pages.warc.gz", {}, DATE),
    page("http://a.example:80/", "/one", "/old", "/gone", "http://b.example/"),
    page("http://a.example/one", "/"),
    page("http://a.example/two", "/three", "/three#again"),
    page("http://a.example/three"),
    redirect("http://a.example/old", "/two#part"),
    page("http://a.example/broken", "/two", status=500),
]


def write(folder: Path, toml: str = TOML, labels: str = LABELS, pages: Iterable[bytes] = PAGES) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "corpus.toml").write_text(toml, encoding="utf-8")
    (folder / "labels.csv").write_text(labels, encoding="utf-8")
    (folder / "pages.warc.gz").write_bytes(b"".join(pages))
    return folder


@pytest.fixture
def small(tmp_path: Path) -> Path:
    return write(tmp_path / "small")


def fetch(corpus: Corpus, url: str) -> Page:
    return asyncio.run(corpus.fetcher().fetch(Offer(Link(url))))


# Opening


def test_everything_has_its_canonical_form(small: Path) -> None:
    corpus = Corpus.open(small)
    assert (corpus.name, corpus.about, corpus.home, corpus.language) == (
        "small", "four pages", "http://a.example/", "en",
    )  # fmt: skip
    assert corpus.urls == [f"http://a.example/{name}" for name in ("", "one", "two", "three")]
    assert corpus.aliases == {"http://a.example/old": "http://a.example/two"}
    assert corpus.labels["http://a.example/one"] == {"kind": "detail", "topic": "art/music|sport"}
    assert list(corpus.labels) == corpus.urls[:3]
    assert corpus.tasks[0].settings["start"] == ["http://a.example/"]
    assert list(check(small)) == []


def test_a_page_wins_over_a_redirect_and_the_first_page_over_the_next(tmp_path: Path) -> None:
    records = [
        redirect("http://a.example/", "http://a.example/home"),
        page("http://a.example", "/first"),
        page("http://A.EXAMPLE/", "/second"),
        redirect("http://a.example/loop", "http://a.example/loop#here"),
        page("http://a.example/x", status=404),
    ]
    corpus = Corpus.open(write(tmp_path / "c", "name = 'c'", "url\n", records))
    assert corpus.urls == ["http://a.example/"]
    assert corpus.aliases == {}
    assert corpus.collisions == 3
    found = corpus.find("http://a.example/")
    assert found is not None
    assert b"/first" in found.body


def test_a_labelled_page_is_kept_whatever_its_name(tmp_path: Path) -> None:
    folder = write(tmp_path / "c", "name = 'c'", "url,genre\nhard::x,blog\n", [page("hard::x"), page("dns:a.example")])
    corpus = Corpus.open(folder)
    assert corpus.urls == list(corpus.labels) == ["hard::x"]
    assert corpus.page("hard::x").status == 200


def test_several_archives_are_one_corpus(small: Path) -> None:
    (small / "more.warc.gz").write_bytes(page("http://c.example/"))
    corpus = Corpus.open(small)
    assert len(corpus.urls) == 5
    assert corpus.page("http://c.example/").status == 200
    assert corpus.page("http://a.example/two").links[0].url == "http://a.example/three"


# Fetching


def test_answers(small: Path) -> None:
    corpus = Corpus.open(small)
    good, moved, broken, missing = (fetch(corpus, f"http://a.example/{name}") for name in ("", "old", "broken", "no"))
    assert [link.url for link in good.links][:2] == ["http://a.example/one", "http://a.example/old"]
    assert (good.status, good.error, good.headers["content-type"]) == (200, "", "text/html")
    assert b"to /one" in good.body
    assert (moved.status, moved.location, moved.error, moved.document) == (301, "http://a.example/two", "", None)
    assert (broken.status, broken.error, broken.links) == (500, "http 500", ())
    assert (missing.status, missing.error, missing.document) == (404, "http 404", None)


@pytest.mark.parametrize("target", ["mailto:x@a.example", "", "http://[broken"])
def test_a_redirect_to_nowhere_is_an_error(tmp_path: Path, target: str) -> None:
    corpus = Corpus.open(write(tmp_path / "c", "name = 'c'", "url\n", [redirect("http://a.example/", target)]))
    answer = fetch(corpus, "http://a.example/")
    assert (answer.location, answer.error) == ("", "http 301")


def test_a_page_is_parsed_once(small: Path) -> None:
    corpus = Corpus.open(small)
    first, second = fetch(corpus, "http://a.example/"), fetch(corpus, "http://a.example/")
    assert first.document is not None
    assert first.document is second.document


def test_page_follows_redirects_and_ends_in_a_loop_of_them(tmp_path: Path) -> None:
    records = [redirect("http://a.example/1", "/2"), redirect("http://a.example/2", "/1"), *PAGES]
    corpus = Corpus.open(write(tmp_path / "c", pages=records))
    assert corpus.page("http://a.example/old").url == "http://a.example/two"
    assert corpus.page("http://a.example/1").document is None


# The cache


def test_the_second_time_no_archive_is_read(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = Corpus.open(small)
    graph = first.graph()
    monkeypatch.setattr("opilio.store.warc.index", None)
    monkeypatch.setattr(Graph, "build", None)
    second = Corpus.open(small)
    assert (second.urls, second.labels, second.aliases) == (first.urls, first.labels, first.aliases)
    assert np.array_equal(second.graph().targets, graph.targets)
    assert second.page("http://a.example/").links == first.page("http://a.example/").links


def test_a_change_is_seen(small: Path) -> None:
    assert len(Corpus.open(small).graph()) == 6
    (small / "labels.csv").write_text(LABELS + "http://a.example/three,detail,\n")
    assert len(Corpus.open(small).labels) == 4
    with (small / "pages.warc.gz").open("ab") as file:
        file.write(page("http://a.example/four"))
    assert len(Corpus.open(small).urls) == 5
    assert len(Corpus.open(small).graph()) == 7


def test_a_damaged_cache_is_made_anew(small: Path, cache: Path) -> None:
    expected = Corpus.open(small).graph().reachable(["http://a.example/"])
    for file in list(cache.iterdir()):
        for damage in (b"", b"junk", file.read_bytes()[:-3], file.read_bytes()[:40] + b"x" + file.read_bytes()[41:]):
            file.write_bytes(damage)
            assert Corpus.open(small).graph().reachable(["http://a.example/"]) == expected
    assert len(list(cache.iterdir())) == 2


def test_nothing_is_written_into_the_corpus(small: Path) -> None:
    before = {path.name: path.stat().st_mtime_ns for path in small.iterdir()}
    Corpus.open(small).graph()
    assert {path.name: path.stat().st_mtime_ns for path in small.iterdir()} == before


def test_a_cache_that_cannot_be_written_does_not_matter(small: Path, cache: Path) -> None:
    cache.write_text("a file where the folder should be")
    assert len(Corpus.open(small).graph()) == 6


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPILIO_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/x")
    assert cache_folder() == Path("/x/opilio")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/me")
    assert cache_folder() == Path("/home/me/.cache/opilio")


# The graph


def test_redirects_are_links(small: Path) -> None:
    graph = Corpus.open(small).graph()
    a = "http://a.example/"
    assert graph.reachable([a]) == {a, a + "one", a + "old", a + "two", a + "three"}
    assert graph.reachable([a + "two", "http://unknown.example/"]) == {a + "two", a + "three"}
    assert graph.distances([a + "three"]) == {a + "three": 0, a + "two": 1, a + "old": 2, a: 3, a + "one": 4}
    assert graph.links(a) == [a + "one", a + "old"]
    assert graph.links(a + "gone") == []


def test_edges_without_pages(tmp_path: Path) -> None:
    folder = write(tmp_path / "c", "name = 'c'", "url,side\nhttp://a.example,left\nhttp://alone.example,right\n", [])
    (folder / "pages.warc.gz").unlink()
    edges = "source,target\nhttp://a.example,http://b.example\nhttp://a.example/,http://B.example\n"
    (folder / "edges.csv").write_text(edges)
    corpus = Corpus.open(folder)
    assert corpus.edges == [("http://a.example/", "http://b.example/")]
    assert corpus.urls == []
    assert corpus.graph().links("http://a.example/") == ["http://b.example/"]
    assert corpus.graph().reachable(["http://alone.example/"]) == {"http://alone.example/"}
    assert list(check(folder)) == []


Arcs = dict[int, set[int]]


def model(arcs: Arcs, starts: set[int]) -> dict[int, int]:
    steps = dict.fromkeys(starts, 0)
    queue = sorted(starts)
    for node in queue:
        for other in arcs.get(node, set()):
            if other not in steps:
                steps[other] = steps[node] + 1
                queue.append(other)
    return steps


numbers = some.integers(0, 8)


@given(arcs=some.dictionaries(numbers, some.sets(numbers)), starts=some.sets(numbers))
def test_the_graph_walks_as_a_simple_search_does(arcs: Arcs, starts: set[int]) -> None:
    graph = Graph.build([str(n) for n in range(9)], ((str(a), map(str, others)) for a, others in arcs.items()))
    assert graph.reachable(map(str, starts)) == {str(n) for n in model(arcs, starts)}
    back = {n: {a for a, others in arcs.items() if n in others} for n in range(9)}
    assert graph.distances(map(str, starts)) == {str(n): steps for n, steps in model(back, starts).items()}


def test_pages_whose_links_mostly_lead_out_are_the_perimeter() -> None:
    arcs = {
        "in": ["a", "edge", "gone"],
        "edge": ["in", "gone", "lost"],
        "a": ["http://other.test/", "in"],
        "half": ["a", "lost"],
    }
    names = {name: f"http://a.test/{name}" for name in (*arcs, "gone", "lost")}
    rows = [(names[name], [names.get(link, link) for link in links]) for name, links in arcs.items()]
    assert Graph.build([names[name] for name in arcs], rows).perimeter() == {names["edge"]}


# What is wrong


TASK = '\n[[task]]\nname = "t"\n'
WRONG_TOML = {
    "nam = 1": '"name" is missing',
    "name = 'x\nabout = 'y'": "this is not TOML: .*line 1",
    "name = 3": "name = 3 must be a text",
    "name = 'x'\n[task]\nkind = 'type'": r"write \[\[task\]\]",
    "name = 'x'\n[[task]]\nkind = 'genre'\ncolumn = 'kind'": r"\[\[task\]\] number 1: it has no name",
    TOML.replace('"type"', '"tpye"'): 'task "details": kind "tpye" is not known; did you mean "type"',
    TOML.replace('target = "detail"', ""): 'task "details": the key "target" is missing',
    TOML.replace('target = "detail"', "target = 3"): "target = 3 must be a text",
    TOML.replace('target = "detail"', 'target = "detial"'): 'names labels .*detial; did you mean "detail"',
    TOML.replace('"kind"', '"knid"'): 'column "knid" is not known; did you mean "kind"',
    TOML.replace("a.example/#top", "a.example/nowhere"): "start names pages .*nowhere",
    TOML.replace('["http://a.example/#top"]', "[]"): r"start = \[\] must be a list",
    "name = 'x'" + TASK + "kind = 'topic'\ncolumn = 'topic'": "does not say which topics",
    "name = 'x'"
    + TASK
    + "kind = 'topic'\ncolumn = 'topic'\ntopics = ['art']\nseeds = '3'": "seeds = '3' must be a whole",
    TOML + TASK.replace('"t"', '"details"') + "kind = 'genre'\ncolumn = 'kind'": "the name is taken",
}


@pytest.mark.parametrize(("toml", "sentence"), WRONG_TOML.items())
def test_a_wrong_description_is_refused(tmp_path: Path, toml: str, sentence: str) -> None:
    folder = write(tmp_path / "c", toml)
    with pytest.raises(UnreadableError, match=f"c/corpus.toml.*{sentence}") as error:
        Corpus.open(folder)
    assert str(error.value) in list(check(folder))


WRONG_LABELS = {
    "page,kind\nhttp://a.example/,x\n": 'labels.csv, line 1: there is no column "url" .found: page, kind',
    "url,kind\nhttp://a.example/,x,y\n": "labels.csv, line 2: not 2 fields",
    "url,kind,kind\nhttp://a.example/,x,y\n": "labels.csv, line 1: two columns have the same name",
    f"url,kind\nhttp://a.example/,{'x' * 140_000}\n": "labels.csv, line 2: field larger .*; write it as CSV",
    "": 'labels.csv, line 1: there is no column "url"',
}


@pytest.mark.parametrize(("labels", "sentence"), WRONG_LABELS.items(), ids=range(len(WRONG_LABELS)))
def test_wrong_labels_are_refused(tmp_path: Path, labels: str, sentence: str) -> None:
    folder = write(tmp_path / "c", labels=labels)
    with pytest.raises(UnreadableError, match=sentence):
        Corpus.open(folder)
    assert len(list(check(folder))) == 1


def test_labels_in_another_charset_are_refused(small: Path) -> None:
    (small / "labels.csv").write_bytes(b"url,kind\nhttp://a.example/,gr\xfcn\n")
    with pytest.raises(UnreadableError, match=r"labels\.csv, line 2: invalid start byte; write it as CSV in UTF-8"):
        Corpus.open(small)


def test_a_folder_that_is_no_corpus(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "missing"):
        with pytest.raises(UnreadableError, match=r"corpus\.toml: it cannot be read .*not a corpus folder"):
            Corpus.open(folder)
        assert any("not a corpus folder" in problem for problem in check(folder))


def test_neither_pages_nor_edges(small: Path) -> None:
    (small / "pages.warc.gz").unlink()
    with pytest.raises(UnreadableError, match=r"neither pages .* nor edges\.csv"):
        Corpus.open(small)


def test_a_cut_archive_is_refused_and_nothing_is_cached(small: Path, cache: Path) -> None:
    whole = (small / "pages.warc.gz").read_bytes()
    (small / "pages.warc.gz").write_bytes(whole[:-5])
    with pytest.raises(UnreadableError, match=rf"pages\.warc\.gz, byte {len(whole) - len(PAGES[-1])}: .*cut off"):
        Corpus.open(small)
    assert not cache.exists()


@pytest.mark.parametrize(
    "edges", ["from,to\n", "source,target\nhttp://a.example/\n", "source,target\nx,http://a.example/\n"]
)
def test_wrong_edges_are_refused(small: Path, edges: str) -> None:
    (small / "edges.csv").write_text(edges)
    with pytest.raises(UnreadableError, match=r"edges\.csv, line [12]: "):
        Corpus.open(small)


def test_check_says_all_of_it(small: Path) -> None:
    (small / "corpus.toml").write_text(TOML.replace('"type"', '"tpye"'))
    (small / "labels.csv").write_text("page\n")
    (small / "pages.warc.gz").write_bytes(b"junk")
    (small / "edges.csv").write_text("from,to\n")
    assert [problem.split("/")[-1].split(",")[0] for problem in check(small)] == [
        "corpus.toml", "labels.csv", "edges.csv", "pages.warc.gz",
    ]  # fmt: skip


def test_what_one_can_live_with_is_a_note(tmp_path: Path) -> None:
    toml = TOML.replace("A.example:80/", "a.example/lost").replace(
        "start = [", 'strat = 1\nstart = ["http://no.example/", '
    )
    labels = LABELS + "http://a.example/none,detail,\nhttp://a.example/one,list,\nnonsense,list,\n,list,\n"
    folder = write(tmp_path / "c", toml, labels, [*PAGES, page("http://a.example/")])
    problems = list(check(folder))
    assert all(problem.startswith("note: ") for problem in problems)
    parts = [
        "home page http://a.example/lost",
        "3 labelled URLs have no page",
        "line 6: the URL, in canonical form",
        "lines 7, 8: no http",
        'did you mean "start"',
        "start names pages (http://no.example/",
        "1 records have a URL",
    ]
    for part in parts:
        assert any(part in problem for problem in problems), part
    assert len(problems) == len(parts)
    assert Corpus.open(folder).labels["http://a.example/one"]["kind"] == "detail"


# Real corpora


@pytest.mark.slow
@needs_shared
@pytest.mark.parametrize("name", REAL)
def test_real_corpora_open(name: str) -> None:
    corpus = Corpus.open(SHARED / name)
    assert (len(corpus.urls), len(corpus.labels), len(corpus.aliases)) == REAL[name]
    assert corpus.tasks
    for url in corpus.urls[:: max(1, len(corpus.urls) // 20)]:
        assert corpus.find(url)
    assert [problem for problem in check(SHARED / name) if not problem.startswith("note: ")] == []


@needs_shared
def test_a_real_corpus_opens_fast_the_second_time() -> None:
    Corpus.open(SHARED / "wikispeedia")
    start = time.process_time()
    Corpus.open(SHARED / "wikispeedia")
    assert time.process_time() - start < 2


@needs_shared
@pytest.mark.slow
def test_a_manual_is_reached_from_its_first_page() -> None:
    corpus = Corpus.open(SHARED / "postgresql-doc")
    assert len(corpus.graph().reachable([corpus.home])) == 1167
    assert max(corpus.graph().distances(corpus.urls[:1]).values()) < 20


def test_the_example_of_the_manual_makes_a_corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    manual = (Path(__file__).parents[1] / "docs" / "corpora.md").read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    exec(manual.split("```python\n")[1].split("```")[0], {})
    assert list(check(tmp_path / "garden")) == []
    assert Corpus.open(tmp_path / "garden").page("https://forum.example/old").title == ""


def test_the_manual_names_every_kind_and_key() -> None:
    manual = (Path(__file__).parents[1] / "docs" / "corpora.md").read_text(encoding="utf-8")
    for word in (*NEEDED, *KEYS):
        assert word in manual, f"docs/corpora.md does not mention {word}"
