"""A short set of benchmarks, `make bench`: the synthetic web always, recorded webs where they are available.

Results and reports go to runs/bench; the tables to stdout.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from rich.console import Console

from opilio.bench.run import bench
from opilio.bench.table import table
from opilio.report.bench import write
from opilio.synth.corpus import write as write_synth
from opilio.synth.web import Web

RECORDED = Path(__file__).parents[2] / "shared" / "corpora"
TASKS = [("postgresql-doc", "sql-commands", None), ("webkb", "topics", "300")]


def run(corpus: Path, task: str, budget: str | None) -> None:
    out = Path("runs/bench") / f"{corpus.name}-{task}"
    Console().print(table(bench(corpus, task, budget=budget, seed=1, out=out)))
    print(write(out))


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        web = Path(scratch) / "synthetic"
        write_synth(Web(2000, 1), web)
        run(web, "topics", "2x")
    for corpus, task, budget in TASKS:
        if (RECORDED / corpus).is_dir():
            run(RECORDED / corpus, task, budget)
        else:
            print(f"{corpus}: left out, there is no {RECORDED / corpus}")


if __name__ == "__main__":
    main()
