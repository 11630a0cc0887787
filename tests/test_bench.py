"""Whole benchmarks on small corpora: numbers known by hand, files, report, and the same again for the same seed."""

from __future__ import annotations

import io
import json
import math
import re
import shutil
import statistics
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from rich.console import Console
from scipy.stats import ttest_rel
from typer.testing import CliRunner

from opilio import registry
from opilio.bench import plots, significance
from opilio.bench.corpus import Corpus
from opilio.bench.remembering_topic import Memo
from opilio.bench.results import Run, TrialRow, load, validate
from opilio.bench.run import bench
from opilio.bench.table import table
from opilio.cli.commands import app
from opilio.errors import ConfigError, UnreadableError
from opilio.fetchers.replay import Recorded, Replay
from opilio.nouns import Link, Offer, Page, Strategy, Topic
from opilio.report.bench import page, write
from opilio.scope.bounds import Bounds
from opilio.store.warc_records import response_record

from .tiny_corpus import DATE, labelled, task, url
from .tiny_corpus import write as write_corpus


@pytest.fixture
def chain(tmp_path: Path) -> Path:
    """s -> h -> r, a redirect -> t1 -> t2 -> p: every strategy walks it the same way. Nothing links to t3.

    The last thread also has a dead link, and one to a URL that was not recorded.
    """
    links = {"s": "h", "h": "r", "r": "-> t1", "t1": "t2", "t2": "gone p nowhere", "p": "", "t3": "s", "gone": "404"}
    tasks = task("type", column="kind", target="thread", start=[url("s")])
    tasks += task("user-content", column="kind", user_content=["thread", "profile"], start=[url("s")])
    tasks += task("user-content", column="kind", user_content=["thread"], start=[url("s")]).replace(
        '"user', '"threads', 1
    )
    return write_corpus(tmp_path / "chain", links, labelled(thread="t1 t2 t3", profile="p", list="s h"), tasks).folder


@pytest.fixture
def garden(tmp_path: Path) -> Path:
    """Two topics of twenty pages, each linking to five of its own and to three of the other."""
    names = {topic: [f"{topic}{i}" for i in range(20)] for topic in ("bee", "stone")}
    links = {}
    for topic, other in (("bee", "stone"), ("stone", "bee")):
        for i in range(20):
            own = [names[topic][(i * 3 + k) % 20] for k in range(1, 6)]
            links[f"{topic}{i}"] = " ".join(own + [names[other][(i * 7 + k) % 20] for k in range(3)])
    labels = labelled(**{topic: " ".join(pages) for topic, pages in names.items()})
    tasks = task("topic", column="kind", topics=["bee", "stone"], seeds=2, train=4)
    return write_corpus(tmp_path / "garden", links, labels, tasks).folder


def run(folder: Path, **asked: Any) -> dict[str, Any]:
    return bench(folder, **{"workers": 1, "batch": 1, **asked})


def timeless(results: dict[str, Any]) -> dict[str, Any]:
    return results | {"runs": [row | {"seconds": 0} for row in results["runs"]]}


def test_numbers_by_hand(chain: Path) -> None:
    results = run(chain, task="threads-content", strategies=["breadth-first"], budget=8)
    validate(results)
    asked = results["corpus"], results["task"], results["kind"], results["budget"]
    assert asked == ("tiny", "threads-content", "user-content", 8)
    assert results["trials"] == [{"topic": "thread", "run": 0, "seeds": 1, "targets": 2, "unreachable": 1, "budget": 8}]
    assert [row["strategy"] for row in results["runs"]] == ["breadth-first", "oracle", "random"]
    for row in results["runs"]:  # s, h, r, t1, t2, then gone and p in either order: seven fetches
        assert (row["fetched"], row["targets"]) == (7, 2)
        assert row["curve"]["pages"] == [1, 2, 3, 4, 5, 6, 7, 8]
        assert row["curve"]["target_recall"] == [0, 0, 0, 0.5, 1, 1, 1, 1]
        assert row["curve"]["harvest_rate"] == pytest.approx([0, 0, 0, 1 / 4, 2 / 5, 2 / 6, 2 / 7, 2 / 7], abs=1e-6)
        assert row["auc"] == pytest.approx(4.5 / 8)


def test_links_out_of_the_recording_are_left_out_unless_they_are_to_be_dead(chain: Path) -> None:
    asked = {"task": "threads-content", "strategies": ["breadth-first"], "budget": 8}
    left_out, dead = run(chain, **asked), run(chain, **asked, outside="dead")
    assert left_out["outside"] == dead["outside"] == 1
    assert {row["fetched"] for row in left_out["runs"]} == {7}
    assert {row["fetched"] for row in dead["runs"]} == {8}
    assert "1 linked URLs are not recorded" in " ".join(shown(left_out).split())


