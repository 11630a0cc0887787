"""Floors of quality, `python -m benchmarks.floors`: measures every strategy on synthetic webs and raises the floors.

A floor is the measured area under the target recall curve less a margin. Floors are only ever raised, unless the yardstick
itself changes: then all of them are set anew, once, and the file says why. What chance brings has none.
"""

from __future__ import annotations

import json
import tempfile
import tomllib
from functools import partial
from pathlib import Path
from typing import Any

from opilio.bench.run import bench
from opilio.synth.corpus import write as write_synth
from opilio.synth.web import Web

PATH = Path(__file__).with_name("floors.toml")
MARGIN = 0.02
YARDSTICK = 2  # counts up when what is measured changes; floors of another yardstick cannot be compared
REASON = (
    "links that lead out of a recording are left out, example pages are known and cost nothing, and the synthetic web has "
    "5 to 10 % dead links, recorded as such"
)
CHANCE = "random"
RENEWED = {  # methods whose floors began anew, and why; earlier ones were those of another method
    "structure": "the method as printed; what it was before is structure-plus",
    "genre": "the method as printed; what it was before is genre-plus(further=none)",
}
TASKS = {"topics": "3x", "threads": None, "tags": "1x"}  # with their budgets


def measure(scratch: Path) -> dict[str, dict[str, float]]:
    """The mean area of each strategy on each task."""
    web = scratch / "web"
    write_synth(Web(1200, 11), web)
    small = partial(bench, web, seed=1, batch=10, first_batches="small")  # for all alike, whatever their papers say
    return {task: areas(small(task, budget=budget)) for task, budget in TASKS.items()}


def areas(results: dict[str, Any]) -> dict[str, float]:
    return {row["strategy"]: row["mean"] for row in results["summary"] if row["metric"] == "auc"}


def parse(text: str) -> dict[str, dict[str, float]]:
    """The floors by task that can be compared: those of the same yardstick, of strategies that are the same method."""
    tables = tomllib.loads(text)
    number, renewed = tables.pop("yardstick", {}).get("number", 1), tables.pop("renewed", {})
    if number != YARDSTICK:
        return {}
    return {
        task: {name: floor for name, floor in floors.items() if renewed.get(name) == RENEWED.get(name)}
        for task, floors in tables.items()
    }


def read() -> dict[str, dict[str, float]]:
    return parse(PATH.read_text()) if PATH.exists() else {}


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        measured = measure(Path(scratch))
    before = read()
    lines = [
        "# Made by `python -m benchmarks.floors`; the quality gate refuses a lowered floor.",
        f"\n[yardstick]\nnumber = {YARDSTICK}\nreason = {json.dumps(REASON)}",
    ]
    lines += ["\n[renewed]", *(f"{name} = {json.dumps(why)}" for name, why in sorted(RENEWED.items()))]
    for task, found in measured.items():
        lines.append(f"\n[{task}]")
        for name, area in sorted((name, area) for name, area in found.items() if name != CHANCE):
            floor = max(before.get(task, {}).get(name, 0.0), round(area - MARGIN, 3), 0.0)
            lines.append(f"{name} = {floor}")
            print(f"{task:8} {name:16} area {area:.3f}  floor {floor:.3f}")
    PATH.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
