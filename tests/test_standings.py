"""Several corpora at once: what is written, and standings that are known by hand."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from typer.testing import CliRunner

from opilio.bench.results import Run, Timed, load
from opilio.bench.run import Question, specs_of
from opilio.bench.several_corpora import bench_all, load_overall
from opilio.bench.simulated_time import Clock
from opilio.bench.standings import Cell, mean_ranks, resampled, standings
from opilio.bench.standings_plot import picture
from opilio.bench.standings_table import markdown
from opilio.cli.bench import app
from opilio.errors import ConfigError
from opilio.report.standings import write

from .tiny_corpus import labelled, task, url
from .tiny_corpus import write as write_corpus


def run(strategy: str, area: float, over_time: float | None = None) -> Run:
    timed = None if over_time is None else Timed(seconds=1, fetched=1, auc=over_time, curve={})
    curve: dict[str, list[int | float]] = {"pages": [1]}
    return Run(
        strategy=strategy, topic="t", run=0, fetched=10, targets=1, seconds=0.02, auc=area, curve=curve, timed=timed
    )


def cells(corpus: str, *trials: dict[str, float], kind: str = "topic") -> list[Cell]:
    return [
        Cell(kind, corpus, str(number), run(name, area, area / 2))
        for number, areas in enumerate(trials)
        for name, area in areas.items()
    ]


LARGE = cells("large", *[{"oracle": 0.8, "good": 0.4, "bad": 0.2}] * 9)
SMALL = cells("small", {"oracle": 0.5, "good": 0.1, "bad": 0.3})


def test_every_corpus_counts_the_same() -> None:
    rows = {row.strategy: row for row in standings(LARGE + SMALL)}
    assert rows["good"].pages.share == pytest.approx((0.5 + 0.2) / 2)
    assert rows["good"].pages.by_corpus == pytest.approx({"large": 0.5, "small": 0.2})
    assert rows["good"].pages.rank == rows["bad"].pages.rank == 1.5
    assert rows["oracle"].pages.rank is None
    assert (rows["good"].corpora, rows["good"].trials) == (2, 10)
    assert rows["good"].ms == pytest.approx(2.0)
    assert rows["good"].time == rows["good"].pages  # shares of the oracle's, which has half the area too


def test_the_best_come_first_and_kinds_stay_apart() -> None:
    rows = standings([*LARGE, *cells("forum", {"oracle": 1.0, "random": 0.1}, kind="type")])
    assert [(row.kind, row.strategy) for row in rows] == [
        ("topic", "oracle"), ("topic", "good"), ("topic", "bad"), ("type", "oracle"), ("type", "random")
    ]  # fmt: skip


def test_who_missed_a_trial_is_left_out() -> None:
    partly = [*LARGE, Cell("topic", "large", "0", run("late", 0.7))]
    assert "late" not in {row.strategy for row in standings(partly)}


def test_a_trial_in_which_even_the_oracle_finds_nothing_tells_nothing() -> None:
    rows = standings([*LARGE, *cells("barren", {"oracle": 0.0, "good": 0.0, "bad": 0.0})])
    assert {row.corpora for row in rows} == {1}
    assert standings(cells("barren", {"oracle": 0.0, "good": 0.0})) == []


def test_the_interval_spans_corpora_and_trials() -> None:
    (good,) = [row.pages for row in standings(LARGE + SMALL) if row.strategy == "good"]
    assert (good.low, good.high) == pytest.approx((0.2, 0.5))  # either corpus may be drawn twice
    (alone,) = [row.pages for row in standings(LARGE) if row.strategy == "good"]
    assert alone.low == alone.high == pytest.approx(0.5)
    varied = cells("c", *({"oracle": 1.0, "good": area / 10} for area in range(10)))
    (spread,) = [row.pages for row in standings(varied) if row.strategy == "good"]
    assert 0.2 < spread.low < 0.35 < spread.share < 0.55 < spread.high < 0.7


def test_the_bootstrap_is_that_of_a_mean() -> None:
    """With one corpus and a ceiling of 1 the spread is the standard error of the mean."""
    areas = np.random.default_rng(1).random(50)
    table = np.column_stack([areas, np.ones(50)])
    draws = resampled([table], 1, seed=3)[:, 0]
    assert draws.std() == pytest.approx(areas.std() / np.sqrt(50), rel=0.1)
    assert draws.mean() == pytest.approx(areas.mean(), abs=0.01)


def test_equals_share_a_rank() -> None:
    assert mean_ranks([np.array([[0.5, 1.0, 0.5, 0.2]])], 1) == [1.5, 4, 1.5, 3]


def test_table_and_picture_tell_all() -> None:
    rows = standings(LARGE + SMALL)
    text = markdown(rows, {"good": " †"})
    assert "| topics | good † | 0.35 (0.20 to 0.50) | 1.5 | 0.35 (0.20 to 0.50) | 1.5 | 2.00 |" in text
    drawn = ElementTree.fromstring(picture(rows))
    names = [element.text for element in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert {"good", "bad", "topics", "by pages", "by simulated time"} <= set(names)
    assert "oracle" not in names
    untimed = [row.model_copy(update={"time": None}) for row in rows]
    assert "by time" not in markdown(untimed)


@pytest.fixture
def corpora(tmp_path: Path) -> list[Path]:
    """Two of the same name in folders of the same name; the thread of the second is further away."""
    tasks = task("user-content", column="kind", user_content=["thread"], start=[url("s")])
    near = write_corpus(tmp_path / "a" / "web", {"s": "t x", "t": "", "x": ""}, labelled(thread="t"), tasks)
    far = write_corpus(tmp_path / "b" / "web", {"s": "x y", "x": "", "y": "t", "t": ""}, labelled(thread="t"), tasks)
    return [near.folder, far.folder]


def test_several_corpora(corpora: list[Path], tmp_path: Path) -> None:
    steps: list[tuple[int, int]] = []
    asked = Question(None, specs_of(["breadth-first"]), 4, 1, 0, clock=Clock())
    out = tmp_path / "out"
    overall, results = bench_all(corpora, asked, out, lambda done, total, _: steps.append((done, total)), workers=1)
    assert steps == [(done, 6) for done in range(1, 7)]
    assert [ground.folder for ground in overall.corpora] == list(results) == ["web", "web-2"]
    assert load(out / "web-2" / "results.json").model_dump() == results["web-2"]
    assert load_overall(out / "overall.json").corpora == overall.corpora
    assert {row.strategy: row.corpora for row in overall.standings} == {"oracle": 2, "random": 2, "breadth-first": 2}
    text = write(out, overall, "opilio bench ...").read_text()
    assert 'href="web-2/report.html"' in text
    assert (out / "web-2" / "report.html").is_file()
    bench_all(corpora, asked, out, workers=1)  # over what is there


def test_a_wrong_corpus_is_named_before_anything_runs(corpora: list[Path], tmp_path: Path) -> None:
    asked = Question("user-content", specs_of([]), None, 1, 0)
    (corpora[1] / "corpus.toml").write_text('name = "x"\n')
    with pytest.raises(ConfigError, match="no task"):
        bench_all(corpora, asked, tmp_path / "out", workers=1)
    assert not (tmp_path / "out").exists()


def test_results_of_one_corpus_are_not_overwritten_by_those_of_several(corpora: list[Path], tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "results.json").write_text("{}")
    with pytest.raises(ConfigError, match="single corpus"):
        bench_all(corpora, Question(None, specs_of([]), None, 1, 0), out, workers=1)


@pytest.mark.slow
def test_command(corpora: list[Path], tmp_path: Path) -> None:
    words = ["bench", *map(str, corpora), "--strategies", "breadth-first", "--clock", "delay=2", "--budget", "4"]
    done = CliRunner().invoke(app, [*words, "--out", str(tmp_path / "out")], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert "over all corpora" in done.output
    clock = json.loads((tmp_path / "out/web/results.json").read_text())["clock"]
    assert clock == {"delay": 2.0, "fetch": 0.5, "connections": 10}
