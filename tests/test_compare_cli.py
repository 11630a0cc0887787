"""`opilio compare`: two runs compared, for people and for programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from opilio.cli.compare import app
from opilio.errors import ConfigError, UnreadableError

from .crawled import crawled


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    home = tmp_path_factory.mktemp("compare")
    return crawled(home / "a", max_pages=60), crawled(home / "b", max_pages=30, strategy="breadth-first")


def said(*words: str | Path) -> str:
    done = CliRunner().invoke(app, list(map(str, words)))
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.stdout


def test_figures_overlap_and_what_one_found_alone(runs: tuple[Path, Path]) -> None:
    told = json.loads(said(*runs, "--json"))
    names = list(map(str, runs))
    assert list(told["runs"]) == names
    [pair] = told["overlap"]
    alone = [told["only"][name]["count"] for name in names]
    assert pair["either"] == pair["both"] + sum(alone)
    for name, count in zip(names, alone, strict=True):
        assert told["runs"][name]["relevant"] >= pair["both"]
        assert len(told["only"][name]["best"]) == min(count, 20)
    text = said(*runs)
    assert f"{pair['both']:,} relevant page" in text
    assert "relevant pages per fetch" in text
    assert f"only in {names[0]}: {alone[0]:,} relevant pages" in text


def test_a_mistake_is_a_sentence(runs: tuple[Path, Path], tmp_path: Path) -> None:
    for words in ([runs[0]], [runs[0], runs[0]]):
        with pytest.raises(ConfigError, match="name two or more run folders"):
            said(*words)
    with pytest.raises(UnreadableError, match="there is no such folder"):
        said(runs[0], tmp_path / "none")
