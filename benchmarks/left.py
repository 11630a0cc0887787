"""How well a crawl guesses what is left: estimates at several stops against what it found in the end.

python -m benchmarks.left [PAGES]
"""

from __future__ import annotations

import sys
import tempfile
from contextlib import closing
from pathlib import Path

from opilio.config import Config
from opilio.engine.run import Run
from opilio.nouns import RELEVANT
from opilio.report.estimate import by_price, next_hundred
from opilio.store.reader import reading
from opilio.synth.fetcher import SynthFetcher
from opilio.synth.web import Web

TRIALS = (("beekeeping", "link-context-plus"), ("robotics", "best-first"), ("glaciers", "breadth-first"))
STOPS = (500, 1000, 2000, 3000)
END = 1_000_000


def flags(folder: Path) -> list[bool]:
    with closing(reading(folder)) as db:
        return [(value or 0) >= RELEVANT for (value,) in db.execute("SELECT relevance FROM pages ORDER BY number")]


def crawled(folder: Path, web: Web, topic: str, strategy: str, pages: int) -> None:
    told = {"corpus": "made up", "seeds": web.seeds(topic), "topic": topic, "strategy": strategy}
    run = Run(folder, Config(**told, max_pages=pages, saturation=0), SynthFetcher(web))
    try:
        run.go()
    finally:
        run.close()


def main(pages: int) -> None:
    web = Web(pages, 3)
    print(
        "| topic, strategy | fetched | found | recall | guessed | 95 % | next hundred | guessed |\n"
        + "| --- " * 8
        + "|"
    )
    for topic, strategy in TRIALS:
        with tempfile.TemporaryDirectory() as name:
            folder, told = Path(name) / "run", []
            for stop in STOPS:
                crawled(folder, web, topic, strategy, stop)
                with closing(reading(folder)) as db:
                    told.append((stop, by_price(db), next_hundred(flags(folder))))
            crawled(folder, web, topic, strategy, END)
            every = flags(folder)
        for stop, left, soon in told:
            found, total = sum(every[:stop]), sum(every)
            middle, low, high = left.recall(found) if left else (0.0, 0.0, 1.0)
            coming = f"{soon.value:.0f} ± {1.96 * soon.error:.0f}" if soon else ""
            print(
                f"| {topic}, {strategy} | {stop:,} | {found} | {found / total:.2f} | {middle:.2f} | {low:.2f} to {high:.2f} "
                f"| {sum(every[stop : stop + 100])} | {coming} |",
                flush=True,
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 6000)