@pytest.mark.slow
def test_a_thousand_links_out_of_the_recording_change_nothing(garden: Path, tmp_path: Path) -> None:
    """Every page of a second garden has them, without words."""
    crowded = tmp_path / "crowded"
    shutil.copytree(garden, crowded)
    outside = "".join(f'<a href="http://outside.example/{n}"></a>' for n in range(1000)).encode()
    corpus = Corpus.open(garden)
    bodies = {address: found.body + outside for address in corpus.urls if (found := corpus.find(address))}
    html = {"Content-Type": "text/html"}
    records = [response_record(address, 200, html, body, DATE) for address, body in bodies.items()]
    (crowded / "pages.warc.gz").write_bytes(b"".join(records))
    asked = {"strategies": ["breadth-first", "best-first", "link-context-plus", "opic", "otie", "shark", "random"]}
    plain, noisy = timeless(run(garden, **asked)), timeless(run(crowded, **asked))
    assert (plain.pop("outside"), noisy.pop("outside")) == (0, 1000)
    assert plain == noisy


def test_a_recorded_answer_is_read_once(chain: Path) -> None:
    asked: list[str] = []
    corpus = Corpus.open(chain)

    def find(address: str) -> Recorded | None:
        asked.append(address)
        return corpus.find(address)

    replay = Replay(find)
    pages = [replay.answer(Offer(Link(url(name)))) for name in ("s", "h", "s", "nowhere", "nowhere")]
    assert asked == [url("s"), url("h"), url("nowhere")]
    assert [page.status for page in pages] == [200, 200, 200, 404, 404]
    assert pages[0].body == pages[2].body


def test_a_redirect_out_of_the_recording_costs_a_fetch_and_leads_nowhere(tmp_path: Path) -> None:
    tasks = task("user-content", column="kind", user_content=["thread"], start=[url("s")])
    folder = write_corpus(tmp_path / "c", {"s": "r t", "r": "-> gone", "t": ""}, labelled(thread="t"), tasks).folder
    results = run(folder, strategies=["breadth-first"], budget=5)
    assert {row["fetched"] for row in results["runs"]} == {3}


def test_summary_by_hand(chain: Path) -> None:
    results = run(chain, task="threads-content", strategies=[], budget=8)
    rows = {(row["strategy"], row["metric"], row["at"]): row for row in results["summary"]}
    recall = {
        at: row["mean"] for (name, metric, at), row in rows.items() if (name, metric) == ("random", "target_recall")
    }
    assert recall == {"1x": 0, "2x": 0.5, 2: 0, 4: 0.5, 8: 1}  # 5x would be 10 pages
    assert rows["random", "auc", 8] == {
        "strategy": "random", "metric": "auc", "at": 8, "mean": 0.5625, "se": 0, "n": 1, "of_oracle": 1
    }  # fmt: skip
    assert results["tests"] == []  # of one trial nothing can be said


def test_what_a_task_does_not_give_is_left_out_with_the_reason(chain: Path) -> None:
    results = run(chain, task="type", strategies=["best-first", "breadth-first"])
    assert results["skipped"] == [{"strategy": "best-first", "reason": "best-first needs a topic"}]
    assert "best-first" not in {row["strategy"] for row in results["runs"]}
    assert "best-first needs a topic" in shown(results)
    assert "best-first needs a topic" in page(validate(results))


def test_user_content(chain: Path) -> None:
    results = run(chain, task="user-content", strategies=[], budget=5)
    curve = results["runs"][0]["curve"]
    assert curve["valid_ratio"] == pytest.approx([0, 0, 0, 1 / 4, 2 / 5], abs=1e-6)
    assert curve["target_recall"] == pytest.approx([0, 0, 0, 1 / 3, 2 / 3], abs=1e-6)
    assert curve["entropy"][-1] == 1  # two lists, two threads


def test_topics(garden: Path) -> None:
    results = run(garden, strategies=["link-context", "breadth-first"], budget="2x", runs=3, seed=7)
    auc = {row["strategy"]: row["mean"] for row in results["summary"] if row["metric"] == "auc"}
    assert auc["oracle"] > auc["link-context"] > auc["random"]
    assert {row["n"] for row in results["summary"]} == {6}
    assert any((row["better"], row["worse"]) == ("oracle", "random") and row["p"] < 0.05 for row in results["tests"])
    assert [(row["topic"], row["run"]) for row in results["trials"]] == [
        (t, r) for t in ("bee", "stone") for r in range(3)
    ]


