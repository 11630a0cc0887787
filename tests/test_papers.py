"""Every table and figure of the papers has a command, a description and a place in docs/papers.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from benchmarks.forums import forums
from benchmarks.papers import experiment, structure
from benchmarks.papers.__main__ import DOCUMENT, EXPERIMENTS, RUNS, chosen, listed
from benchmarks.papers.document import CLAIMS, DEFINITIONS, document
from benchmarks.papers.experiment import Experiment, Result, described
from benchmarks.papers.importance import polite

ROOT = Path(__file__).parents[1]
# All that have numbers in them; the others are diagrams (000 figures 1 to 9, 001 1 to 3, 002 1 and 2, 003 and 004 1), and
# lists of the sites and topics that were crawled (001 and 003 table 1).
PRINTED = {
    "000": {"table1", "table2", "table3", *(f"figure{number}" for number in range(10, 18))},
    "001": {"table2", "table3", "table4", "table5", *(f"figure{number}" for number in range(4, 9))},
    "002": {"table1", "figure3", "figure4", "figure5"},
    "003": {"figure2", "figure3", "table2"},
    "004": {*(f"table{number}" for number in range(1, 6)), *(f"figure{number}" for number in range(2, 6)), "accuracy"},
}


@pytest.mark.parametrize("paper", PRINTED)
def test_every_table_and_figure_has_a_command(paper: str) -> None:
    assert {name for one in chosen(paper, []) for name in one.names} == PRINTED[paper]
    assert all(len(chosen(paper, [name])) == 1 for name in PRINTED[paper])


def test_the_list_names_all() -> None:
    assert len(listed().splitlines()) == len(EXPERIMENTS)
    assert sum(len(one.names) for one in EXPERIMENTS) == sum(map(len, PRINTED.values()))
    with pytest.raises(SystemExit, match="there is no experiment 003 figure9"):
        chosen("003", ["figure9"])


def test_what_a_run_brought_is_kept_and_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(experiment, "RESULTS", tmp_path)
    one = next(one for one in described(RUNS) if one.name == "figure10")
    assert one.saved() is None
    result = Result(
        ["", "1,000 pages"], [["profile", "0.9"]], "Held: so.", {"profile end": 0.9, "breadth-first end": 0.5}
    )
    one.save(result)
    saved = one.saved()
    assert saved is not None
    assert saved.facts == result.facts
    text = document(described(RUNS))
    assert "| profile's harvest is above breadth-first (000 figure10) |" in text
    assert "profile 0.900, breadth-first 0.500, social-music | yes |" in text
    assert text.count("not run yet") == len(CLAIMS) - 1 + len(EXPERIMENTS) - 1, "in both tables"
    assert "| profile | 0.9 |" in text


def test_the_page_is_what_the_last_runs_brought() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == document(EXPERIMENTS), "run `python -m benchmarks.papers --write`"


def test_the_definitions_name_files_and_functions_that_there_are() -> None:
    """`name.py`, or `module.name` of a module, below the source or the repository."""
    files = [path for folder in ("src", "benchmarks", "tests") for path in (ROOT / folder).rglob("*.py")]
    told = set(re.findall(r"`([\w/]+\.[\w.]+)`", DEFINITIONS.read_text(encoding="utf-8")))
    for name in sorted(told):
        path, _, last = name.rpartition(".")
        if last == "py":
            assert any(str(file).endswith(f"/{name}") for file in files), name
        elif path.islower():
            near = [file for file in files if str(file).endswith(f"/{path.partition('.')[0]}.py")]
            assert any(re.search(rf"\b{last}\b", file.read_text(encoding="utf-8")) for file in near), name


def test_claims_are_judged_by_experiments_that_there_are() -> None:
    known = {(one.paper, one.name) for one in EXPERIMENTS}
    assert {(claim.paper, claim.name) for claim in CLAIMS} <= known
    assert all(isinstance(one, Experiment) and one.theirs and one.ours for one in EXPERIMENTS)


def test_a_list_waits_for_its_busiest_host_and_for_its_workers() -> None:
    spread = [f"http://h{n}.test/" for n in range(50)]
    assert polite(spread, 1.0) == 1.0, "30 workers need two turns of half a second"
    assert polite(["http://a.test/"] * 50, 1.0) == 49.5
    assert polite(spread + spread, 1.0) == 2.0


@pytest.mark.slow
def test_clusterings_are_compared_by_what_the_paper_measures(monkeypatch: pytest.MonkeyPatch) -> None:
    with forums() as made:
        monkeypatch.setattr(structure, "sites", lambda: dict(list(made.items())[:2]))
        found = structure.figure5()
    assert len(found.rows) == len(structure.METHODS)
    assert {len(row) for row in found.rows} == {len(found.head)}
    assert found.facts["SOUrCe purity"] > 0.5
