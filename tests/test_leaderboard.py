"""The leaderboard: what is measured is kept, and only what changed is measured again."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks.quality import __main__ as quality
from benchmarks.quality import cells, code_version, grounds, page
from benchmarks.quality.cells import Place
from benchmarks.quality.grounds import QUICK, Ground

from opilio.bench import workers
from opilio.bench.standings import standings
from opilio.bench.trial_runs import Course, Job

from .tiny_corpus import labelled, task, url
from .tiny_corpus import write as write_corpus


@pytest.fixture
def ground(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ground:
    monkeypatch.setenv("OPILIO_CACHE", str(tmp_path / "cache"))
    names = [f"t{n}" for n in range(4)] + [f"x{n}" for n in range(4)]
    links = {"s": " ".join(names)} | dict.fromkeys(names, "")
    tasks = task("type", column="kind", target="thread", start=[url("s")])
    corpus = write_corpus(tmp_path / "tiny", links, labelled(thread="t0 t1 t2 t3"), tasks)
    return Ground("tiny", corpus.folder, corpus.tasks[0], grounds._sample(corpus, corpus.tasks[0], 2, 100))


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The strategies that were run, in this process."""
    found: list[str] = []

    def here(jobs: list[Job], count: int, progress: workers.Progress) -> list[workers.Done]:
        done = [(job, list(Course(workers._corpus(job.folder), job.task).outcomes(job))) for job in jobs]
        found.extend(spec for job in jobs for spec in job.specs)
        progress(len(found), len(found), "done")
        return done

    monkeypatch.setattr(quality, "spread", here)
    return found


SPECS = ["oracle", "random", "breadth-first", "otie"]


@pytest.mark.slow
def test_what_was_measured_is_not_measured_again(ground: Ground, ran: list[str]) -> None:
    quality.measure(QUICK, [ground], SPECS, 1)
    assert ran == SPECS  # otie cannot take part, and that is kept too
    quality.measure(QUICK, [ground], [*SPECS, "opic"], 1)
    assert ran == [*SPECS, "opic"]


def test_only_the_strategy_whose_code_changed_is_measured_again(
    ground: Ground, ran: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    quality.measure(QUICK, [ground], SPECS, 1)
    ran.clear()
    before = code_version.version
    monkeypatch.setattr(cells, "version", lambda spec: "new" if spec == "breadth-first" else before(spec))
    found, old = quality.gathered(QUICK, [ground], SPECS, any_code=True)
    assert old == {"breadth-first"}
    assert {cell.run.strategy for cell in found} == {"oracle", "random", "breadth-first"}
    quality.measure(QUICK, [ground], SPECS, 1)
    assert ran == ["breadth-first"]
    assert quality.gathered(QUICK, [ground], SPECS, any_code=True)[1] == set()


def test_results_of_other_code_count_only_when_asked_for(ground: Ground, ran: list[str]) -> None:
    place = Place(QUICK, ground, ground.trials[0], "random")
    assert place.find(any_code=True) is None
    quality.measure(QUICK, [ground], ["random"], 1)
    (file,) = cells.folder().glob("*.json")
    file.rename(file.with_name(file.name.replace(code_version.version("random"), "older")))
    assert place.find() is None
    found = place.find(any_code=True)
    assert found
    assert found[0]
    assert not found[1]


def test_an_interrupted_measurement_shows_what_is_complete(ground: Ground, ran: list[str]) -> None:
    other = replace(ground, corpus="other")
    quality.measure(QUICK, [ground], SPECS, 1)
    found, _ = quality.gathered(QUICK, [ground, other], SPECS, any_code=False)
    assert quality.measured([ground, other], found) == [ground]


def test_a_version_goes_by_what_a_strategy_imports() -> None:
    """Its own files and those of the crawl, but not other strategies, the report or the command line."""
    names = {path.parent.name + "/" + path.name for path in code_version._closure("opilio.strategies.otie_plus")}
    assert {"strategies/otie_plus.py", "strategies/otie.py", "learning/flow.py"} <= names
    assert "strategies/shark.py" not in names
    common = {path.parent.name + "/" + path.name for path in code_version._closure(code_version.COMMON)}
    assert {
        "bench/trial_runs.py",
        "shard/__init__.py",
        "frontier/memory.py",
        "html/walk.py",
        "store/warc.py",
    } <= common
    assert {name for name in common if name.split("/")[0] in ("strategies", "report", "cli")} <= {
        "strategies/__init__.py"
    }
    assert code_version.version("otie") != code_version.version("otie-plus")


def test_a_strategy_from_a_file_has_the_version_of_that_file(tmp_path: Path) -> None:
    text = "from opilio.strategies.breadth_first import BreadthFirst\n\nclass Mine(BreadthFirst):\n    pass\n"
    versions = []
    for name, more in (("one", ""), ("other", "# changed\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "mine.py").write_text(text + more)
        versions.append(code_version.version(f"{tmp_path / name / 'mine.py'}:Mine"))
    assert versions[0] != versions[1]


def test_topics_are_drawn_by_the_seed(tmp_path: Path) -> None:
    links = {f"{topic}{n}": f"{topic}{(n + 1) % 6}" for topic in ("bee", "hay", "ivy", "oak") for n in range(6)}
    labels = {name: {"kind": name[:3]} for name in links}
    tasks = task("topic", column="kind", topics=["bee", "hay", "ivy", "oak"], seeds=1, train=1)
    corpus = write_corpus(tmp_path, links, labels, tasks)
    one, other = (grounds._sample(corpus, corpus.tasks[0], 2, 3) for _ in range(2))
    assert [trial.topic for trial in one] == [trial.topic for trial in other]
    assert len({trial.topic for trial in one}) == 2
    assert {trial.budget for trial in one} == {3}


def test_the_page_has_a_table_a_picture_and_the_numbers(ground: Ground, ran: list[str], tmp_path: Path) -> None:
    quality.measure(QUICK, [ground], SPECS, 1)
    found, _ = quality.gathered(QUICK, [ground], SPECS, any_code=False)
    rows = standings(found)
    shown = page.write(tmp_path / "out", QUICK, [ground], rows, {"random"})
    text = (tmp_path / "out/leaderboard.md").read_text()
    assert "| page types | random † |" in text
    assert "| page types | random † |" in shown
    assert "tiny, type: thread (3)" in text
    assert (tmp_path / "out/pictures/leaderboard.svg").read_text().startswith("<svg")
    numbers = json.loads((tmp_path / "out/leaderboard.json").read_text())["standings"]
    assert [row["strategy"] for row in numbers] == [row.strategy for row in rows]
