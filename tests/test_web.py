"""The dashboard: every page and every call of the API on a real run, and crawls started, paused and resumed from it."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families
from starlette.testclient import TestClient
from typer.testing import CliRunner

from opilio.bench.corpus import Corpus
from opilio.bench.run import bench
from opilio.cli import serve as serve_command
from opilio.cli.commands import app as command_line
from opilio.config import Config
from opilio.engine.labels import labels
from opilio.engine.run import Run
from opilio.report.run_state import run_state
from opilio.report.summary import summary
from opilio.store.reader import reading
from opilio.synth.corpus import write
from opilio.synth.local_server import port_of, serve
from opilio.synth.web import Web
from opilio.web import crawls, run_view
from opilio.web.app import application, routers, texts
from opilio.web.frontier_view import frontier
from opilio.web.page_list import ORDERS, Filter, found
from opilio.web.render import templates
from opilio.web.run_list import wanted

from .crawled import crawled
from .tiny_corpus import labelled, task
from .tiny_corpus import write as write_corpus

PORT, TOKEN = 8765, "the token"
ORIGIN = f"http://127.0.0.1:{PORT}"


def client(home: Path) -> TestClient:
    return TestClient(application([home], TOKEN, PORT), ORIGIN, headers={"Authorization": f"Bearer {TOKEN}"})


def garden(folder: Path, step: int) -> Path:
    """A corpus of two topics of twenty pages, each linking to five of its own and to three of the other."""
    topics, links = ("bee", "stone"), {}
    for topic, other in (topics, topics[::-1]):
        for i in range(20):
            own = [f"{topic}{(i * step + k) % 20}" for k in range(1, 6)]
            links[f"{topic}{i}"] = " ".join(own + [f"{other}{(i * 7 + k) % 20}" for k in range(3)])
    labels = labelled(**{topic: " ".join(f"{topic}{i}" for i in range(20)) for topic in topics})
    return write_corpus(
        folder, links, labels, task("topic", column="kind", topics=list(topics), seeds=2, train=4)
    ).folder


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a run and two benchmarks, for those who only look."""
    home = tmp_path_factory.mktemp("shelf")
    crawled(home / "bees")
    for name, step in (("first", 3), ("second", 5)):
        web = garden(tmp_path_factory.mktemp("web"), step)
        bench(web, "topic", ["breadth-first", "best-first"], 12, 1, out=home / name, workers=1)
    return home


