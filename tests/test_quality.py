"""The quality gate: no strategy falls below its floor, no floor is ever lowered, and floors follow what is measured."""

from __future__ import annotations

import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from benchmarks import floors

from opilio import registry
from tests.strategies import golden

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
SYNTHETIC = [name for name, ground in floors.GROUNDS.items() if ground.web]
RECORDED = [name for name, ground in floors.GROUNDS.items() if not ground.web]


@pytest.fixture(scope="module")
def measured() -> floors.Floors:
    """Everything that is available, once."""
    return floors.measure([name for name in floors.GROUNDS if floors.at_hand(name)])


def test_every_strategy_has_a_floor(measured: floors.Floors) -> None:
    for name, areas in measured.items():
        assert areas.keys() - {floors.CHANCE} == floors.read()[name].keys(), f"run `python -m benchmarks.floors {name}`"
    floored = {name for areas in floors.read().values() for name in areas}
    assert set(registry.strategies()) - {floors.CHANCE} == floored


@pytest.mark.parametrize("ground", [*SYNTHETIC, *RECORDED])
def test_no_strategy_is_below_its_floor(ground: str, measured: floors.Floors) -> None:
    if ground not in measured:
        pytest.skip(f"there are no recorded pages at {floors.RECORDED / ground}")
    areas, low = measured[ground], []
    for name, floor in floors.read()[ground].items():
        if areas[name] < floor:
            low.append(f"{name}: area {areas[name]:.3f}, floor {floor:.3f}")
    assert not low, low


def test_floors_follow_what_is_measured(measured: floors.Floors) -> None:
    """A floor far below what is measured lets a strategy get worse unseen."""
    slack = [
        f"{name} on {ground}: area {area:.3f}, floor {floors.read()[ground].get(name, 0.0):.3f}"
        for ground, areas in measured.items()
        for name, area in areas.items()
        if name != floors.CHANCE and area > floors.read()[ground].get(name, 0.0) + floors.MARGIN + floors.SLACK
    ]
    assert not slack, f"quality rose; run `python -m benchmarks.floors`: {slack}"


def test_the_right_methods_win(measured: floors.Floors) -> None:
    """Where chance is as good as a method that is made for a task, the task tells nothing."""
    topics, tags, threads = (measured[name] for name in ("topics", "tags", "threads"))
    assert topics["oracle"] > topics["best-first"] > topics["breadth-first"] > topics["random"]
    best = max((area, name) for name, area in tags.items() if name not in ("oracle", "blend"))
    # The best single method: blend mixes all signals.
    assert best[1] in ("profile", "profile-opic", "profile-plus")
    assert sum(area > 2 * tags["random"] for area in tags.values()) >= 12
    assert threads["structure"] > threads["irobot"] > threads["breadth-first"] > threads["random"]


def test_no_floor_was_lowered() -> None:
    """Every floor is at least what it was in any earlier commit with the same yardstick and the same method."""
    commits = (git("log", "--format=%H", "--", "benchmarks/floors.toml") or "").split()
    for commit in commits:
        for ground, before in floors.parse(git("show", f"{commit}:benchmarks/floors.toml") or "").items():
            for name in before.keys() & set(registry.strategies()) - {floors.CHANCE}:
                assert floors.read()[ground][name] >= before[name], (
                    f"{name} on {ground}: {before[name]} in {commit[:8]}"
                )
    if git("rev-parse", "--is-shallow-repository") != "false\n":
        pytest.skip(f"no whole git history here: floors were compared with those of {len(commits)} commits alone")


def test_a_changed_trace_names_its_reason() -> None:
    """From one commit to the next, a trace with another digest has another reason."""
    path = golden.PATH.relative_to(ROOT)
    commits = (git("log", "--format=%H", "--", str(path)) or "").split()
    texts = [golden.PATH.read_text(), *(git("show", f"{commit}:{path}") or "" for commit in commits)]
    for text, earlier in pairwise(texts):
        now, before = golden.pinned(text), golden.pinned(earlier)
        for name in now.keys() & before.keys():
            if now[name]["digest"] != before[name]["digest"] and "reason" in before[name]:
                assert now[name]["reason"] != before[name]["reason"], (
                    f"{name} changed, and the reason is that of before"
                )
    if git("rev-parse", "--is-shallow-repository") != "false\n":
        pytest.skip(f"no whole git history here: {len(commits)} commits were compared")


def git(*words: str) -> str | None:
    done = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None
