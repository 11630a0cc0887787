"""Floors of quality, `python -m benchmarks.floors [GROUND...]`: measures every strategy and sets the floors.

A floor is the measured area under the target recall curve less a margin. Floors are only ever raised, unless the question
changes (`YARDSTICK`): then those of that ground are set anew, once, and the file says why. What chance brings has none, and
neither has a ground on which everything is chance.
"""

from __future__ import annotations

import json
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

from opilio.bench.run import bench
from opilio.corpus_folder import corpus_toml
from opilio.synth import tasks
from opilio.synth.corpus import write as write_synth
from opilio.synth.layout import Settings
from opilio.synth.web import Web

PATH = Path(__file__).with_name("floors.toml")
RECORDED = Path(__file__).parents[2] / "shared" / "corpora"
MARGIN = 0.02
SLACK = 0.05  # whoever raises an area by this much raises the floor with it
CHANCE = "random"
RENEWED = {  # methods whose floors began anew, and why; earlier ones were those of another method
    "structure": "the method as printed; what it was before is structure-plus",
    "genre": "the method as printed, with a forest trained anew; on manuals, where every page is other, only its "
    "confidence tells links apart",
    "profile": "the method as printed; what it was before is profile-plus",
    "fish": "one URL at a time, the head of the list, as its text says: it follows the page found relevant last further down "
    "than in batches",
}
WEB = (1200, 11, Settings())
# Two media-sharing sites of 1,650 pages, with some 85 pages a tag: a smaller one ends before a method has seen what is where.
MEDIA = (6000, 11, Settings(media=0.55, forums=0.0, mirrors=0.0, trap=0.0))

Floors = dict[str, dict[str, float]]  # ground -> strategy -> area


class Ground(NamedTuple):
    """A task that strategies are measured on; the yardstick counts up when what is asked changes."""

    yardstick: int
    budget: int | str | None
    reason: str
    web: tuple[int, int, Settings] | None = None  # a synthetic one; without it, recorded pages of the ground's name
    task: str = ""
    topics: int = 0  # that many of the task's; 0 for all


LEARNING = "the topic is told apart from the pages around it, and learns while a strategy crawls, as in a real crawl"
MANY = "all eight topics in place of two: with two, a better judgement of words could fail by the luck of one crawl"
SIX = (
    "six tags in place of two: with two, a strategy that is not made for tags passes or fails by the luck of one crawl"
)
SHOWN = "the page that shows the type is known and costs nothing, as examples of topics are; a crawl with --like has it, too"
GROUNDS = {
    "topics": Ground(3, "3x", LEARNING, WEB, "topics"),
    "threads": Ground(3, None, SHOWN, WEB, "threads"),
    "tags": Ground(6, "3x", SIX, MEDIA, "tags", 6),
    "docs": Ground(5, 100, MANY, None, "topics"),
    "postgresql-doc": Ground(4, 150, SHOWN, None, "sql-commands"),
}


def at_hand(name: str) -> bool:
    return GROUNDS[name].web is not None or (RECORDED / name).is_dir()


def measure(names: list[str]) -> Floors:
    """The mean area of each strategy on some grounds."""
    with tempfile.TemporaryDirectory(prefix="opilio-floors-") as scratch:
        return {name: areas(_asked(name, GROUNDS[name], Path(scratch, name))) for name in names}


def _asked(name: str, ground: Ground, folder: Path) -> dict[str, Any]:
    prepared(name, folder)
    # one model of relevance for all alike, whatever their papers say: orders are compared, by what users without labels have
    return bench(folder, ground.task, budget=ground.budget, seed=1, batch=10, model="auto", first_batches="small")


def prepared(name: str, folder: Path) -> Path:
    """The corpus of a ground, with its one task."""
    ground = GROUNDS[name]
    if ground.web:
        web = Web(*ground.web)
        write_synth(web, folder)
        described: dict[str, Any] = {"task": tasks.tasks(web)}
    else:
        linked(RECORDED / name, folder)
        described = tomllib.loads((RECORDED / name / "corpus.toml").read_text(encoding="utf-8"))
    task = next(task for task in described["task"] if task["name"] == ground.task)
    if ground.topics:
        task = {key: value for key, value in task.items() if key not in ("min_pages", "max_pages")}
        task["topics"] = task["topics"][: ground.topics]
    head = {"name": name, "home": described.get("home", "")}
    (folder / "corpus.toml").write_text(corpus_toml(head, [task]), encoding="utf-8")
    return folder


def linked(corpus: Path, folder: Path) -> None:
    """The corpus, with a corpus.toml of our own: nothing is copied."""
    folder.mkdir()
    for path in corpus.iterdir():
        if path.name != "corpus.toml":
            (folder / path.name).symlink_to(path.resolve())


def areas(results: dict[str, Any]) -> dict[str, float]:
    return {row["strategy"]: row["mean"] for row in results["summary"] if row["metric"] == "auc"}


def parse(text: str) -> Floors:
    """The floors that can be compared: of grounds with the same yardstick, of strategies that are the same method."""
    tables = tomllib.loads(text)
    said, renewed = tables.pop("yardstick", {}), tables.pop("renewed", {})
    found: Floors = {}
    for name, table in tables.items():
        yardstick, _ = table.pop("yardstick", said.get("number", 1)), table.pop("reason", "")
        if name in GROUNDS and yardstick == GROUNDS[name].yardstick:
            found[name] = {other: floor for other, floor in table.items() if renewed.get(other) == RENEWED.get(other)}
    return found


def read() -> Floors:
    """The floors that count now."""
    return parse(PATH.read_text(encoding="utf-8"))


def raised(before: dict[str, float], measured: dict[str, float]) -> dict[str, float]:
    """Never below what it was; a strategy that is gone has none."""
    return {
        name: max(before.get(name, 0.0), round(area - MARGIN, 3), 0.0)
        for name, area in sorted(measured.items())
        if name != CHANCE
    }


def write(floors: Floors) -> None:
    lines = ["# Made by `python -m benchmarks.floors`; the quality gate refuses a lowered floor."]
    lines += ["", "[renewed]", *(f"{name} = {json.dumps(why)}" for name, why in sorted(RENEWED.items()))]
    for name, ground in GROUNDS.items():
        if name in floors:
            lines += ["", f"[{name}]", f"yardstick = {ground.yardstick}", f"reason = {json.dumps(ground.reason)}"]
            lines += [f"{strategy} = {floor}" for strategy, floor in floors[name].items()]
    PATH.write_text("\n".join(lines) + "\n", encoding="utf-8")


def main(asked: list[str]) -> None:
    before = read()
    measured = measure([name for name in asked or GROUNDS if at_hand(name)])
    floors = {name: raised(before.get(name, {}), found) for name, found in measured.items()}
    write(before | floors)
    for name, found in measured.items():
        for strategy, area in sorted(found.items(), key=lambda row: -row[1]):
            print(f"{name:14} {strategy:18} area {area:.3f}  floor {floors[name].get(strategy, 0.0):.3f}")
    for name in sorted({*(asked or GROUNDS)} - {*measured}):
        print(f"{name}: left out, there is no {RECORDED / name}")


if __name__ == "__main__":
    main(sys.argv[1:])