@pytest.fixture
def run(shelf: Path, tmp_path: Path) -> Path:
    """A folder with a run that may be changed."""
    shutil.copytree(shelf / "bees", tmp_path / "bees")
    return tmp_path


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A synthetic web on disk, and pages to start from."""
    folder, web = tmp_path_factory.mktemp("corpus") / "web", Web(600, 3)
    write(web, folder)
    return folder, web.seeds(web.topics[0])[:3]


@contextmanager
def served_web(web: Web) -> Iterator[int]:
    """A synthetic web over HTTP on loopback; the port."""
    loop = asyncio.new_event_loop()
    server = loop.run_until_complete(serve(web.answer))
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        yield port_of(server)
    finally:
        loop.call_soon_threadsafe(server.close)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()


def until(true: Callable[[], Any], seconds: float = 60) -> Any:
    """Wait for something that another process does."""
    end = time.monotonic() + seconds
    while not (found := true()):
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)
    return found


def a_page(home: Path) -> dict[str, Any]:
    page: dict[str, Any] = client(home).get("/api/runs/bees/pages?kind=pages&order=relevance").json()["pages"][0]
    return page


def test_every_page_of_the_menu_answers(shelf: Path) -> None:
    asked = client(shelf)
    tabs = [page.tab for page in routers() if page.tab]
    assert {label for label, _, _ in tabs} == {"Live", "Pages", "Map", "Frontier", "Labels"}
    for path in ["/runs", "/start", "/benchmarks", "/api", *(f"/runs/bees{end}" for _, end, _ in tabs)]:
        answer = asked.get(path)
        assert answer.status_code == 200, path
        assert "<h1>" in answer.text


def test_a_crawl_that_fetched_nothing_is_not_called_finished(tmp_path: Path, corpus: tuple[Path, list[str]]) -> None:
    seed = "http://not-recorded.example/"
    config = Config(corpus=str(corpus[0]), seeds=[seed], strategy="breadth-first")
    with closing(Run(tmp_path / "none", config, Corpus.open(corpus[0]).fetcher())) as crawl:
        crawl.go()
    asked = client(tmp_path)
    assert asked.get("/api/runs/none").json()["state"] == run_state(tmp_path / "none") == "fetched nothing"
    assert f"{seed}: http 404" in asked.get("/runs/none").text


@pytest.mark.parametrize("limit", ["²", "9" * 5000, "-1", "x"])
def test_a_new_limit_that_is_no_number_is_a_sentence(run: Path, limit: str) -> None:
    answer = client(run).post(
        "/runs/bees/act", data={"action": "resume", "max_pages": limit}, headers={"Origin": ORIGIN}
    )
    assert answer.status_code == 400
    assert "is not a whole number" in answer.text


@pytest.mark.parametrize("least", ["7", "nan", "-1"])
def test_a_relevance_out_of_range_is_refused(shelf: Path, least: str) -> None:
    for place in ("/runs/bees/pages", "/api/runs/bees/pages", "/api/runs/bees/search"):
        assert client(shelf).get(f"{place}?q=bee&relevance={least}").status_code in (400, 422)


def test_runs_are_listed_with_their_figures(shelf: Path) -> None:
    assert client(shelf).get("/").url.path == "/runs"
    text = client(shelf).get("/runs").text
    assert 'href="/runs/bees"' in text
    assert "finished" in text
    (told,) = client(shelf).get("/api/runs").json()
    with closing(reading(shelf / "bees")) as db:
        pages, relevant = db.execute("SELECT count(*), sum(relevance >= 0.5) FROM pages").fetchone()
    assert (told["pages"], told["relevant"]) == (pages, relevant)


def test_a_run_is_deleted_after_a_question(run: Path) -> None:
    asked = client(run)
    assert "cannot be undone" in asked.get("/runs/bees/delete").text
    assert (run / "bees").exists()
    assert "No run yet" in asked.post("/runs/bees/delete", headers={"Origin": ORIGIN}).text
    assert not (run / "bees").exists()
    assert asked.post("/runs/bees/delete", headers={"Origin": ORIGIN}).status_code == 404


def test_what_is_not_there_is_a_page_for_people_and_json_for_programs(shelf: Path) -> None:
    answer = client(shelf).get("/nowhere")
    assert (answer.status_code, "<title>Not found" in answer.text) == (404, True)
    assert client(shelf).get("/api/nowhere").json() == {"error": "there is nothing at /api/nowhere"}
    assert client(shelf).get("/runs?sort=nonsense").status_code == 422


def test_figures_of_the_dashboard_are_those_of_status(shelf: Path) -> None:
    figures, told = summary(shelf / "bees"), client(shelf).get("/api/runs/bees").json()
    same = (
        "pages",
        "relevant",
        "bytes",
        "errors",
        "refused",
        "refused_because",
        "internal_errors",
        "started",
        "why",
        "state",
    )
    assert {name: told[name] for name in same} == {name: figures[name] for name in same}
    assert told["sites"] == figures["sites_with_relevant_pages"]
    assert told["waiting"] == figures["open_urls"]


def test_errors_lead_to_the_pages_that_failed_so(shelf: Path) -> None:
    errors = client(shelf).get("/api/runs/bees").json()["errors"]
    kind = next(iter(errors))
    assert "?kind=errors&amp;error=" in client(shelf).get("/runs/bees").text
    shown = found(shelf / "bees", Filter(error=kind), most=500).pages
    assert len(shown) == errors[kind]


def test_refused_urls_are_listed_with_what_stood_in_the_way(run: Path) -> None:
    with closing(sqlite3.connect(run / "bees" / "state.db")) as db, db:
        for number in range(120):
            row = (f"http://a.test/{number:03}", "robots: line 2: Disallow: /", 0.0, "http://a.test/", "")
            db.execute("INSERT INTO refusals VALUES (?, ?, ?, ?, ?)", row)
        db.execute("INSERT INTO refusals VALUES ('http://b.test/', 'scope: hosts', 0, '', '')")
    asked = client(run)
    text = asked.get("/runs/bees/refused?kind=robots.txt").text
    assert text.count("refused by robots.txt (line 2") == 100
    assert asked.get("/runs/bees/refused?kind=robots.txt&after=http://a.test/099").text.count("(line 2") == 20
    assert "http://b.test/" not in text


def test_all_pages_come_once_whatever_the_order(shelf: Path) -> None:
    with closing(reading(shelf / "bees")) as db:
        numbers = {number for (number,) in db.execute("SELECT number FROM pages WHERE relevance IS NOT NULL")}
    for order in ORDERS:
        seen: list[int] = []
        after = ""
        while True:
            part = found(shelf / "bees", Filter(), order, after, 7)
            seen += [page["number"] for page in part.pages if page["relevance"] is not None]
            after = part.after
            if not after:
                break
        assert len(seen) == len(set(seen))
        assert set(seen) == numbers


def test_filters_narrow(shelf: Path) -> None:
    folder, page = shelf / "bees", a_page(shelf)
    host = page["url"].split("/")[2]
    site = host.partition(".")[2]
    for name in (host, site):
        some = found(folder, Filter(site=name), most=500).pages
        assert some
        assert all(row["url"].split("/")[2].endswith(name) for row in some)
    assert not found(folder, Filter(site=site[1:])).pages  # a part of a name is another name
    good = found(folder, Filter(least=0.5), most=500).pages
    assert good
    assert all(row["relevance"] >= 0.5 for row in good)
    assert not found(folder, Filter(language="xx")).pages
    assert all(row["error"] for row in found(folder, Filter(kind="errors")).pages)


def test_pages_have_facets_snippets_and_a_threshold(run: Path) -> None:
    asked = client(run)
    text = asked.get("/runs/bees/pages").text
    with closing(reading(run / "bees")) as db:
        (judged,) = db.execute("SELECT count(relevance) FROM pages").fetchone()
    bins = re.search(r'data-bins="([0-9 ]+)"', text)
    assert bins
    assert sum(map(int, bins[1].split())) == judged
    number = a_page(run)["number"]
    told = asked.get(f"/runs/bees/snippets?numbers={number},x,99999999999999999999").json()
    assert any(is_match for _, is_match in told[str(number)])
    assert asked.get("/runs/bees/held-out").json() == []
    kind = asked.get("/runs/bees/pages?order=bytes&reverse=true").text
    assert 'aria-sort="ascending"' in kind


def test_the_map_names_the_page_types_of_a_site(shelf: Path) -> None:
    asked = client(shelf)
    text = asked.get("/runs/bees/map").text
    target = re.search(r'<th scope="row" class="name"><a href="([^"]+)"', text)
    assert target
    assert "Page types of" in asked.get(target[1].replace("&amp;", "&")).text
    assert asked.get("/runs/bees/map?most=5&site=%3Cb%3E").status_code == 200


def test_a_run_says_what_was_asked_for() -> None:
    pages = ["https://a.example/x", "https://b.example/y", "https://c.example/z"]
    assert wanted(Config(topic="bees", examples=pages)) == "bees"
    assert wanted(Config(examples=pages)) == "pages about the same as https://a.example/x and 2 more"
    assert wanted(Config(topic="bees", like=pages[:1])) == "bees, pages of the type of https://a.example/x"
    assert wanted(Config()) == ""


def test_runs_stand_beside_each_other(shelf: Path, run: Path) -> None:
    shutil.copytree(run / "bees", run / "other")
    text = client(run).get("/compare?run=bees&run=other").text
    assert "were found by both; 0 only by bees; 0 only by other" in text
    assert client(run).get("/compare?run=bees").status_code == 400
    assert client(run).get("/compare?run=bees&run=nowhere").status_code == 404


def test_a_mark_of_another_order_starts_anew(shelf: Path) -> None:
    for mark in ("nonsense", "0x1p+0_3", "[1]", "[NaN, 1]", "[true, 2]", '["x", 3]', "[1e400, 1]"):
        assert found(shelf / "bees", Filter(), "newest", mark).pages


def test_search_finds_words_once_they_are_indexed(run: Path) -> None:
    asked = client(run)
    until(lambda: asked.get("/api/runs/bees/search?q=honey").json()["total"])
    text = asked.get("/runs/bees/pages?q=honey").text
    assert "<mark>honey</mark>" in text.lower()
    assert asked.get("/runs/bees/pages?q=%22").status_code == 400  # no word in it


def test_story_tells_of_fetched_and_unknown(shelf: Path) -> None:
    page = a_page(shelf)
    text = client(shelf).get("/runs/bees/story", params={"url": page["url"]}).text
    assert re.search(r"data-paragraph>Fetched as page \d+( because|: it is one of the seeds)", text)
    assert "How it was found" in text
    assert f"/runs/bees/copy/{page['number']}" in text
    unseen = client(shelf).get("/runs/bees/story?url=http://nowhere.test/").text
    assert "none of the stored pages that were searched links to it" in unseen
    assert "or you name it as a seed" in unseen
    assert client(shelf).get("/runs/bees/story?url=ftp:x").status_code == 400
    assert client(shelf).get("/api/runs/bees/story", params={"url": page["url"]}).json()["state"] == "fetched"


def test_stored_copy_is_text(shelf: Path) -> None:
    text = client(shelf).get(f"/runs/bees/copy/{a_page(shelf)['number']}").text
    assert "&lt;title&gt;" in text
    assert client(shelf).get("/runs/bees/copy/99999").status_code == 404


def test_frontier_agrees_with_the_crawl(shelf: Path) -> None:
    told = client(shelf).get("/api/runs/bees/frontier").json()
    assert told["places"] == client(shelf).get("/api/runs/bees").json()["waiting"]  # this strategy has one lane
    assert sum(lane["open"] for lane in told["lanes"]) == told["places"]
    assert sum(host["open"] for host in told["hosts"]) == told["places"]
    prices = [row["price"] for row in told["next"]]
    assert prices == sorted(prices, reverse=True)
    story = client(shelf).get("/api/runs/bees/story", params={"url": told["next"][0]["url"]}).json()
    assert story["state"] == "waiting"
    assert story["waiting"][0]["ahead"] == 0
    assert frontier(shelf / "bees").lane_count == 1
    page = client(shelf).get("/runs/bees/frontier").text
    assert f"{told['places']:,} URLs wait on {told['host_count']:,} host" in page
    assert "lane" not in page.partition("<main")[2]
    assert client(shelf).get("/api/runs/bees").json()["pace"] > 0  # of the whole crawl, as it has ended


@pytest.mark.parametrize("strategy", ["genre-plus", "profile-plus", "otie"])
def test_a_url_that_waits_in_two_lanes_counts_once(strategy: str, tmp_path: Path) -> None:
    figures = summary(crawled(tmp_path / "bees", strategy=strategy, max_pages=60))
    found = frontier(tmp_path / "bees")
    assert len(found.prices) == sum(host.open for host in found.hosts) == figures["open_urls"] > 20
    assert found.places >= figures["open_urls"]
    asked = client(tmp_path)
    assert f"{figures['open_urls']:,} URLs wait" in asked.get("/runs/bees/frontier").text
    (row,) = asked.get("/api/runs").json()
    assert (row["pages"], row["relevant"], row["waiting"]) == (60, figures["relevant"], figures["open_urls"])


def test_benchmarks_stand_side_by_side(shelf: Path) -> None:
    asked = client(shelf)
    text = asked.get("/benchmarks?a=first&b=second").text
    means = [json.loads((shelf / name / "results.json").read_text())["summary"] for name in ("first", "second")]
    for rows in means:
        last = [row for row in rows if row["metric"] == "harvest_rate" and row["strategy"] == "best-first"][-1]
        assert f"{last['mean']:.3f}" in text
    assert asked.get("/benchmarks/first/harvest_rate.svg").text.startswith("<svg")
    assert asked.get("/benchmarks/first/none.svg").status_code == 404
    assert asked.get("/api/benchmarks").json() == ["first", "second"]
    assert asked.get("/api/benchmarks/first").json()["task"] == "topic"


def test_metrics_are_read_by_prometheus(shelf: Path) -> None:
    answer = client(shelf).get("/metrics")
    told = {family.name: family.samples for family in text_string_to_metric_families(answer.text)}
    figures = client(shelf).get("/api/runs/bees").json()
    assert told["opilio_harvest_rate"][0].labels == {"run": "bees"}
    assert told["opilio_harvest_rate"][0].value == figures["harvest"]
    assert told["opilio_pages"][0].value == figures["pages"]


def test_api_is_described(shelf: Path) -> None:
    described = client(shelf).get("/api/openapi.json").json()
    assert "/api/runs/{name}/pages" in described["paths"]
    assert not [path for path in described["paths"] if not path.startswith(("/api/", "/metrics"))]
    assert all(call.get("description") for methods in described["paths"].values() for call in methods.values())


@pytest.mark.slow
def test_labels_are_asked_for_said_and_learned(tmp_path: Path, corpus: tuple[Path, list[str]]) -> None:
    folder, seeds = corpus
    config = Config(corpus=str(folder), seeds=seeds, topic="bread flour oven", max_pages=60, strategy="best-first")
    with closing(Run(tmp_path / "bread", config, Corpus.open(folder).fetcher())) as crawl:
        crawl.go()
    asked = client(tmp_path)
    first, second, *_ = asked.get("/api/runs/bread/labels").json()["next"]
    assert asked.post("/api/runs/bread/labels", json={"url": first["url"], "relevant": False}).status_code == 201
    asked.post("/runs/bread/labels", data={"answer": "skip", "number": second["number"]})
    left = [page["url"] for page in asked.get("/api/runs/bread/labels").json()["next"]]
    assert left
    assert first["url"] not in left
    assert second["url"] not in left
    assert labels(tmp_path / "bread") == {first["url"]: False}
    until(lambda: asked.get("/api/runs/bread").json()["state"] == "finished")  # it has learned
    told = asked.get("/api/runs/bread/story", params={"url": first["url"]}).json()
    assert told["visits"][0]["relevance"] == 0.0
    assert asked.post("/runs/bread/labels", data={"answer": "maybe"}).status_code == 400


def test_a_view_follows_pages_that_are_judged_anew(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_view, "EACH", 0.0)
    monkeypatch.setattr(run_view, "PAUSE", 0.0)
    watched = run_view.View(run / "bees")
    before = watched.now().relevant
    with closing(sqlite3.connect(run / "bees" / "state.db")) as db, db:
        db.execute("UPDATE pages SET relevance = 0")
        assert watched.now().relevant == before  # nothing said so
        db.execute("INSERT OR REPLACE INTO meta VALUES ('labels', '{}')")
    assert before > 0
    until(lambda: watched.now().relevant == 0, 5)
    assert not watched.course().good.any()


@pytest.mark.slow
def test_a_crawl_is_started_paused_resumed_and_stopped(tmp_path: Path) -> None:
    web = Web(600, 3)
    with served_web(web) as port:
        settings = {"seeds": web.seeds(web.topics[0])[:3], "topic": "bees", "strategy": "best-first", "delay": 0.2}
        settings |= {"fetch_to": f"127.0.0.1:{port}", "max_pages": 100_000}
        asked = client(tmp_path)
        answer = asked.post("/api/runs", json={"name": "new", "settings": settings})
        assert answer.status_code == 201, answer.text
        assert answer.json()["state"] == "running"
        assert asked.post("/api/runs", json={"name": "new", "settings": settings}).status_code == 400  # it is there
        assert asked.post("/api/runs/new/resume").status_code == 400  # it runs
        seen = until(lambda: figures(asked)["pages"])

        another = client(tmp_path)  # as after a restart: it did not start this crawl, and finds it
        assert figures(another)["state"] == "running"
        assert another.post("/api/runs/new/pause").status_code == 202
        until(lambda: figures(another)["state"] == "interrupted")
        until(lambda: figures(asked)["state"] == "interrupted")
        assert asked.post("/api/runs/new/pause").status_code == 400

        assert asked.post("/api/runs/new/resume").status_code == 202
        until(lambda: figures(asked)["pages"] > seen)
        assert asked.post("/api/runs/new/stop").status_code == 202
        until(lambda: figures(asked)["state"] == "interrupted")


@pytest.mark.slow
def test_a_crawl_that_begins_slowly_is_there_from_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crawls, "BEGIN", 0.0)  # as if it took longer than one waits for it
    web = Web(600, 3)
    with served_web(web) as port:
        form = {"name": "new", "topic": "bees", "seeds": web.seeds(web.topics[0])[0], "max_pages": "20"}
        form["more"] = f"fetch_to = 127.0.0.1:{port}\ndelay = 0.02"
        asked = client(tmp_path)
        first = asked.post("/start", data=form)
        assert first.status_code == 200
        assert "The crawl is starting" in first.text
        assert asked.get("/runs/other").status_code == 404

        def shown() -> str:
            answer = asked.get("/runs/new")
            assert answer.status_code == 200
            return answer.text

        until(lambda: "data-state" in shown())
        drawings = [asked.get(f"/runs/new/drawing/{place}.svg").status_code for place in range(4)]
        assert drawings == [200, 200, 200, 404]  # however little there is to draw
        until(lambda: figures(asked)["state"] == "finished")


def figures(asked: TestClient) -> dict[str, Any]:
    told: dict[str, Any] = asked.get("/api/runs/new").json()
    return told


def test_a_crawl_that_cannot_start_says_why(tmp_path: Path) -> None:
    asked = client(tmp_path)
    for settings, said in (
        ({}, "no seeds"),
        ({"seeds": ["http://a.test/"], "strategy": "ottie"}, "otie"),
        ({"seeds": ["http://a.test/"], "nonsense": 1}, "nonsense"),
    ):
        answer = asked.post("/api/runs", json={"name": "new", "settings": settings})
        assert answer.status_code == 400
        assert said in answer.json()["error"]
    text = asked.post("/start", data={"name": "new", "topic": "x", "seeds": "nowhere"}).text
    assert "not an http(s) URL" in text
    assert 'value="x"' in text  # what was filled in is still there
    assert not list(tmp_path.iterdir())


def test_a_preview_says_which_seeds_answer_and_what_the_topic_understands(
    tmp_path: Path, corpus: tuple[Path, list[str]]
) -> None:
    form = {
        "name": "new",
        "topic": "bread flour oven",
        "seeds": f"{corpus[1][0]}\nhttp://not-recorded.example/",
        "delay": "2",
    }
    form["set-corpus"] = json.dumps(str(corpus[0]))
    text = client(tmp_path).post("/start/preview", data=form, headers={"Origin": ORIGIN}).text
    assert "1 of 2 seeds answer" in text
    assert "http 404" in text
    assert "Relevance is judged by" in text
    assert "topic = &#34;bread flour oven&#34;\n" in text
    assert "delay = 2\n" in text
    assert not list(tmp_path.iterdir())
    wrong = client(tmp_path).post("/start/preview", data={**form, "seeds": "nowhere"}, headers={"Origin": ORIGIN})
    assert wrong.status_code == 400
    assert "not an http(s) URL" in wrong.text


def test_the_api_page_says_what_each_call_takes(shelf: Path) -> None:
    asked = client(shelf)
    text = asked.get("/api").text
    for path in asked.get("/api/openapi.json").json()["paths"]:
        assert f'<code class="path">{path}</code>' in text
    assert "a new limit, counted from the start of the crawl" in text  # a field of what is sent


def test_two_folders_of_one_name_are_told_apart(shelf: Path, tmp_path: Path) -> None:
    shutil.copytree(shelf / "bees", tmp_path / "bees")
    asked = TestClient(application([shelf / "bees", tmp_path], TOKEN, PORT), ORIGIN)
    asked.headers["Authorization"] = f"Bearer {TOKEN}"
    assert [run["name"] for run in asked.get("/api/runs").json()] == ["bees", "bees-2"]


def test_without_a_folder_for_them_no_crawl_is_started(shelf: Path) -> None:
    answer = client(shelf / "bees").post("/api/runs", json={"name": "new", "settings": {"seeds": ["http://a.test/"]}})
    assert "no folder for new crawls" in answer.json()["error"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nowhere"], "no such folder"),
        (["nowhere", "s3://bucket/run"], "nowhere: there is no such folder"),
        (["--port", "70000", "."], "cannot listen on"),
        (["ftp://bucket/run"], "ftp is not known"),
        (["s3://"], "it names no bucket"),
    ],
)
def test_serve_says_what_is_wrong(words: list[str], said: str) -> None:
    result = CliRunner().invoke(command_line, ["serve", *words])
    assert said in str(result.exception)


def test_serve_names_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serve_command, "NEEDED", ("no_such_library",))
    result = CliRunner().invoke(command_line, ["serve"])
    assert 'pip install "opilio[web]"' in str(result.exception)


def test_every_page_has_its_template_and_the_style_its_classes() -> None:
    for name in templates().list_templates(["html"]):
        assert "<style" not in (text := templates().loader.get_source(templates(), name)[0])  # type: ignore[union-attr]
        assert not re.search(r"\son\w+=|style=|\|\s*safe", text), name
    assert ".dash" in texts()["style.css"]
