"""What people see first: the headline, the best pages, the colour of a strategy, the list of runs."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from opilio import registry
from opilio.bench.palette import LIGHT, PLAIN, styles
from opilio.bench.plots import Line, plot
from opilio.engine.held_out import held_out
from opilio.engine.labels import add_label
from opilio.report.best_pages import best_pages, snippet
from opilio.report.compare import compare, drawing
from opilio.report.harvest import Course
from opilio.report.headline import headline, headline_unjudged, why_nothing
from opilio.report.html_parts import Bar, bars
from opilio.report.web_map import NAMED, Map, Node, _groups, svg, web_map
from opilio.store.reader import reading
from opilio.web.run_list import listed, spark

from .crawled import crawled


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return crawled(tmp_path_factory.mktemp("first") / "run")


def test_the_headline_is_one_sentence() -> None:
    told = headline(600, 63, "TLS", last_hundred=0, left=17.2)
    assert told == "Found 63 pages about TLS in 600 fetches; about 17 more are known of; the last hundred brought none."
    assert headline(1, 0, "bees") == "Found no pages about bees in 1 fetch."
    assert headline(250, 1, "", 1, 0.2) == "Found 1 relevant page in 250 fetches; the last hundred brought 1."
    assert headline(0, 0, "bees") == "Nothing was fetched yet."
    assert "no topic was given" in headline_unjudged(7, 1)


def test_the_headline_names_the_page_that_others_are_to_be_like() -> None:
    one = ["http://forum.test/t/3"]
    assert headline(99, 87, "", like=one) == "Found 87 pages like http://forum.test/t/3 in 99 fetches."
    assert headline(99, 1, "bees", like=one) == "Found 1 page like http://forum.test/t/3 about bees in 99 fetches."
    assert (
        headline(99, 0, "", like=[*one, "http://shop.test/p/4"]) == "Found no pages like one of 2 pages in 99 fetches."
    )
    assert headline(99, 2, "", like=["http://forum.test/" + "t" * 99]).startswith(
        "Found 2 pages like http://forum.test/tt"
    )


@pytest.mark.parametrize(
    ("pages", "errors", "refused", "said"),
    [
        (0, {}, {"robots.txt": 3}, "No page was fetched: robots.txt"),
        (0, {}, {"guard (address)": 1}, "unless a setting allows it"),
        (9, {"http 403": 8}, {}, "8 of 9 fetches failed, with http 403"),
        (9, {"http 403": 5, "http 404": 4}, {}, "Every fetch failed, most with http 403"),
        (9, {"http 404": 1}, {}, "None of 9 pages was judged relevant"),
    ],
)
def test_a_crawl_that_brought_nothing_says_why(
    pages: int, errors: dict[str, int], refused: dict[str, int], said: str
) -> None:
    assert said in why_nothing(pages, 0, errors, refused, 5, "bees")
    assert why_nothing(pages or 1, 1, errors, refused, 5, "bees") == ""


def test_the_best_pages_come_with_what_they_say_of_the_topic(run: Path) -> None:
    best = best_pages(run, 5)
    with closing(reading(run)) as db:
        (highest,) = db.execute("SELECT max(relevance) FROM pages").fetchone()
    assert best[0].relevance == highest
    assert len({page.url for page in best}) == 5
    assert any(is_match for page in best for _, is_match in page.snippet)


def test_a_snippet_is_the_stretch_with_most_words_of_the_topic() -> None:
    told = snippet("far " * 50 + "the bees keep honey here " + "away " * 50, "bee honey", "en", 6)
    text = "".join(piece for piece, _ in told)
    assert [piece for piece, is_match in told if is_match] == ["bees", "honey"]
    assert text.startswith("… ")
    assert text.endswith("…")


def test_a_strategy_has_one_colour_wherever_it_is_drawn() -> None:
    names = [name for name in registry.strategies() if name not in PLAIN]
    alone = {name: styles([name])[name] for name in names}
    assert styles(names) == alone
    assert styles(reversed(names)) == alone
    assert len(set(alone.values())) == len(names)


def test_variants_of_a_strategy_share_its_colour_and_differ_in_dashes() -> None:
    told = styles(["otie", "otie(damping=0.5)", "otie(damping=0.7)", "random"])
    assert told["random"] == "random"
    places = [int(style[1:]) for name, style in told.items() if name != "random"]
    assert len(set(places)) == 3
    assert len({place % len(LIGHT) for place in places}) == 1


def test_an_inline_drawing_brings_no_style_and_tells_its_last_values() -> None:
    line = Line("over <all>", "s0", [1.0, 2.0], [0.25, 0.5], [0.0, 0.0])
    drawn = plot("Harvest", "pages", [line], y_name="share", form="percent", inline=True)
    assert "style=" not in drawn
    assert "<style" not in drawn
    assert "over &lt;all&gt; 50.0%" in drawn
    assert ">share</text>" in drawn
    assert "<style" in plot("Harvest", "pages", [line])


def test_bars_are_a_table_with_its_numbers() -> None:
    made = bars("", [Bar("a.test", 8, 2), Bar("<b>", 4, 4)])
    assert "2 of 8" in made
    assert 'width="25.00"' in made
    assert "&lt;b&gt;" in made
    assert bars("", []) == ""


def test_runs_are_filtered_and_sorted() -> None:
    one = {"name": "a", "wanted": "bees", "strategy": "otie", "state": "finished", "started": "2026-01-02", "pages": 5}
    other = {**one, "name": "b", "wanted": "TLS", "started": "2026-01-03", "pages": 3}
    assert [run["name"] for run in listed([one, other], "", "started", False)] == ["b", "a"]
    assert [run["name"] for run in listed([one, other], "", "pages", False)] == ["a", "b"]
    assert [run["name"] for run in listed([one, other], "", "name", True)] == ["b", "a"]
    assert [run["name"] for run in listed([one, other], "tls finished", "name", False)] == ["b"]


def test_a_spark_rises_with_what_was_found() -> None:
    assert spark(Course(np.empty(0), np.empty(0))) == ""
    points = [pair.split(",") for pair in spark(Course(np.array([1.0, 0.0, 1.0]), np.arange(3.0))).split()]
    assert [float(y) for _, y in points] == [13.0, 13.0, 2.0]


def test_sites_that_link_to_each_other_are_a_group(run: Path) -> None:
    links = {(0, 1): 5, (1, 2): 5, (0, 2): 5, (3, 4): 5, (4, 5): 5, (3, 5): 5, (2, 3): 1}
    groups = _groups(7, links)
    assert len(set(groups[:3])) == len(set(groups[3:6])) == 1
    assert len(set(groups)) == 3
    with closing(reading(run)) as db:
        found = web_map(db)
        (pages,) = db.execute("SELECT count(*) FROM pages").fetchone()
    assert sum(node.pages for node in found.nodes) == pages
    assert svg(found, "a map").count("<circle") == len(found.nodes)


@pytest.mark.slow
def test_a_map_of_a_thousand_sites_is_small_and_quick() -> None:
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("CREATE TABLE pages (url TEXT, source TEXT, relevance REAL)")
        rows = [(f"http://s{n}.test/", f"http://s{n * 7 % 1200}.test/", n % 3 / 2) for n in range(1200)]
        db.executemany("INSERT INTO pages VALUES (?, ?, ?)", rows)
        found = web_map(db, 1000)
        few = web_map(db, 10)
    assert (len(found.nodes), found.left_out, len(few.nodes)) == (1000, 200, 10)
    begun = time.process_time()
    assert len(svg(found, "a map")) < 250_000
    assert time.process_time() - begun < 10
    assert svg(few, "ten").count("<text") == 10
    assert 10 < svg(found, "a map").count("<text") <= NAMED


def test_links_between_relevant_sites_stand_out_and_many_are_faint() -> None:
    def drawn(sites: int) -> list[tuple[str, float]]:
        with closing(sqlite3.connect(":memory:")) as db:
            db.execute("CREATE TABLE pages (url TEXT, source TEXT, relevance REAL)")
            rows = [(f"http://s{n}.test/", f"http://s{n * 7 % sites}.test/", float(n % 3 > 0)) for n in range(sites)]
            db.executemany("INSERT INTO pages VALUES (?, ?, ?)", rows)
            found = re.findall(r'<path class="(link[^"]*)" stroke-opacity="([\d.]+)"', svg(web_map(db), "a map"))
        return [(kind, float(opacity)) for kind, opacity in found]

    assert drawn(20) == [("link", 0.35), ("link good", 0.6)]
    (_, others), (_, good) = drawn(900)
    assert 0.1 < others < good < 0.3


def test_sites_without_links_between_them_are_drawn_as_folders() -> None:
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute("CREATE TABLE pages (url TEXT, source TEXT, relevance REAL)")
        rows = [(f"http://s{n % 4}.test/{n % 3}/{n}", f"http://s{n % 4}.test/{n % 2}/", 0.0) for n in range(60)]
        db.executemany("INSERT INTO pages VALUES (?, ?, ?)", rows)
        assert web_map(db).kind == "folder"
        db.execute("INSERT INTO pages VALUES ('http://s0.test/', 'http://s1.test/', 1)")
        assert web_map(db).kind == "site"


def test_runs_are_compared(run: Path, tmp_path: Path) -> None:
    other = crawled(tmp_path / "other", strategy="breadth-first", max_pages=40)
    found = compare({"a": run, "b": other})
    good = {}
    for name, folder in (("a", run), ("b", other)):
        with closing(reading(folder)) as db:
            good[name] = {url for (url,) in db.execute("SELECT url FROM pages WHERE relevance >= 0.5")}
    assert found.shared == len(good["a"] & good["b"])
    assert found.only_count == {"a": len(good["a"] - good["b"]), "b": len(good["b"] - good["a"])}
    assert found.overlap["a", "b"] == (len(good["a"] & good["b"]), len(good["a"] | good["b"]))
    assert {page.url for page in found.only["a"]} <= good["a"] - good["b"]
    assert drawing(found).count("<polyline") == 2
    assert json.loads(json.dumps(found.plain()))["shared"] == found.shared


def test_labelled_pages_are_judged_without_their_labels(run: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    shutil.copytree(run, folder)
    assert held_out(folder) == []
    best = best_pages(folder, 2)
    add_label(folder, best[0].url, False)
    (judged,) = held_out(folder)
    assert (judged.url, judged.is_relevant) == (best[0].url, False)
    assert judged.relevance > 0.1  # not the 0 of its label


def test_the_most_relevant_sites_have_their_names_whatever_is_around_them() -> None:
    """A dot among others of a middling size, close on all sides."""
    places = np.array(
        [[500.0, 300.0], *([500.0 + 22 * dx, 300.0 + 22 * dy] for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy)]
    )
    nodes = [Node("best.example", 200, 200, 0), *(Node(f"other-{number}.example", 30, 0, 0) for number in range(8))]
    found = Map(nodes, {}, 0, "site", places)
    assert ">best.example</text>" in svg(found, "a map")
