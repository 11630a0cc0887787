"""Measured tables of the docs, `python -m benchmarks.tables [--run WHERE...]`: which are older than the code they measure.

A comment before a table says how it was made:

    <!-- measured: COMMAND | at COMMIT | of FILE... -->

A table is stale when one of the files (or folders) was changed by a commit after that, other than the one that brought the table:
code is changed and measured before both are committed. WHERE is a page or a page and a line,
docs/report.md or docs/report.md:27: the commands of its tables are run, and print what belongs there. Who prints a table anew
writes down the commit. A table that looks measured and is not has `<!-- not measured -->` before it.
"""

from __future__ import annotations

import argparse
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
MARK = re.compile(r"<!-- measured: (?P<command>[^|]+) \| at (?P<commit>[0-9a-f]{7,40}) \| of (?P<files>[^|]+) -->")
EXEMPT = "<!-- not measured -->"
GENERATED = ("cli.md", "config.md", "leaderboard.md", "papers.md")  # whole pages that a command writes and names
NUMBER = re.compile(r"[*`(]*[-+<≤±]? ?\.?\d")
MOSTLY = 0.4  # of the cells of a measured table, the first column aside, begin with a number


class Mark(NamedTuple):
    """How a table was made."""

    command: str
    commit: str
    files: list[str]


class Table(NamedTuple):
    """A table of a page that looks measured; `mark` is None where nothing is said."""

    place: str  # page and line
    mark: Mark | None
    exempt: bool


def pages() -> list[Path]:
    return [path for path in sorted((ROOT / "docs").rglob("*.md")) if path.name not in GENERATED]


def tables(path: Path) -> Iterator[Table]:
    """The measured tables of a page, and those that a mark stands before."""
    lines = path.read_text(encoding="utf-8").split("\n")
    starts = (n for n, line in enumerate(lines) if line.startswith("|") and not lines[n - 1].startswith("|"))
    for start in starts:
        before = next((line for line in reversed(lines[:start]) if line.strip()), "")
        mark = _mark(before)
        if mark or _looks_measured(lines[start:]):
            yield Table(f"{path.relative_to(ROOT)}:{start + 1}", mark, before == EXEMPT)


def _mark(line: str) -> Mark | None:
    found = MARK.fullmatch(line)
    return Mark(found["command"], found["commit"], found["files"].split()) if found else None


def _looks_measured(lines: list[str]) -> bool:
    cells: list[str] = []
    for line in lines:
        if not line.startswith("|"):
            break
        cells += [cell.strip() for cell in line.strip("|").split("|")[1:]]
    cells = [cell for cell in cells if cell and set(cell) - set("-: ")]
    return sum(NUMBER.match(cell) is not None for cell in cells) > MOSTLY * len(cells)


def marked(text: str, command: str, files: str) -> str:
    """A text that was printed just now, with a mark before each of its tables."""
    told = ["git", "-C", str(ROOT), "rev-parse", "--short=7", "HEAD"]
    commit = subprocess.run(told, capture_output=True, text=True, check=True).stdout.strip()
    mark = f"<!-- measured: {command} | at {commit} | of {files} -->\n\n"
    return re.sub(r"(?m)(?<!\|\n)^(?=\|)", lambda _: mark, text)


def changes(mark: Mark) -> list[str] | None:
    """The commits since that changed what was measured, newest first; None where the history does not go back as far."""
    found = _commits(f"{mark.commit}..HEAD", "--", *mark.files)
    brought = found and _commits("-1", f"-S{mark.command} | at {mark.commit} |", "--", "docs")
    return [commit for commit in found if commit not in brought] if found and brought else found


def _commits(*asked: str) -> list[str] | None:
    done = subprocess.run(["git", "-C", str(ROOT), "log", "--oneline", *asked], capture_output=True, text=True)
    return done.stdout.splitlines() if done.returncode == 0 else None


def _line(table: Table) -> str:
    if not table.mark:
        return f"{table.place}: not measured" if table.exempt else f"{table.place}: says neither command nor commit"
    since = changes(table.mark)
    if since is None:
        return f"{table.place}: commit {table.mark.commit} is not in this history"
    age = f"stale, {len(since)} commits since {table.mark.commit}, last {since[0]}" if since else "as new"
    return f"{table.place}: {age}\n    {table.mark.command}"


def run(where: list[str]) -> None:
    """Run the commands of the tables of some pages, each once."""
    found = [table for path in pages() for table in tables(path)]
    asked = [table for table in found if table.place in where or table.place.partition(":")[0] in where]
    for command in dict.fromkeys(table.mark.command for table in asked if table.mark):
        print(f"$ {command}", flush=True)
        subprocess.run(["sh", "-c", f'PATH="$PWD/.venv/bin:$PATH" {command}'], cwd=ROOT, check=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Which measured tables of the docs are older than the code they measure."
    )
    parser.add_argument("--run", nargs="+", metavar="WHERE", help="run the commands of these pages' tables")
    asked = parser.parse_args()
    if asked.run:
        run(asked.run)
    else:
        print("\n".join(_line(table) for path in pages() for table in tables(path)))


if __name__ == "__main__":
    main()
