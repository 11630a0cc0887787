"""The quality gate: on synthetic webs no strategy falls below its floor, and no floor is ever lowered."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from benchmarks import floors

from opilio import registry

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, float]]:
    return floors.measure(tmp_path_factory.mktemp("quality"))


def test_every_strategy_has_a_floor(measured: dict[str, dict[str, float]]) -> None:
    floored = {name for areas in floors.read().values() for name in areas}
    ran = {name for areas in measured.values() for name in areas}
    assert set(registry.strategies()) - {floors.CHANCE} == floored == ran - {floors.CHANCE}, (
        "run `python -m benchmarks.floors`"
    )


@pytest.mark.slow
def test_no_strategy_is_below_its_floor(measured: dict[str, dict[str, float]]) -> None:
    low = [
        f"{name} on {web}: area {measured[web].get(name, 0.0):.3f}, floor {floor:.3f}"
        for web, areas in floors.read().items()
        for name, floor in areas.items()
        if measured[web].get(name, 0.0) < floor
    ]
    assert not low, low


def test_focused_beats_unfocused(measured: dict[str, dict[str, float]]) -> None:
    areas = measured["topics"]
    assert areas["oracle"] > areas["best-first"] > areas["random"]
    assert areas["best-first"] > areas["breadth-first"]


def test_no_floor_was_lowered() -> None:
    """Every floor is at least what it was in any earlier commit with the same yardstick and the same method."""
    log = git("log", "--format=%H", "--", "benchmarks/floors.toml")
    if log is None or git("rev-parse", "--is-shallow-repository") != "false\n":
        pytest.skip("no whole git history here to compare the floors with")
    now = floors.read()
    for commit in log.split():
        before = floors.parse(git("show", f"{commit}:benchmarks/floors.toml") or "")
        for web, areas in before.items():
            for name, floor in areas.items():
                if name in registry.strategies() and name != floors.CHANCE:
                    assert now[web][name] >= floor, f"{name} on {web}: the floor was {floor} in {commit[:8]}"


def git(*words: str) -> str | None:
    done = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None
