"""What each addition of the -plus strategies brings: `python -m benchmarks.additions [NAME ...]`.

Each is measured as it is, without one addition at a time, and beside the paper's: area under target recall, with everything
else the same, on a synthetic web and on webkb where it is available; media-sharing sites for profile-plus. Those of
structure-plus are in structure_additions.py.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from opilio.bench.run import bench
from opilio.nouns import Lane, Link, Page, Weight
from opilio.strategies.otie import Otie
from opilio.strategies.otie_plus import OtiePlus

from . import floors, structure_additions

HERE = str(Path(__file__).resolve())
ADDITIONS = {
    "otie-plus": {
        "otie-plus": "otie-plus",
        "without yield": f"{HERE}:WithoutYield",
        "without new cash": f"{HERE}:WithoutNewCash",
        "with whole lists from the start": f"{HERE}:WithWholeLists",
        "otie": "otie",
    },
    "link-context-plus": {"link-context-plus": "link-context-plus", "without yield: link-context": "link-context"},
    "genre-plus": {
        "genre-plus": "genre-plus",
        "without templates": "genre-plus(further=none)",
        "without measured weights: w_R = 0.95": "genre-plus(further=none,relevance=0.95)",
        "genre": "genre",
        "best-first": "best-first",
    },
    "community-plus": {
        "community-plus": "community-plus",
        "divided by the links of the parent": "community-plus(share=links)",
        "without a way out": "community-plus(beyond=False)",
        "words of URLs of relevant links only": "community-plus(lexicon=topical)",
        "community": "community",
    },
    "profile-plus": {
        "profile-plus": "profile-plus",
        "without waiting": "profile-plus(wait=False)",
        "without details of lists at once": "profile-plus(listed=False)",
        "without inter rank": "profile-plus(beta=0.0)",
        "without other tags than the start tag": "profile-plus(spread=0.0)",
        "profile": "profile",
    },
}
GROUNDS = dict.fromkeys(ADDITIONS, ("topics", "webkb")) | {"profile-plus": ("tags", "social-music")}
RECORDED = ("webkb", "social-music")


class WithoutYield(OtiePlus):
    """Otie-plus that does not learn which kinds of links bring anything."""

    def similarities(self, links: Sequence[Link], promised: list[float]) -> list[float]:
        return promised

    def weigh(self, lane: Lane) -> Weight:
        return Weight() if len(lane) > 1 else super().weigh(lane)


class WithoutNewCash(OtiePlus):
    """Otie-plus whose relevant pages get no new cash."""

    def revised(self, page: Page, relevance: float) -> float:
        return Otie.revised(self, page, relevance)


class WithWholeLists(OtiePlus):
    """Otie-plus with fetch lists of 50 from the first page on."""

    whole_batches = True


def areas(ground: str, specs: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Mean area and standard error of each."""
    with tempfile.TemporaryDirectory(prefix="opilio-additions-") as scratch:
        recorded = ground in RECORDED
        folder = floors.RECORDED / ground if recorded else floors.prepared(ground, Path(scratch, ground))
        budget = "2x" if recorded else floors.GROUNDS[ground].budget
        found = bench(folder, None, list(specs), budget, 1, 1, model="auto", workers=1)
    rows = [row for row in found["summary"] if row["metric"] == "auc"]
    return {row["strategy"]: (row["mean"], row["se"]) for row in rows}


def table(name: str) -> None:
    grounds = [ground for ground in GROUNDS[name] if ground not in RECORDED or (floors.RECORDED / ground).is_dir()]
    found = {ground: areas(ground, list(ADDITIONS[name].values())) for ground in grounds}
    print(f"| {name} | {' | '.join(grounds)} |\n| --- |{' ---: |' * len(grounds)}")
    for told, spec in ADDITIONS[name].items():
        cells = [f"{mean:.3f} ± {se:.3f}" for mean, se in (found[ground][spec] for ground in grounds)]
        print(f"| {told} | {' | '.join(cells)} |", flush=True)
    print()


if __name__ == "__main__":
    for asked in sys.argv[1:] or [*ADDITIONS, "structure-plus"]:
        structure_additions.table() if asked == "structure-plus" else table(asked)
