"""What a page costs here beside another commit, in instructions: these hardly depend on what else the machine does.

    python -m benchmarks.speed_against CHECKOUT [--pages N] [--only NAME,...]

CHECKOUT is a work tree of the other commit with an environment in its `.venv` (`git worktree add DIR COMMIT`, then `make demo`
there). Each side makes its model and its command by its own benchmarks/speed.py; both crawl the same pages of one nginx, in
turns. valgrind counts user instructions of the whole process, start and end included.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from .speed import ROOT
from .speed_table import OURS
from .speed_web import Web, free_port, serving

COUNT = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
PREPARED = """
import json, sys
from pathlib import Path
from benchmarks.speed import CONTENDERS, Bench, train
from benchmarks.speed_web import Web
folder, web, name = Path(sys.argv[1]), Web(int(sys.argv[2]), int(sys.argv[3])), sys.argv[4]
if not (folder / "topic.model").exists():
    train(web, folder / "topic.model")
print(json.dumps(CONTENDERS[name](Bench(folder, web, folder / "topic.model", folder / "out"))))
"""


def python(checkout: Path) -> str:
    return str(checkout / ".venv" / "bin" / "python")


def command(checkout: Path, folder: Path, web: Web, name: str) -> list[str]:
    """How that checkout crawls, and with a model of its own."""
    folder.mkdir(exist_ok=True)
    told = [python(checkout), "-c", PREPARED, str(folder), str(web.pages), str(web.port), name]
    said = subprocess.run(told, cwd=checkout, stdout=subprocess.PIPE, text=True, check=True).stdout
    found: list[str] = json.loads(said)
    return found


def instructions(checkout: Path, folder: Path, web: Web, name: str) -> int:
    """Of one crawl."""
    crawl = command(checkout, folder, web, name)
    shutil.rmtree(folder / "out", ignore_errors=True)
    (folder / "out").mkdir()
    said = subprocess.run([*COUNT, python(checkout), *crawl], cwd=checkout, capture_output=True, text=True, check=False)
    found = re.search(r"I +refs: +([\d,]+)", said.stderr)
    if said.returncode or not found:
        raise SystemExit(f"speed_against: {checkout}, {name}: {(said.stderr or said.stdout)[-1500:]}")
    return int(found[1].replace(",", ""))


def run(other: Path, folder: Path, pages: int, names: list[str]) -> str:
    """A table of millions of instructions a page, there and here."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    web = Web(pages, free_port())
    web.write(folder)
    lines = ["| crawl | there, M instructions a page | here | here / there |", "| --- | --- | --- | --- |"]
    with serving(folder, web.port) as server:
        for name in names:
            server.answered()
            counted, got = list[float](), list[int]()
            for side, checkout in (("there", other), ("here", ROOT)):
                counted.append(instructions(checkout, folder / side, web, name) / pages / 1e6)
                got.append(server.answered())
            print(f"{name}: {got[0]} and {got[1]} pages fetched", file=sys.stderr)
            lines.append(f"| {name} | {counted[0]:.2f} | {counted[1]:.2f} | {counted[1] / counted[0]:.2f} |")
    return "\n".join(lines)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("checkout", type=Path)
    asked.add_argument("--pages", type=int, default=2000)
    asked.add_argument("--only", help="names of contenders in benchmarks/speed.py, separated by commas")
    given = asked.parse_args()
    if not shutil.which("valgrind"):
        raise SystemExit("speed_against: valgrind counts the instructions, and it is missing; apt-get install valgrind")
    names = given.only.split(",") if given.only else list(OURS)
    with tempfile.TemporaryDirectory(prefix="opilio-against-") as folder:
        print(run(given.checkout.resolve(), Path(folder), given.pages, names))


if __name__ == "__main__":
    main()
