"""The soak: its rule finds leaks, made up and real, and forgives a spike, a kill and a restless machine."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from benchmarks.soak.__main__ import report, soak
from benchmarks.soak.crawl import Look, Soaked, Taken
from benchmarks.soak.flat import KINDS, Point, Series, Verdict, judged, series, table, warm
from benchmarks.soak.picture import drawing

pytestmark = pytest.mark.slow

HOUR = 3600.0
KILL = 0.5  # of it is over when all are killed
LEAKY = f"{Path(__file__).parent / 'leaky_strategy.py'}:Leaky"


def watched(value: Callable[[float, float], float], kind: str = "memory, MB", noise: float = 1.0) -> Verdict:
    """What is looked at every three seconds: a function of how much of the soak, and of this process's life, is over."""
    dice, points = random.Random(1), []
    for number in range(1200):
        part = number / 1200
        life = int(part >= KILL)
        points.append(Point(part * HOUR, value(part, part - life * KILL) + dice.gauss(0, noise), life))
    return judged(Series(kind, "worker 0", points), HOUR)


def test_a_leak_is_found_though_a_kill_ends_it_in_the_middle() -> None:
    verdict = watched(lambda part, life: 200 + 60 * life)  # 60 MB an hour, and 200 again after the kill
    assert verdict.drift == pytest.approx(0.9 * 60, abs=2)
    assert verdict.not_flat
    assert not verdict.flat
    assert list(table([verdict]))[-1].endswith("| NO |")


@pytest.mark.parametrize(
    ("kind", "usual", "change"),
    [("open files", 82, 12), ("threads", 3, 1), ("pages/s", 100, -13), ("CPU ms a page", 2.8, 0.8)],
)
def test_a_slow_change_is_found_in_every_kind(kind: str, usual: float, change: float) -> None:
    """In the hour: twelve files, one thread, a rate that falls by an eighth, pages that cost 0.8 ms more."""
    assert watched(lambda part, life: usual + change * part, kind, noise=usual / 100).not_flat
    assert watched(lambda part, life: usual, kind, noise=usual / 100).flat


@pytest.mark.parametrize(
    ("kind", "usual", "better"), [("memory, MB", 200, -60), ("pages/s", 100, 30), ("CPU ms a page", 5, -2)]
)
def test_what_becomes_better_is_no_fault(kind: str, usual: float, better: float) -> None:
    assert watched(lambda part, life: usual + better * part, kind, noise=usual / 100).flat
    assert watched(lambda part, life: usual - better * part, kind, noise=usual / 100).not_flat


def test_one_connection_more_or_less_is_flat() -> None:
    assert watched(lambda part, life: 82 + (part > 0.3) - 2 * (part > 0.9), "open files", noise=0).flat


def test_noise_is_neither_a_drift_nor_flat() -> None:
    verdict = watched(lambda part, life: 200, noise=400)
    assert not verdict.flat
    assert not verdict.not_flat
    assert list(table([verdict]))[-1].endswith("| ? |")


def test_a_first_tenth_that_grows_spikes_and_slow_starts_are_forgiven() -> None:
    def taken(part: float, life: float) -> float:
        spike = 300 if int(part * 1200) % 17 == 0 else 0
        return 200 + spike + (1000 * min(0.0, part - 0.1)) + (2000 * min(0.0, life - 0.1))

    verdict = watched(taken)
    assert verdict.flat, verdict
    assert verdict.median == pytest.approx(200, abs=1)


def test_what_differs_from_one_life_to_the_next_is_no_drift() -> None:
    assert watched(lambda part, life: 200 if part < KILL else 150).flat


def test_what_is_too_short_to_tell_is_not_called_flat() -> None:
    for points in ([], [Point(HOUR - 1, 2, 1), Point(HOUR, 2, 1)]):
        verdict = judged(Series("threads", "parent", points), HOUR)
        assert verdict.drift is None
        assert not verdict.flat
        assert not verdict.not_flat


