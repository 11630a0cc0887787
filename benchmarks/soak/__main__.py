"""Does a crawl that goes on and on take ever more? `make soak`, or `python -m benchmarks.soak --minutes 10`.

A web of healthy sites and of every fault of tests/site is served over HTTP on loopback, and crawled by the command itself
in two processes, again and again: the number of URLs has an end, the crawl has none. On the way one worker is killed with
SIGKILL, four times, and all processes, twice; these are resumed. Memory, open files and threads of each process, pages a
second and CPU time are noted, drawn (soak.svg) and judged; the rule is in `flat.py`. Exit code 1 when something is not
flat, or when anything was lost.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from .crawl import CYCLE, KILLS, Look, Soak, Soaked, settings
from .flat import judged, series, table, warm
from .picture import drawing
from .web import served

FEWEST = 500  # pages of a synthetic web
INTERRUPTED = 130  # the exit code after Ctrl-C


def soak(
    out: Path, minutes: float, pages: int, pace: float, kills: dict[float, str] = KILLS, strategy: str = CYCLE
) -> Soaked:
    """Crawl for so long; the run folder is in `out`, and so is the drawing."""
    out.mkdir(parents=True, exist_ok=True)
    with served(pages, pace) as server:
        soaked = Soak(
            out / "run", settings(server, out / "access.toml", strategy), 60 * minutes, kills, _progress(60 * minutes)
        ).go()
    (out / "looks.json").write_text(json.dumps(soaked.looks))
    drawn = drawing(series(soaked), soaked.seconds, [at for at, _ in soaked.kills])
    (out / "soak.svg").write_text(drawn, encoding="utf-8")
    return soaked


def _progress(seconds: float) -> Callable[[Look, int], None]:
    """On a terminal, one line that says how it stands."""
    if not sys.stderr.isatty():
        return lambda look, kills: None

    def show(look: Look, kills: int) -> None:
        taken = look.by.values()
        line = f"{_clock(look.seconds)} of {_clock(seconds)}: {look.pages:,} pages, {kills} kills; "
        line += f"{sum(t.memory for t in taken):.0f} MB, {sum(t.files for t in taken)} open files, "
        print(f"\r{line}{sum(t.threads for t in taken)} threads\x1b[K", end="", file=sys.stderr, flush=True)

    return show


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def report(soaked: Soaked) -> bool:
    """Print what was found; whether all is well."""
    met = warm(soaked)
    verdicts = [judged(one, soaked.seconds, met) for one in series(soaked)]
    print(_summary(soaked), "", *table(verdicts), "", sep="\n")
    flat, not_flat = all(one.flat for one in verdicts), any(one.not_flat for one in verdicts)
    sound = not soaked.lost and not soaked.tracebacks and soaked.ended == INTERRUPTED
    print(
        "all is flat" if flat else "NOT FLAT" if not_flat else "TOO SHORT OR TOO RESTLESS TO TELL",
        "nothing lost" if sound else "SOMETHING IS WRONG",
        sep=", ",
    )
    return flat and sound


def _summary(soaked: Soaked) -> str:
    pages, workers = soaked.looks[-1].pages, sum(whom == "worker" for _, whom in soaked.kills)
    return (
        f"{soaked.seconds / 60:g} minutes on {os.cpu_count()} cores, Python {platform.python_version()}: {pages:,} pages, "
        f"{soaked.known:,} known URLs, {soaked.disk / 1e6:,.0f} MB on disk.\n"
        f"Kills: {workers} of a worker, {len(soaked.kills) - workers} of all. Pages lost: {soaked.lost}. "
        f"Tracebacks: {soaked.tracebacks}. Exit code after Ctrl-C: {soaked.ended}."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--pages", type=int, default=500, help="of the synthetic web; the faults come on top")
    parser.add_argument("--pace", type=float, default=80.0, help="requests a second that the web answers; 0: no limit")
    parser.add_argument("--no-kills", action="store_true", help="let every process live to the end: less time will do")
    parser.add_argument("--out", type=Path, help="where the drawing and the run folder stay; else a new folder in /tmp")
    chosen = parser.parse_args()
    if chosen.pages < FEWEST:
        parser.error(f"--pages {chosen.pages}: a synthetic web has {FEWEST} pages or more")
    out = (chosen.out or Path(tempfile.mkdtemp(prefix="opilio-soak-"))).absolute()
    if (out / "run").exists():
        parser.error(f"{out}: there is a soak in it already; name another folder")
    soaked = soak(out, chosen.minutes, chosen.pages, chosen.pace, {} if chosen.no_kills else KILLS)
    good = report(soaked)
    print(f"drawn in {out / 'soak.svg'}")
    sys.exit(not good)


if __name__ == "__main__":
    main()
