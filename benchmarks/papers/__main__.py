"""The tables and figures of the papers: `python -m benchmarks.papers [PAPER [NAME ...]] [--all | --missing] [--write]`.

Without arguments it lists them; with a paper and a name it runs one, and prints the paper's numbers beside ours.
--all runs every one, --missing those that have no result in benchmarks/papers/results yet; --write makes docs/papers.md
of the results.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from . import community, genre, importance, profile, structure
from .document import document
from .experiment import Experiment, described

RUNS = profile.RUNS | structure.RUNS | community.RUNS | importance.RUNS | genre.RUNS
EXPERIMENTS = described(RUNS)
DOCUMENT = Path(__file__).parents[2] / "docs" / "papers.md"


def listed() -> str:
    return "\n".join(f"{one.paper} {', '.join(one.names):33} {one.title}" for one in EXPERIMENTS)


def chosen(paper: str, names: list[str]) -> list[Experiment]:
    found = [one for one in EXPERIMENTS if one.paper == paper and (not names or not set(names).isdisjoint(one.names))]
    if not found:
        raise SystemExit(f"there is no experiment {' '.join([paper, *names])}; these are:\n{listed()}")
    return found


def run(one: Experiment) -> None:
    begun = time.process_time()
    result = one.run()
    one.save(result)
    print(one.text(result))
    print(f"({time.process_time() - begun:.0f} s of CPU)\n", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paper", nargs="?", help="its number: 000 to 004")
    parser.add_argument("names", nargs="*", help="such as figure3; all of the paper if left out")
    parser.add_argument("--all", action="store_true", help="all of them")
    parser.add_argument("--missing", action="store_true", help="all that have no result yet")
    parser.add_argument("--write", action="store_true", help="write docs/papers.md")
    asked = parser.parse_args()
    wanted = [one for one in EXPERIMENTS if asked.all or (asked.missing and one.saved() is None)]
    for one in chosen(asked.paper, asked.names) if asked.paper else wanted:
        run(one)
    if asked.write:
        DOCUMENT.write_text(document(EXPERIMENTS), encoding="utf-8")
    elif not asked.paper and not wanted:
        print(listed())


if __name__ == "__main__":
    main()
