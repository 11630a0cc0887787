"""Makes the pictures of the dashboard in this folder: `python docs/pictures/screenshots.py`. Needs chromium."""

from __future__ import annotations

import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

import uvicorn
from playwright.sync_api import Page, sync_playwright

from opilio.bench.corpus import Corpus
from opilio.bench.run import bench
from opilio.config import Config
from opilio.engine.run import Run
from opilio.synth.corpus import write
from opilio.synth.web import Web
from opilio.web.app import application
from opilio.web.listening import bound

MANUALS = Path(__file__).parents[3] / "shared/corpora/docs"  # real pages; without them a synthetic web is shown
HOMES = ("docs.python.org", "www.sqlite.org", "httpd.apache.org", "www.postgresql.org")
TOPIC, PAGES, TOKEN = "nature/beekeeping", 2000, "for the pictures"
STRATEGIES = ["breadth-first", "best-first", "link-context-plus"]
WIDE, NARROW = {"width": 1200, "height": 800}, {"width": 390, "height": 844}


def main(folder: Path = Path(__file__).parent, looks: bool = False) -> None:
    """Draw them; with `looks`, every page, wide and narrow, light and dark."""
    with tempfile.TemporaryDirectory() as scratch:
        home = Path(scratch) / "runs"
        prepare(Path(scratch), home)
        with served(home) as address, sync_playwright() as play:
            chromium = play.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            for scheme, size in (("light", WIDE), ("dark", NARROW)) if looks else (("light", WIDE),):
                page = chromium.new_page(viewport=size, color_scheme=scheme)  # type: ignore[arg-type]
                page.goto(address)
                page.wait_for_url("**/runs")
                draw(page, address.partition("/login")[0], folder, f"-{scheme}" if looks else "")
            chromium.close()


def prepare(scratch: Path, home: Path) -> None:
    web = Web(PAGES, 1)
    write(web, scratch / "web")
    corpus, topic = (MANUALS, "full text search") if MANUALS.is_dir() else (scratch / "web", "beekeeping")
    seeds = [f"http://{host}/index.html" for host in HOMES] if MANUALS.is_dir() else web.seeds(TOPIC)[:5]
    for name, strategy in (("manuals", "blend"), ("manuals-breadth-first", "breadth-first")):
        crawl(home / name, Config(corpus=str(corpus), topic=topic, seeds=seeds, max_pages=400, strategy=strategy))
    for name, seed in (("spring", 1), ("autumn", 2)):
        bench(scratch / "web", "topics", STRATEGIES, 60, seed=seed, out=home / name, batch=10)


def crawl(folder: Path, config: Config) -> None:
    stored = Corpus.open(Path(config.corpus))
    with closing(Run(folder, config, stored.fetcher(), stored.home)) as run:
        run.go()


@contextmanager
def served(home: Path) -> Iterator[str]:
    with bound("127.0.0.1", 0) as socket:
        port = socket.getsockname()[1]
        app = application([home], TOKEN, port)
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off", timeout_graceful_shutdown=1))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [socket]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{port}/login#{quote(TOKEN)}"
        finally:
            server.should_exit = True
            thread.join()


def draw(page: Page, base: str, folder: Path, end: str) -> None:
    page.goto(f"{base}/runs/manuals/pages?relevance=0.5&order=relevance")
    story = page.locator("table.list td a").nth(1).get_attribute("href")
    shown = {
        "runs": "/runs", "live": "/runs/manuals", "pages": "/runs/manuals/pages?order=relevance", "story": story,
        "map": "/runs/manuals/map?most=50", "labels": "/runs/manuals/labels", "start": "/start",
        "runs-compared": "/compare?run=manuals&run=manuals-breadth-first", "compared": "/benchmarks?a=autumn&b=spring",
    }  # fmt: skip
    for name, path in shown.items():
        page.goto(f"{base}{path}")
        page.wait_for_load_state("load")
        page.wait_for_timeout(1500)  # what comes with the first event, and snippets, are drawn
        page.screenshot(path=folder / f"{name}{end}.png")


if __name__ == "__main__":
    if sys.argv[1:]:
        main(Path(sys.argv[1]), looks=True)
    else:
        main()