def test_how_many_are_chosen_at_once_at_first_can_be_asked_for(garden: Path, tmp_path: Path) -> None:
    def found(name: str, *words: str) -> list[dict[str, Any]]:
        asked = ["bench", str(garden), "--strategies", "link-context", "--budget", "20", "--model", "auto", *words]
        done = CliRunner().invoke(app, [*asked, "--out", str(tmp_path / name)], catch_exceptions=False)
        assert done.exit_code == 0
        runs = json.loads((tmp_path / name / "results.json").read_text())["runs"]
        return [row["curve"] for row in runs if row["strategy"] == "link-context"]

    whole, small = found("whole", "--first-batches", "whole"), found("small", "--first-batches", "small")
    assert whole != small
    assert found("method") == whole  # as its paper has it


@pytest.mark.slow
def test_same_seed_same_results_on_one_core_and_on_two(garden: Path, tmp_path: Path) -> None:
    asked: dict[str, Any] = {"strategies": ["best-first"], "budget": 20, "seed": 3}
    steps: list[tuple[int, int]] = []
    one = run(garden, **asked, out=tmp_path / "one")
    two = run(
        garden, **asked, out=tmp_path / "two", workers=2, progress=lambda done, total, _: steps.append((done, total))
    )
    assert timeless(one) == timeless(two)
    assert steps == [(done, 6) for done in range(1, 7)]
    assert timeless(json.loads((tmp_path / "one/results.json").read_text())) == timeless(one)
    assert (tmp_path / "one/target_recall.svg").read_bytes() == (tmp_path / "two/target_recall.svg").read_bytes()
    assert timeless(run(garden, **{**asked, "seed": 4})) != timeless(one)


@pytest.mark.slow
def test_one_trial_is_dealt_out_to_two_workers(chain: Path) -> None:
    asked: dict[str, Any] = {"task": "type", "strategies": ["breadth-first"], "budget": 6}
    assert timeless(run(chain, **asked, workers=2)) == timeless(run(chain, **asked))


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"task": "typ"}, 'task "typ" is not known; did you mean "type"'),
        ({"strategies": ["bredth-first"]}, 'strategy "bredth-first" is not known; did you mean "breadth-first"'),
        ({"budget": "lots"}, 'budget "lots"'),
        ({"runs": 0}, "runs = 0"),
    ],
)
def test_a_wrong_question_leaves_nothing_behind(
    chain: Path, tmp_path: Path, asked: dict[str, Any], sentence: str
) -> None:
    out = tmp_path / "out"
    with pytest.raises(ConfigError, match=re.escape(sentence)):
        run(chain, out=out, **asked)
    assert not out.exists()


