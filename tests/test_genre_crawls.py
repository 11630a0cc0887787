"""The experiments with genre: a weight is judged by topics that had no say in choosing it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from benchmarks.genre_crawls import PLAIN, best_without, by_topic, pool, together

from opilio.bench.results import Run


def run(topic: str, area: float) -> Run:
    return Run(
        strategy="x",
        topic=topic,
        run=0,
        fetched=1,
        targets=1,
        seconds=0.0,
        auc=area,
        curve={"pages": [1], "coverage": [1.0]},
    )


def test_a_topic_has_no_say_in_the_weight_it_judges() -> None:
    areas = {"0.5": {"a": 0.9, "b": 0.2, "c": 0.2}, "1.0": {"a": 0.3, "b": 0.3, "c": 0.3}}
    assert [best_without(areas, topic) for topic in "abc"] == ["1.0", "0.5", "0.5"]
    even = {"0.5": {"a": 0.9, "b": 0.2}, "1.0": {"a": 0.3, "b": 0.2}}
    assert best_without(even, "a") == "1.0", "of equals the one that is nearest to best-first"


def test_runs_of_a_topic_count_together() -> None:
    assert by_topic([run("a", 0.2), run("b", 0.5), run("a", 0.4)]) == pytest.approx({"a": 0.3, "b": 0.5})


def test_webs_are_pooled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    webs = [{PLAIN: [0.5, 0.5], "other": [0.6, 0.7]}, {PLAIN: [0.1, 0.1], "other": [0.1, 0.08]}]
    for number, web in enumerate(webs):
        (tmp_path / f"{number}.json").write_text(json.dumps(web))
    pool([tmp_path / "0.json", tmp_path / "1.json"])
    same, other = capsys.readouterr().out.splitlines()
    assert "no run differs" in same
    assert "+10.00 % of the webs" in other
    assert together([([0.6, 0.7], [0.5, 0.5])]).startswith("+30.00 %")
