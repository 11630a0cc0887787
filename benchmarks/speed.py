"""How fast Opilio crawls, side by side with other crawlers: `make bench-speed`.

    python -m benchmarks.speed [--pages N] [--rounds N] [--only NAME,...] [--folder DIR] [--quick]

One nginx serves the same synthetic pages to all of them over loopback, one crawler at a time, in turns. Every crawler is a
process of its own; its CPU time is user and system of that process from start to end, as the kernel counts it, and
the server's log says how many pages it got. Without --quick or --only the table goes into docs/performance.md, too.
"""

from __future__ import annotations

import argparse
import compileall
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from opilio.html import Document
from opilio.nouns import Link, Material, Offer, Page
from opilio.topics.models.auto import Auto

from .speed_parts import MARK
from .speed_table import OURS, Measured, numbers, publish, shares
from .speed_web import Server, Web, free_port, serving

ROOT = Path(__file__).parents[1]
CONNECTIONS = 32
EXAMPLES = 60  # pages of each kind that the relevance model learns from
PEERS = ("scrapy", "crawlee[parsel]")
ENOUGH = 0.98  # share of the pages that a crawler must have fetched for its number to count
# A process of its own for it: a child counts its parent's memory as its own until it has begun.
TIMED = """
import os, subprocess, sys, time
begun = time.monotonic()
running = subprocess.Popen(sys.argv[1:], stdout=sys.stderr)
_, status, used = os.wait4(running.pid, 0)
seconds = time.monotonic() - begun
print(os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, seconds, used.ru_maxrss * 1024)
"""


class Bench(NamedTuple):
    """What a contender's command is made from."""

    folder: Path
    web: Web
    model: Path
    out: Path  # where it may write

    @property
    def seed(self) -> str:
        return self.web.url(1)

    @property
    def told(self) -> list[str]:
        return [self.seed, str(CONNECTIONS)]

    @property
    def python(self) -> str:
        return str(self.folder / "venv" / "bin" / "python")


def opilio(bench: Bench, *more: str) -> list[str]:
    settings = {
        "delay": 0,
        "allow_networks": "loopback",
        "fetch_connections": CONNECTIONS,
        "fetch_per_host": CONNECTIONS,
        "contact": "nobody@example.org",
        "saturation": 0,  # all of the pages are fetched, though most are not about the topic
    }
    told = [part for name, value in settings.items() for part in ("-s", f"{name}={value}")]
    start = [f"{sysconfig.get_path('scripts')}/opilio", "crawl", "--seed", bench.seed, "--out", str(bench.out / "run")]
    return [*start, "--max-pages", str(bench.web.pages), *told, *more]


def wget2(bench: Bench) -> list[str]:
    quiet = ["--quiet", f"--max-threads={CONNECTIONS}", "--directory-prefix", str(bench.out)]
    return ["wget2", *quiet, "--recursive", "--level=0", "--span-hosts", "--robots=on", bench.seed]


CONTENDERS: dict[str, Callable[[Bench], list[str]]] = {
    "opilio breadth-first": lambda b: opilio(b, "--strategy", "breadth-first"),
    "opilio otie + relevance": lambda b: opilio(b, "--strategy", "otie", "--model", str(b.model)),
    "opilio blend + relevance": lambda b: opilio(b, "--strategy", "blend", "--model", str(b.model)),
    "scrapy stock": lambda b: [b.python, "-m", "benchmarks.peers.scrapy_stock", *b.told],
    "scrapy same work": lambda b: [b.python, "-m", "benchmarks.peers.scrapy_same", *b.told, str(b.model), str(b.out)],
    "crawlee parsel": lambda b: [b.python, "-m", "benchmarks.peers.crawlee_parsel", *b.told],
    "wget2": wget2,
}
OPILIO = frozenset(name for name in CONTENDERS if name.startswith("opilio "))


def measure(name: str, bench: Bench, server: Server) -> Measured | None:
    """One crawl; None, with a word to stderr, when it did not bring the pages."""
    shutil.rmtree(bench.out, ignore_errors=True)
    bench.out.mkdir()
    server.answered()
    with (bench.folder / "log.txt").open("w") as log:
        told = subprocess.run(
            [sys.executable, "-I", "-S", "-c", TIMED, *CONTENDERS[name](bench)],
            cwd=ROOT, stdout=subprocess.PIPE, stderr=log, text=True, check=True,
        )  # fmt: skip
    code, cpu, seconds, memory = map(float, told.stdout.split())
    got = server.answered()
    if code or got < ENOUGH * bench.web.pages:
        said = (bench.folder / "log.txt").read_text()[-500:]
        print(f"{name}: left out, code {code:.0f} after {got} pages: {said}", file=sys.stderr)
        return None
    return Measured(got, cpu, seconds, memory)


