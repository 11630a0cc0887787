"""Draws docs/pictures/harvest.svg, target recall on a synthetic web: `python docs/pictures/harvest.py`."""

from __future__ import annotations

import tempfile
from pathlib import Path

from opilio.bench.plots import plots
from opilio.bench.results import Results
from opilio.bench.run import bench
from opilio.synth.corpus import write
from opilio.synth.web import Web

STRATEGIES = ["breadth-first", "best-first", "otie", "link-context", "link-context-plus"]


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        web = Path(scratch) / "web"
        write(Web(5000, 1), web)
        results = bench(web, "topics", STRATEGIES, "3x", seed=1, batch=10)
    drawing = plots(Results.model_validate(results))["target_recall"]
    Path(__file__).with_suffix(".svg").write_text(drawing, encoding="utf-8")


if __name__ == "__main__":
    main()
