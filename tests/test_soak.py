"""The soak: its rule finds a leak and forgives a spike and a kill; a very short one does everything that a long one does."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest
from benchmarks.soak.__main__ import report, soak
from benchmarks.soak.crawl import Look, Soaked, Taken
from benchmarks.soak.flat import LIMITS, Point, Series, judged, series, table, warm
from benchmarks.soak.picture import drawing

pytestmark = pytest.mark.slow

HOUR = 3600.0
KILL = 0.5  # of it is over when all are killed


def watched(value: Callable[[float, float], float]) -> Series:
    """Memory, looked at every ten seconds: a function of how much of the soak, and of this process's life, is over."""
    dice, points = random.Random(1), []
    for number in range(360):
        part = number / 360
        life = int(part >= KILL)
        points.append(Point(part * HOUR, value(part, part - life * KILL) + dice.gauss(0, 1), life))
    return Series("memory, MB", "worker 0", points)


def drift(value: Callable[[float, float], float]) -> float:
    found = judged(watched(value), HOUR).drift
    assert found is not None
    return found


def test_a_leak_is_found_though_a_kill_ends_it_in_the_middle() -> None:
    verdict = judged(watched(lambda part, life: 200 + 60 * life), HOUR)  # 60 MB an hour, and 200 again after the kill
    assert verdict.drift == pytest.approx(0.9 * 60 / 215, abs=0.03)
    assert not verdict.flat
    assert "NO" in list(table([verdict]))[-1]


def test_a_loss_is_as_bad_as_a_gain() -> None:
    rates = Series("pages/s", "all", [Point(t, 100 - t / 100, 0) for t in range(3600)])
    assert not judged(rates, HOUR).flat


def test_a_first_tenth_that_grows_spikes_and_slow_starts_are_forgiven() -> None:
    def taken(part: float, life: float) -> float:
        spike = 300 if int(part * 360) % 17 == 0 else 0
        return 200 + spike + (1000 * min(0.0, part - 0.1)) + (2000 * min(0.0, life - 0.05))

    verdict = judged(watched(taken), HOUR)
    assert verdict.flat, verdict.drift
    assert verdict.median == pytest.approx(200, abs=1)


def test_what_differs_from_one_life_to_the_next_is_no_drift() -> None:
    assert abs(drift(lambda part, life: 200 if part < KILL else 150)) < 0.02


def test_what_is_too_short_to_tell_is_not_called_flat() -> None:
    verdict = judged(Series("threads", "parent", [Point(HOUR - 1, 2, 1), Point(HOUR, 2, 1)]), HOUR)
    assert verdict.drift is None
    assert not verdict.flat
    assert not judged(Series("threads", "parent", []), HOUR).flat


def soaked(lost: int = 0, known: int = 12) -> Soaked:
    """A minute in which nothing changes: 10 pages a second, 20 ms of CPU time each, of three processes."""
    looks = [
        Look(
            number / 5,
            number * 2,
            {role: Taken(7, 50.0, 9, 2, number / 75) for role in ("parent", "worker 0", "worker 1")},
        )
        for number in range(301)
    ]
    return Soaked(60.0, looks, [(30.0, "worker")], known, 10**6, lost, 0, 130)


def test_pages_and_their_cost_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    found = {(one.kind, one.name): judged(one, 60.0) for one in series(soaked())}
    assert {kind for kind, _ in found} == set(LIMITS)
    assert found["pages/s", "all"].median == pytest.approx(10)
    assert found["CPU ms a page", "all"].median == pytest.approx(20)
    assert report(soaked())
    assert "all is flat, nothing lost" in capsys.readouterr().out
    assert not report(soaked(lost=1))


def test_a_process_that_has_not_met_every_url_is_not_judged(capsys: pytest.CaptureFixture[str]) -> None:
    growing = Series("memory, MB", "worker 0", [Point(t, 50 + min(t, 1800), 0) for t in range(0, 3600, 10)])
    assert not judged(growing, HOUR).flat
    assert judged(growing, HOUR, {0: 1800.0}).flat
    assert judged(growing, HOUR, {}).drift is None
    assert warm(soaked()) == {7: pytest.approx(10, abs=0.5)}
    assert not report(soaked(known=1000))
    assert "TOO SHORT TO TELL, nothing lost" in capsys.readouterr().out


def test_the_drawing_has_a_panel_for_each_kind_and_a_mark_for_each_kill() -> None:
    svg = drawing(series(soaked()), 60.0, [30.0])
    panels = list(ElementTree.fromstring(svg))
    assert len(panels) == len(LIMITS)
    assert svg.count("stroke-dasharray=") == len(LIMITS)


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
    assert {one.kind for one in series(found) if one.points} == set(LIMITS)
    assert (tmp_path / "soak.svg").stat().st_size > 5000