def install(folder: Path) -> None:
    """The peers, in an environment of their own that sees the project's packages behind its own ones."""
    if (folder / "venv" / "ready").exists():
        return
    subprocess.run([sys.executable, "-m", "venv", "--clear", folder / "venv"], check=True)
    pip = [str(folder / "venv" / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, *PEERS], check=True, stderr=subprocess.DEVNULL)
    site = subprocess.run(
        [folder / "venv" / "bin" / "python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        check=True, capture_output=True, text=True,
    ).stdout.strip()  # fmt: skip
    Path(site, "project.pth").write_text(f"{sysconfig.get_path('purelib')}\n{ROOT / 'src'}\n{ROOT}\n")
    (folder / "venv" / "ready").touch()


def train(web: Web, path: Path) -> None:
    """A calibrated relevance model, learned from pages of the topic and of all others."""

    def page(number: int) -> Page:
        url, body = web.url(number), web.body(number)
        return Page(Offer(Link(url)), url, 200, {}, body, document=Document(body, url, "text/html"))

    yes = [page(number) for number in range(1, web.pages) if web.relevant(number)][:EXAMPLES]
    no = [page(number) for number in range(1, web.pages) if not web.relevant(number)][:EXAMPLES]
    Auto.learn(Material("", tuple(yes), tuple(no))).save(path)


def rounds(names: Sequence[str], bench: Bench, server: Server, count: int) -> dict[str, list[Measured]]:
    found: dict[str, list[Measured]] = {name: [] for name in names}
    for number in range(count):
        for name in names:
            if one := measure(name, bench, server):
                found[name].append(one)
                print(f"round {number + 1}, {name}: {one.cpu_ms:.2f} ms CPU a page", file=sys.stderr)
    return {name: some for name, some in found.items() if some}


def parts(bench: Bench) -> list[tuple[float, str]]:
    """Where the CPU time of one more crawl with relevance goes: ms a page and what for."""
    shutil.rmtree(bench.out, ignore_errors=True)
    bench.out.mkdir()
    told = [sys.executable, "-m", "benchmarks.speed_parts", *CONTENDERS[OURS[0]](bench)[1:]]
    said = subprocess.run(
        told, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True
    ).stdout
    lines = (line.split("\t") for line in said.partition(f"{MARK}\n")[2].splitlines())
    return [(float(spent), part) for spent, part in lines]


def present(names: Sequence[str]) -> list[str]:
    """Those that can run here."""
    if "wget2" in names and not shutil.which("wget2"):
        print("wget2: left out, it is not installed (apt-get install wget2)", file=sys.stderr)
        return [name for name in names if name != "wget2"]
    return list(names)


def run(folder: Path, pages: int, count: int, names: Sequence[str]) -> str:
    """Everything; what there is to say about it, in Markdown."""
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    compileall.compile_dir(ROOT / "src", quiet=1)  # as everything is that pip installs
    if not OPILIO.issuperset(names):
        install(folder)
    web = Web(pages, free_port())
    shutil.rmtree(folder / "pages", ignore_errors=True)
    web.write(folder)
    train(web, folder / "topic.model")
    bench = Bench(folder, web, folder / "topic.model", folder / "out")
    with serving(folder, web.port) as server:
        ceiling = server.ceiling(bench.seed)
        found = rounds(present(names), bench, server, count)
        spent = parts(bench) if OURS[0] in names else []
    shutil.rmtree(bench.out, ignore_errors=True)
    return numbers(found, ceiling, pages, CONNECTIONS) + shares(spent)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--pages", type=int, default=5000)
    asked.add_argument("--rounds", type=int, default=3)
    asked.add_argument("--only", help="names of contenders, separated by commas")
    asked.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "opilio-speed")
    asked.add_argument("--quick", action="store_true", help="500 pages, one round: to see that it works")
    given = asked.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    names = given.only.split(",") if given.only else list(CONTENDERS)
    if unknown := set(names) - set(CONTENDERS):
        raise SystemExit(f"speed: {', '.join(sorted(unknown))} is none of: {', '.join(CONTENDERS)}")
    pages, count = (500, 1) if given.quick else (given.pages, given.rounds)
    text = run(given.folder.resolve(), pages, count, names)
    print(text)
    if not given.quick and not given.only:
        publish(ROOT / "docs" / "performance.md", text)


if __name__ == "__main__":
    main()
