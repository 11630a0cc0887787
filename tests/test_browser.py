"""The dashboard in a real browser: a crawl of the served synthetic web is started, watched, corrected, paused and resumed."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Locator, Page, expect, sync_playwright
from typer.testing import CliRunner

from opilio.bench.run import bench
from opilio.cli.commands import app
from opilio.report.bench import write as write_bench_report
from opilio.report.best_pages import best_pages
from opilio.report.run import write as write_report
from opilio.report.search import update
from opilio.store.reader import reading
from opilio.synth.web import Web

from .browser_checks import check
from .crawled import crawled
from .test_web import garden, served_web
from .test_web import until as until_within
from .test_web_clusters import kept

CHROMIUM = os.environ.get("OPILIO_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
PATIENCE = 60.0  # seconds: the machine may have other things to do
expect.set_options(timeout=1000 * PATIENCE)
TOPIC = "nature/beekeeping"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        CHROMIUM is None,
        reason="no chromium, so the dashboard is not tried in a browser; install it (Debian: apt-get install chromium)",
    ),
]


@contextmanager
def dashboard(*shown: Path) -> Iterator[str]:
    """`opilio serve`, as people start it; the address that it prints."""
    words = [sys.executable, "-c", "from opilio.cli import main; main()", "serve", *map(str, shown), "--port", "0"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        try:
            yield process.stderr.readline().rsplit(" ", 1)[1].strip()
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait(PATIENCE) == 130


def until(true: Callable[[], Any]) -> Any:
    return until_within(true, PATIENCE)


class Visit:
    """A browser window that notes everything that should not happen."""

    def __init__(self, page: Page, address: str) -> None:
        self.page, self.base = page, address.partition("/login")[0]
        self.strange: list[str] = []
        page.set_default_timeout(1000 * PATIENCE)
        page.on("request", lambda request: self._note(request.url, not request.url.startswith((self.base, "file:"))))
        page.on("console", lambda told: self._note(told.text, told.type == "error"))
        page.on("pageerror", lambda error: self._note(str(error), True))
        page.on("dialog", lambda dialog: self._note(dialog.message, True))

    def _note(self, what: str, is_strange: bool) -> None:
        if is_strange:
            self.strange.append(what)

    def go(self, path: str) -> Page:
        self.page.goto(self.base + path)
        return self.page

    def figure(self, name: str) -> float:
        text = self.page.locator(f"[data-figure={name}]").inner_text()
        return float(text.replace(",", "").replace("%", ""))

    def expect_state(self, state: str) -> None:
        expect(self.page.locator("[data-state]")).to_have_text(state)


@contextmanager
def browser(address: str) -> Iterator[Visit]:
    with sync_playwright() as play:
        chromium = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            yield Visit(chromium.new_page(), address)
        finally:
            chromium.close()


def test_a_crawl_seen_from_a_browser(tmp_path: Path) -> None:
    web, home = Web(3000, 5), tmp_path / "runs"
    home.mkdir()
    with served_web(web) as port, dashboard(home) as address, browser(address) as visit:
        enter(visit, address)
        start(visit, web, port)
        try:
            watch(visit)
            read_a_story(visit)
            label_ten(visit, web, home / "bees")
            pause_and_resume(visit, home / "bees")
        finally:
            if visit.go("/runs/bees").locator("[data-state]").inner_text() == "running":
                press(visit.page, "Stop")
        visit.expect_state("interrupted")
        assert visit.strange == []


def press(where: Page | Locator, name: str) -> None:
    where.get_by_role("button", name=name, exact=True).click()


def enter(visit: Visit, address: str) -> None:
    visit.go("/runs")
    expect(visit.page.locator("input[name=token]")).to_be_visible()  # nothing to see without the token
    visit.page.goto(address)
    visit.page.wait_for_url("**/runs")
    assert "#" not in visit.page.url


def start(visit: Visit, web: Web, port: int) -> None:
    page = visit.go("/start")
    page.fill("[name=name]", "bees")
    page.fill("[name=topic]", "beekeeping")
    page.fill("[name=seeds]", "\n".join(web.seeds(TOPIC)[:5]))
    page.select_option("[name=strategy]", "best-first")
    page.fill("[name=max_pages]", "100000")
    page.click("summary")
    page.fill("[name=more]", f"fetch_to = 127.0.0.1:{port}\ndelay = 0.02")
    press(page, "Start")
    page.wait_for_url("**/runs/bees")


def watch(visit: Visit) -> None:
    """The figures and the curve change by themselves."""
    visit.expect_state("running")
    until(lambda: visit.figure("pages") > 30)
    before = visit.figure("pages")
    until(lambda: visit.figure("pages") > before)
    curve = visit.page.locator("[data-drawing] polyline").first
    drawn = curve.get_attribute("points")
    until(lambda: curve.get_attribute("points") != drawn)
    assert visit.page.locator("[data-last] li").count() > 3
    until(lambda: visit.page.locator("[data-best] .snippet mark").count() > 0)


def read_a_story(visit: Visit) -> None:
    target = visit.page.locator("[data-last] a").first.get_attribute("href")
    assert target
    page = visit.go(target)
    expect(page.locator("[data-paragraph]")).to_contain_text("Fetched as page")
    expect(page.locator("#way")).to_be_visible()
    page.click("text=Stored copy")
    expect(page.locator("pre.text")).to_be_visible()


def label_ten(visit: Visit, web: Web, folder: Path) -> None:
    """Ten answers, of which the first is not what the crawl thinks; it follows, and so does what is shown."""
    page = visit.page
    until(lambda: visit.go("/runs/bees/labels").locator("article").count() == 1)
    before = judged(folder)
    said: dict[str, bool] = {}
    for number in range(1, 11):
        article = page.locator("article")
        url = article.locator("input[name=url]").input_value()
        said[url] = web.labels(url).get("topic", "") == TOPIC if said else before[url] < 0.5
        page.wait_for_load_state("load")  # keys are heard from then on
        page.keyboard.press("y" if said[url] else "n")
        expect(page.locator(".tiles b").first).to_have_text(str(number))
    page.wait_for_load_state("load")
    page.keyboard.press("u")  # the last one is taken back, and asked for again or not
    expect(page.locator(".tiles b").first).to_have_text("9")
    said.popitem()
    visit.expect_state("running")
    until(lambda: heard(folder) == said)
    until(lambda: all(judged(folder)[url] == float(is_good) for url, is_good in said.items()))
    url, is_good = next(iter(said.items()))
    page = visit.go(f"/runs/bees/story?url={quote(url, safe='')}")
    expect(page.locator("body")).to_contain_text(f"judged by hand: {'yes' if is_good else 'no'}")
    expect(page.locator(".eyebrow .meter")).to_have_text("1.00" if is_good else "0.00")


def pause_and_resume(visit: Visit, folder: Path) -> None:
    page = visit.go("/runs/bees")
    press(page, "Pause")
    visit.expect_state("interrupted")
    good = [relevance >= 0.5 for relevance in judged(folder).values()]
    until(
        lambda: visit.figure("pages") >= len(good) and visit.figure("relevant") == sum(good)
    )  # judged anew, and shown so
    before = visit.figure("pages")
    press(page, "Resume")
    visit.expect_state("running")
    until(lambda: visit.figure("pages") > before)


def judged(folder: Path) -> dict[str, float]:
    with closing(reading(folder)) as db:
        return dict(db.execute("SELECT url, relevance FROM pages WHERE relevance IS NOT NULL"))


def heard(folder: Path) -> dict[str, bool]:
    with closing(reading(folder)) as db:
        row = db.execute("SELECT value FROM meta WHERE name = 'labels'").fetchone()
    told: dict[str, bool] = json.loads(row[0]) if row else {}
    return told


PATHS = (
    "/runs", "/runs/bees", "/runs/bees/pages?order=relevance", "/runs/bees/pages?q=honey", "/runs/bees/map",
    "/runs/bees/frontier", "/runs/bees/labels", "/runs/bees/refused", "/runs/bees/delete", "/runs/bees/copy/3",
    "/compare?run=bees&run=bees-2", "/clusters", "/runs/a-name-of-the-kind-that-people-give-to-runs-late-at-night",
    "/start", "/api", "/benchmarks", "/runs/bees/story?url=http%3A%2F%2Fnowhere.test%2F",
)  # fmt: skip


def test_every_page_is_readable_for_everybody(tmp_path: Path) -> None:
    """No serious finding of axe, nothing wider than a telephone, no error on the console, a title of its own for each page."""
    crawled(tmp_path / "bees")
    update(tmp_path / "bees")  # else a search looks again by itself until there is an index
    shutil.copytree(tmp_path / "bees", tmp_path / "bees-2")
    crawled(
        tmp_path / "a-name-of-the-kind-that-people-give-to-runs-late-at-night", seeds=["http://not-recorded.example/"]
    )
    story = quote(best_pages(tmp_path / "bees", 1)[0].url, safe="")
    with dashboard(tmp_path, Path(kept(tmp_path / "cluster"))) as address, browser(address) as visit:
        assert check(visit.go("/login")) == ""
        visit.page.goto(address)
        visit.page.wait_for_url("**/runs")
        titles = {}
        for path in (*PATHS, f"/runs/bees/story?url={story}"):
            page = visit.go(path)
            assert check(page) == "", path
            assert page.locator("main h1, header h1").count() == 1, path
            titles[path] = page.title()
        assert len(set(titles.values())) >= len(titles) - 1  # the list of pages and a search share one
        assert visit.strange == []
        figures_agree(visit, tmp_path / "bees")
        values_under_the_pointer(visit)
        a_threshold_is_dragged(visit)
        for folder in sorted(tmp_path.glob("*/state.db")):
            visit.page.goto(write_report(folder.parent).as_uri())
            assert check(visit.page) == "", folder
        assert check(visit.go("/runs/nowhere")) == ""


def figures_agree(visit: Visit, folder: Path) -> None:
    """What the page of a run says is what `opilio status --json` says."""
    visit.go("/runs/bees")
    told = json.loads(CliRunner().invoke(app, ["status", str(folder), "--json"]).stdout)
    names = {"pages": "pages", "relevant": "relevant", "sites": "sites_with_relevant_pages", "waiting": "open_urls"}
    assert {name: visit.figure(name) for name in names} == {name: told[key] for name, key in names.items()}
    assert visit.figure("harvest") == round(100 * told["harvest_rate"], 1)
    assert f"Found {told['relevant']} pages" in visit.page.locator("[data-headline]").inner_text()
    shown = {
        "pages": told["pages"],
        "relevant": told["relevant"],
        "harvest rate": f"{100 * told['harvest_rate']:.1f} %",
    }
    for path in ("/runs", "/compare?run=bees&run=bees-2"):
        row = visit.go(path).locator("tr", has=visit.page.get_by_role("link", name="bees", exact=True))
        found = {name: row.locator(f"[data-label='{name}']").inner_text() for name in shown}
        assert found == {name: str(figure) for name, figure in shown.items()}, path
    assert visit.go("/runs/bees/labels").locator(".tiles b").nth(1).inner_text() == str(told["relevant"])
    expect(visit.go("/runs/bees/frontier").locator("p.lead")).to_contain_text(f"{told['open_urls']} URLs wait")
    visit.page.goto(write_report(folder).as_uri())
    tiles = visit.page.locator(".tiles").inner_text().split()
    assert {str(told["pages"]), str(told["relevant"])} <= {*tiles}


def values_under_the_pointer(visit: Visit) -> None:
    chart = visit.page.locator("svg.chart").first
    chart.hover()
    expect(visit.page.locator(".tooltip").first).to_contain_text("overall: ")
    before = visit.page.locator(".tooltip").first.inner_text()
    chart.focus()
    visit.page.keyboard.press("ArrowLeft")
    assert visit.page.locator(".tooltip").first.inner_text() != before
    visit.page.locator(".toggles button", has_text="overall").click()
    expect(visit.page.locator("svg.chart polyline").first).to_have_class(re.compile("off"))


def a_threshold_is_dragged(visit: Visit) -> None:
    page = visit.go("/runs/bees/pages")
    told = page.locator("[data-status]")
    expect(told).to_contain_text("judged pages")
    before = told.inner_text()
    page.locator("input[type=range]").fill("0.9")
    assert told.inner_text() != before
    page.keyboard.press("Tab")
    page.locator("main").click(position={"x": 1, "y": 1})
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.closest('[data-keys]') !== null")


def test_two_benchmarks_side_by_side(tmp_path: Path) -> None:
    for name, step in (("first", 3), ("second", 5)):
        bench(
            garden(tmp_path / "web" / name, step),
            "topic",
            ["best-first"],
            12,
            1,
            out=tmp_path / "shown" / name,
            workers=1,
        )
    with dashboard(tmp_path / "shown") as address, browser(address) as visit:
        visit.page.goto(address)
        visit.page.wait_for_url("**/runs")
        page = visit.go("/benchmarks")
        page.select_option("[name=a]", "first")
        page.select_option("[name=b]", "second")
        press(page, "Compare")
        expect(page.locator("#compared th").last).to_have_text("difference")
        shown = page.locator("figure img")
        assert shown.count() == 4
        assert check(page) == ""
        until(lambda: all(shown.nth(at).evaluate("image => image.naturalWidth") > 0 for at in range(4)))
        page.goto(write_bench_report(tmp_path / "shown" / "first").as_uri())
        page.evaluate("document.querySelectorAll('details').forEach(at => at.open = true)")
        assert check(page) == ""
        assert visit.strange == []