def test_out_that_is_a_file(chain: Path, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    with pytest.raises(ConfigError, match="this is a file"):
        run(chain, out=tmp_path / "out")
    assert (tmp_path / "out").read_text() == "mine"


def test_no_target_within_reach(tmp_path: Path) -> None:
    tasks = task("type", column="kind", target="thread", start=[url("s")])
    folder = write_corpus(tmp_path, {"s": "", "t": "s", "u": "s"}, labelled(thread="t u"), tasks).folder
    with pytest.raises(ConfigError, match="no chain of links leads from the start to a target"):
        run(folder)


def test_only_the_oracle_is_told_the_truth(garden: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: dict[str, set[str]] = {}

    def listening(spec: str, given: Mapping[str, Any]) -> Strategy:
        told[spec] = set(given)
        return make(spec, given)

    make = registry.make
    monkeypatch.setattr(registry, "make", listening)
    run(garden, strategies=["best-first"], budget=5)
    given = {"seed", "topic", "words"}
    assert told == {"best-first": given, "random": given, "oracle": given | {"truth"}}


# Comparing


def made(strategy: str, values: list[float]) -> list[Run]:
    return [
        Run(
            strategy=strategy, topic="t", run=i, fetched=4, targets=2, seconds=0.0, auc=value,
            curve={"pages": [1, 2, 4], "target_recall": [0.0, value / 2, value]},
        )
        for i, value in enumerate(values)
    ]  # fmt: skip


def rows(n: int) -> list[TrialRow]:
    return [TrialRow(topic="t", run=i, seeds=1, targets=2, unreachable=0, budget=4) for i in range(n)]


def test_mean_and_error() -> None:
    runs = made("oracle", [0.8, 1.0]) + made("mine", [0.2, 0.4])
    found = {(row.strategy, row.metric, row.at): row for row in significance.summarise(runs, rows(2))}
    mine = found["mine", "target_recall", 4]
    assert [mine.mean, mine.se, mine.n] == pytest.approx([0.3, 0.1, 2])
    assert mine.of_oracle == pytest.approx(1 / 3)
    assert found["mine", "target_recall", "1x"].mean == pytest.approx(0.15)


samples = st.lists(st.tuples(*[st.integers(0, 100).map(lambda x: x / 100)] * 2), min_size=2, max_size=20)


@given(samples)
def test_t_test_is_that_of_scipy(pairs: list[tuple[float, float]]) -> None:
    one, other = [a for a, _ in pairs], [b for _, b in pairs]
    found = significance.tests(made("one", one) + made("other", other), rows(len(pairs)))
    gains = [a - b for a, b in pairs]
    if statistics.stdev(gains) < 1e-9:
        assert found == []
        return
    row = next(row for row in found if row.metric == "auc")
    better, worse = (one, other) if row.better == "one" else (other, one)
    expected = ttest_rel(better, worse, alternative="greater")
    assert [row.t, row.p] == pytest.approx([expected.statistic, expected.pvalue], abs=1e-6)
    assert row.t > -1e-6


def test_budgets_that_differ_are_compared_by_share() -> None:
    trials = [
        TrialRow(topic=t, run=0, seeds=1, targets=n, unreachable=0, budget=b)
        for t, n, b in (("a", 4, 20), ("b", 8, 39))
    ]
    assert significance.marks(trials) == {
        "1x": [4, 8], "2x": [8, 16], "quarter": [5, 10], "half": [10, 20], "budget": [20, 39]
    }  # fmt: skip


@given(st.integers(1, 20_000), st.integers(1, 5_000))
def test_every_mark_is_a_point_of_the_curve(budget: int, targets: int) -> None:
    points = significance.points(budget, targets)
    assert points == sorted(set(points))
    assert (points[-1], len(points) <= 56) == (budget, True)
    row = TrialRow(topic="t", run=0, seeds=1, targets=targets, unreachable=0, budget=budget)
    assert {count for counts in significance.marks([row]).values() for count in counts} <= set(points)


def test_a_page_is_judged_once() -> None:
    class Counting(Topic):
        asked = 0

        def text(self, text: str) -> float:
            Counting.asked += 1
            return 0.5

    memo = Memo(Counting())
    one = Page(Offer(Link("http://a.example/")), "http://a.example/")
    assert [memo.page(one), memo.page(one), list(memo.links(one))] == [0.5, 0.5, []]
    assert Counting.asked == 1


# Results, plots, report


@pytest.mark.parametrize(
    "wrong",
    [
        {"more": 1},
        {"runs": [{"strategy": "x"}]},
        {"seed": "1"},
        {"summary": [{"strategy": "x", "metric": "auc", "at": 8, "mean": math.nan, "se": 0, "n": 1, "of_oracle": 1}]},
    ],
)
def test_results_of_another_form(chain: Path, wrong: dict[str, Any]) -> None:
    results = run(chain, task="type", strategies=[])
    validate(results)
    with pytest.raises(ValidationError):
        validate(results | wrong)


def test_results_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="cannot be read"):
        load(tmp_path / "results.json")
    (tmp_path / "results.json").write_text('{"corpus": "x"}')
    with pytest.raises(UnreadableError, match=r"results\.json, task"):
        load(tmp_path / "results.json")


def shown(results: dict[str, Any]) -> str:
    file = io.StringIO()
    Console(width=200, file=file).print(table(results))
    return file.getvalue()


def test_table_marks_what_is_significant(garden: Path) -> None:
    results = run(garden, strategies=["breadth-first"], budget=30, runs=4)
    assert re.search(r"^ *a +oracle +0\.\d{3}±\.\d{3} bc ", shown(results), re.MULTILINE)


def test_plots_are_whole_and_sound(garden: Path, tmp_path: Path) -> None:
    results = run(garden, strategies=["breadth-first"], budget="1x", out=tmp_path / "out")
    drawn = plots.plots(validate(results))
    assert set(drawn) == set(results["runs"][0]["curve"]) - {"pages"}
    for name, svg in drawn.items():
        root = ElementTree.fromstring(svg)
        lines = root.findall("{http://www.w3.org/2000/svg}polyline")
        assert len(lines) == 3
        for x, y in (pair.split(",") for line in lines for pair in line.attrib["points"].split()):
            assert 0 <= float(x) <= plots.WIDTH
            assert 0 <= float(y) <= plots.HEIGHT
        assert (tmp_path / f"out/{name}.svg").read_text() == svg


@given(st.floats(1e-6, 1e6))
def test_ticks_are_few_and_enough(top: float) -> None:
    ticks = plots.ticks(top)
    assert 3 <= len(ticks) <= 8
    assert ticks[0] == 0
    assert all(tick == round(tick) for tick in plots.ticks(max(1.0, top), whole=True))
    assert ticks[-1] >= top * (1 - 1e-6)


@given(st.lists(st.floats(0, 300), min_size=1, max_size=25))
def test_labels_do_not_lie_on_each_other(wanted: list[float]) -> None:
    places = plots.spread(sorted(wanted), 30, 300)
    gap = min(plots.GAP, 270 / max(1, len(wanted) - 1))
    assert all(30 - 1e-6 <= place <= 300 + 1e-6 for place in places)
    assert all(b - a >= gap - 1e-6 for a, b in pairwise(places))


def test_report_is_one_file_and_escapes_what_is_not_ours(tmp_path: Path) -> None:
    evil = "<script>alert(1)</script>"
    labels = {name: {"kind": evil} for name in ("wasp", "hive", "wax")}
    tasks = task("topic", column="kind", topics=[evil], seeds=1, train=1)
    folder = write_corpus(
        tmp_path / "c", {"wasp": "hive wax", "hive": "wasp wax", "wax": "wasp hive"}, labels, tasks
    ).folder
    run(folder, strategies=["breadth-first"], out=tmp_path / "out")
    text = write(tmp_path / "out").read_text()
    assert "<script" not in text
    assert "&lt;script&gt;" in text
    assert not re.search(r'(src|href)=|url\(|@import|https?://(?!www\.w3\.org/2000/svg")', text)
    assert text.count("<svg xmlns") == len(list((tmp_path / "out").glob("*.svg")))
    assert "prefers-color-scheme:dark" in text
    assert "opilio bench tiny --task topic --strategies breadth-first" in text


@pytest.mark.slow
def test_harvest_can_be_judged_by_classifiers_too(garden: Path) -> None:
    results = bench(garden, strategies=["breadth-first"], budget=20, judge=True, workers=1)
    curve = next(run["curve"] for run in results["runs"] if run["strategy"] == "breadth-first")
    assert len(curve["judged_harvest"]) == len(curve["harvest_rate"])
    assert 0 < max(curve["judged_harvest"]) <= 1
    assert "judged_harvest" not in bench(garden, strategies=[], budget=20, workers=1)["runs"][0]["curve"]


def test_only_topics_can_be_judged(chain: Path) -> None:
    with pytest.raises(ConfigError, match="only pages on a topic can be judged"):
        bench(chain, strategies=["breadth-first"], judge=True)


def test_bounds_hold_in_a_benchmark(garden: Path) -> None:
    few = bench(garden, strategies=["breadth-first"], budget=20, bounds=Bounds(max_per_site=3), workers=1)
    most = bench(garden, strategies=["breadth-first"], budget=20, workers=1)
    fetched = [
        next(run["fetched"] for run in found["runs"] if run["strategy"] == "breadth-first") for found in (few, most)
    ]
    assert fetched[0] < fetched[1]


def judged_by(folder: Path, **asked: Any) -> dict[str, str]:
    return {row["strategy"]: row["model"] for row in run(folder, budget=20, **asked)["runs"]}


def test_each_method_judges_by_its_model_or_all_by_the_same(garden: Path, tmp_path: Path) -> None:
    names = ["otie", "genre", "best-first", "opic"]
    rest = {"opic": "", "oracle": "", "random": ""}
    own = {"otie": "svm", "genre": "multinomial", "best-first": "auto"}
    assert judged_by(garden, strategies=names) == own | rest
    assert judged_by(garden, strategies=names, model="auto") == dict.fromkeys(own, "auto") | rest
    assert judged_by(garden, strategies=names, model="linear") == dict.fromkeys(own, "linear") | rest
    told = shown(bench(garden, strategies=names, budget=20, workers=1))
    assert "Relevance was judged by auto: best-first; by multinomial: genre; by svm: otie" in " ".join(told.split())
    folder = write_corpus(
        tmp_path / "few",
        {"s": "bee1 bee2 stone1", "bee1": "bee2", "bee2": "bee3", "bee3": "", "stone1": ""},
        labelled(bee="bee1 bee2 bee3", stone="stone1"),
        task("topic", column="kind", topics=["bee"], seeds=1, train=1),
    ).folder
    assert judged_by(folder, strategies=["otie"])["otie"] == "auto"  # one page of each kind is too little for an svm
