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

TOPIC, PAGES, TOKEN = "nature/beekeeping", 2000, "for the pictures"
STRATEGIES = ["breadth-first", "best-first", "link-context-plus"]
WIDE, NARROW = {"width": 1000, "height": 720}, {"width": 400, "height": 800}


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
    stored = Corpus.open(scratch / "web")
    config = Config(corpus=str(scratch / "web"), topic="beekeeping", seeds=web.seeds(TOPIC)[:5], max_pages=400)
    with closing(Run(home / "bees", config, stored.fetcher(), stored.home)) as run:
        run.go()
    for name, seed in (("spring", 1), ("autumn", 2)):
        bench(scratch / "web", "topics", STRATEGIES, 60, seed=seed, out=home / name, batch=10)


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
    page.goto(f"{base}/runs/bees/pages?relevance=0.5&order=relevance")
    story = page.locator("table.list a").nth(3).get_attribute("href")
    for name, path in (("live", "/runs/bees"), ("story", story), ("compared", "/benchmarks?a=autumn&b=spring")):
        page.goto(f"{base}{path}")
        page.wait_for_load_state("load")
        page.wait_for_timeout(500)  # what comes with the first event is drawn
        page.screenshot(path=folder / f"{name}{end}.png")


if __name__ == "__main__":
    if sys.argv[1:]:
        main(Path(sys.argv[1]), looks=True)
    else:
        main()