def test_a_window_that_a_kill_cut_short_has_no_level() -> None:
    """Large answers come and go: of a single look nobody knows whether it was beside one."""
    points = [Point(t, 200 + 100 * (t % 60 > 5), 1) for t in range(0, 1800, 5)]
    points += [Point(t, 200 + 100 * (t % 60 > 5), 2) for t in range(1900, 3600, 5)]
    cut = Series("memory, MB", "worker 0", [*points, Point(1805, 300, 1)])
    assert judged(cut, HOUR).drift == pytest.approx(0)
    assert judged(cut, HOUR).flat


def soaked(lost: int = 0, known: int = 12, busy: float = 1.0) -> Soaked:
    """A minute in which nothing changes: 10 pages a second, 20 ms of CPU time each, of three processes. In the second half
    others make the machine slower by a factor."""
    looks, spent = [], 0.0
    for number in range(301):
        slower = busy if number > 150 else 1.0
        spent += slower / 75
        by = {role: Taken(7, 50.0, 9, 2, spent) for role in ("parent", "worker 0", "worker 1")}
        looks.append(Look(number / 5, number * 2, by, 0.002 * slower))
    return Soaked(60.0, looks, [(30.0, "worker")], known, 10**6, lost, 0, 130)


@pytest.mark.parametrize("busy", [1.0, 1.6])
def test_pages_and_their_cost_are_counted_whatever_others_do(busy: float, capsys: pytest.CaptureFixture[str]) -> None:
    found = {(one.kind, one.name): judged(one, 60.0) for one in series(soaked(busy=busy))}
    assert {kind for kind, _ in found} == set(KINDS)
    assert found["pages/s", "all"].median == pytest.approx(10)
    assert found["CPU ms a page", "all"].median == pytest.approx(20, rel=0.01)
    assert report(soaked(busy=busy))
    assert "all is flat, nothing lost" in capsys.readouterr().out
    assert not report(soaked(lost=1))


def test_a_process_that_has_not_met_every_url_is_not_judged(capsys: pytest.CaptureFixture[str]) -> None:
    growing = Series("memory, MB", "worker 0", [Point(t, 50 + min(t, 1800), 0) for t in range(0, 3600, 10)])
    assert judged(growing, HOUR).not_flat
    assert judged(growing, HOUR, {0: 1800.0}).flat
    assert judged(growing, HOUR, {}).drift is None
    assert warm(soaked()) == {7: pytest.approx(10, abs=0.5)}
    assert not report(soaked(known=1000))
    assert "TOO SHORT OR TOO RESTLESS TO TELL, nothing lost" in capsys.readouterr().out


def test_the_drawing_has_a_panel_for_each_kind_and_a_mark_for_each_kill() -> None:
    svg = drawing(series(soaked()), 60.0, [30.0])
    panels = list(ElementTree.fromstring(svg))
    assert len(panels) == len(KINDS)
    assert svg.count('class="mark"') == len(KINDS)


def test_real_leaks_of_a_real_crawl_are_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Memory, files and threads: each is named, by the rule as it is. What pages cost is too restless within a minute."""
    found = soak(tmp_path, minutes=0.75, pages=500, pace=60, kills={}, strategy=LEAKY)
    found = found._replace(known=20)  # there is no time for eight rounds through all URLs
    assert not report(found)
    assert "NOT FLAT" in capsys.readouterr().out
    met = warm(found)
    leaking = {one.kind for one in series(found) if judged(one, found.seconds, met).not_flat}
    assert leaking >= {"memory, MB", "open files", "threads"}


@pytest.mark.slow
def test_a_very_short_soak_kills_resumes_and_watches(tmp_path: Path) -> None:
    """A worker and then all are killed; every fault is on its way, and what is told by each look is there."""
    found = soak(tmp_path, minutes=0.15, pages=500, pace=200, kills={0.2: "worker", 0.4: "all"})
    assert [whom for _, whom in found.kills] == ["worker", "all"]
    assert (found.lost, found.tracebacks, found.ended) == (0, 0, 130)
    assert len({look.by["worker 1"].pid for look in found.looks if "worker 1" in look.by}) >= 3
    assert found.looks[-1].pages > found.looks[0].pages
    assert all(taken.memory > 5 and taken.files > 3 and taken.threads >= 1 for taken in found.looks[-1].by.values())
    assert found.known > 100
    assert {one.kind for one in series(found) if one.points} >= {"memory, MB", "open files", "threads"}
    assert (tmp_path / "soak.svg").stat().st_size > 5000
