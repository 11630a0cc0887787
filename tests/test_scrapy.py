"""A real Scrapy project on a local site, with our scheduler and with Scrapy's own: order, nothing lost, nothing twice."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from functools import partial
from pathlib import Path

import pytest
from scrapy import FormRequest, Request, Spider
from scrapy.http import HtmlResponse
from scrapy.settings import Settings
from scrapy.utils.test import get_crawler
from typer.testing import CliRunner

from opilio.cli.commands import app
from opilio.config import Config
from opilio.errors import ConfigError
from opilio.report.summary import summary
from opilio.scrapy import Addon, Observer, Scheduler
from opilio.scrapy.job import SETTINGS as ALLOWED
from opilio.scrapy.job import understood

from .scrapy_site import ADDON, PAGES, Site, crawl, is_about_bees, project, serving, visited
from .test_web import until

DOC = (Path(__file__).parents[1] / "docs" / "scrapy.md").read_text(encoding="utf-8")
BREADTH_FIRST = 'DEPTH_PRIORITY = 1\nSCHEDULER_MEMORY_QUEUE = "scrapy.squeues.FifoMemoryQueue"'
ODD = {"moved-here", "shy", "form", "made-by-the-spider", "lambda"}
ALL = {str(number) for number in range(PAGES)} | ODD


def finished(folder: Path, home: str, *more: str) -> str:
    process = crawl(folder, home, *more)
    _, said = process.communicate(timeout=300)
    assert process.returncode == 0, said
    return said


@pytest.mark.slow
def test_the_same_pages_as_scrapys_own_queue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving() as home:
        plain = project(tmp_path / "plain")
        finished(plain, home)
        ours = project(tmp_path / "ours", ADDON)
        said = finished(ours, home)
    assert set(visited(ours)) == set(visited(plain)) == ALL, said
    assert max(Counter(visited(ours)).values()) == 1
    assert said.count("a callback that fails") > 0  # whatever a callback raises is Scrapy's to report
    told = summary(ours / "job" / "opilio")
    assert (told["state"], told["why"]) == ("finished", "nothing left to fetch")
    assert told["errors"].keys() == {"http 404", "IgnoreRequest: Forbidden by robots.txt"}
    assert told["relevant"] > 40
    monkeypatch.chdir(ours)
    commands = re.findall(r"^    opilio (.*)$", DOC, re.MULTILINE)
    done = [CliRunner().invoke(app, command.split()) for command in commands]
    assert [one.exit_code for one in done] == [0, 0, 0]
    assert "/" in done[2].output


@pytest.mark.slow
def test_the_strategy_decides_on_the_order(tmp_path: Path) -> None:
    limit = ["-s", "CLOSESPIDER_PAGECOUNT=90", "-s", "CONCURRENT_REQUESTS=1"]
    found = {}
    with serving() as home:
        for name, more in (("plain", BREADTH_FIRST), ("ours", ADDON)):
            folder = project(tmp_path / name, more)
            finished(folder, home, *limit)
            found[name] = sum(is_about_bees(int(path)) for path in visited(folder)[:90] if path.isdigit())
    assert found["ours"] > 1.5 * found["plain"], found


def parsed(folder: Path, count: int) -> bool:
    return len(visited(folder)) >= count


@pytest.mark.slow
def test_a_killed_job_goes_on_and_nothing_is_lost(tmp_path: Path) -> None:
    folder = project(tmp_path, ADDON)
    with serving() as home:
        for number in range(1, 4):
            with crawl(folder, home, "-s", "DOWNLOAD_DELAY=0.005") as process:
                until(partial(parsed, folder, 40 * number), 120)
                process.kill()
        assert len(set(visited(folder))) < len(ALL)
        finished(folder, home)
    assert set(visited(folder)) >= ALL - {"lambda"}  # a lambda cannot be stored, nor by Scrapy
    done = json.loads(
        subprocess.run(
            [sys.executable, "-c", "from opilio.cli import main; main()", "status", str(folder / "job/opilio"), "--json"],
            capture_output=True, text=True, check=True,
        ).stdout
    )  # fmt: skip
    assert done["state"] == "finished"
    assert Site.asked["/0"] <= 2  # start requests are not fetched again each time


def opened(folder: Path, **settings: str) -> Scheduler:
    crawler = get_crawler(Spider, {"OPILIO_TOPIC": "bees", "JOBDIR": str(folder), **settings})
    crawler._apply_settings()
    scheduler = Scheduler.from_crawler(crawler)
    scheduler.open(Spider.from_crawler(crawler, name="x"))
    return scheduler


@pytest.mark.parametrize(
    "strategy", ["breadth-first", "otie", "opic", "link-context", "blend", "fish", "shark", "structure"]
)
def test_any_strategy_goes(tmp_path: Path, strategy: str) -> None:
    """The scheduler alone: requests in, requests out; what was in flight when it stopped comes again."""
    seen: list[str] = []
    for most in (4, 100):
        scheduler = opened(tmp_path, OPILIO_STRATEGY=strategy)
        for home in ("http://a.example/", "http://b.example/"):
            scheduler.enqueue_request(Request(home, dont_filter=True, meta={"is_start_request": True}))
        while (request := scheduler.next_request()) and len(seen) < most:
            seen.append(request.url)
            links = [Request(f"{request.url}{n}") for n in range(3)] if request.url.endswith("/") else []
            html = "".join(f'<a href="{link.url}">bees</a>' for link in links)
            assert all(map(scheduler.enqueue_request, scheduler.observe(response_to(request, html.encode()), links)))
        scheduler.close("shutdown")
    assert sorted(seen) == [f"http://{name}.example/{n}" for name in "ab" for n in ("", 0, 1, 2)]


def begun(scheduler: Scheduler) -> Request:
    scheduler.enqueue_request(Request("http://a.example/", meta={"is_start_request": True}))
    return handed_out(scheduler)


def handed_out(scheduler: Scheduler) -> Request:
    request = scheduler.next_request()
    assert request
    return request


def test_a_request_may_be_handed_out_before_the_engine_passes_it_on(tmp_path: Path) -> None:
    """Scrapy's engine may ask for the next request between the page and what came of it."""
    scheduler = opened(tmp_path)
    asked = [FormRequest("http://a.example/1", formdata={"a": "1"}), Request("http://a.example/1", dont_filter=True)]
    taken = scheduler.observe(response_to(begun(scheduler), b"<p>bees</p>"), asked)
    sent = [handed_out(scheduler), handed_out(scheduler)]
    assert all(map(scheduler.enqueue_request, taken))
    assert sorted(request.method for request in sent) == ["GET", "POST"]
    assert scheduler.next_request() is None
    scheduler.close("finished")


def test_an_errback_may_ask_again(tmp_path: Path) -> None:
    scheduler = opened(tmp_path)
    request = begun(scheduler)
    scheduler.fail(request, "timeout")
    assert not scheduler.enqueue_request(request)
    again = request.replace(dont_filter=True, meta={**request.meta, "is_start_request": False})
    assert scheduler.enqueue_request(again)
    assert handed_out(scheduler).url == request.url
    scheduler.close("finished")


def test_what_counts_as_new_each_time_is_tried_again_as_itself(tmp_path: Path) -> None:
    scheduler = opened(tmp_path)
    scheduler.enqueue_request(Request("http://a.example/", dont_filter=True))
    for _ in range(3):
        assert scheduler.enqueue_request(handed_out(scheduler))
    scheduler.observe(response_to(handed_out(scheduler), b"<p>bees</p>"), [])
    scheduler.close("finished")
    assert summary(tmp_path / "opilio")["pages"] == 1  # no redirects from a request to itself


def test_a_page_whose_callback_fails_at_once_is_done(tmp_path: Path) -> None:
    for wanted in ("http://a.example/", None):
        scheduler = opened(tmp_path)
        scheduler.enqueue_request(Request("http://a.example/", meta={"is_start_request": True}))
        request = scheduler.next_request()
        assert (request and request.url) == wanted
        if request:
            observer = Observer.from_crawler(scheduler.crawler)
            observer.process_spider_exception(response_to(request, b"<p>bees</p>"), ValueError("in a callback"))
        scheduler.close("shutdown")


def response_to(request: Request, html: bytes) -> HtmlResponse:
    return HtmlResponse(request.url, body=html, request=request, headers={"Content-Type": "text/html"})


def test_settings_that_mean_nothing_are_refused() -> None:
    assert understood({"OPILIO_TOPIC": "bees", "BOT_NAME": "x"}).topic == "bees"
    with pytest.raises(ConfigError, match="OPILIO_MAX_PAGES means nothing here"):
        understood({"OPILIO_MAX_PAGES": 5})
    with pytest.raises(ConfigError, match='did you mean "topic"'):
        understood({"OPILIO_TOPIK": "bees"})
    assert set(ALLOWED) <= set(Config.model_fields)


def test_the_page_names_every_setting() -> None:
    named = {name.lower() for name in re.findall(r"`OPILIO_(\w+)`", DOC)}
    assert named == set(ALLOWED)


def test_the_four_lines_of_the_page() -> None:
    told: dict[str, object] = {}
    exec(re.findall(r"```python\n(.*?)```", DOC, re.DOTALL)[0], told)
    lines = {name: value for name, value in told.items() if name.isupper()}
    assert len(lines) == 4
    assert understood(lines).strategy == "blend"
    assert lines["ADDONS"] == {f"{Addon.__module__.rpartition('.')[0]}.{Addon.__name__}": 100}
    settings = Settings()
    Addon().update_settings(settings)
    assert settings["SCHEDULER"] is Scheduler


def test_another_topic_needs_another_folder(tmp_path: Path) -> None:
    for _ in range(2):
        opened(tmp_path).close("finished")
    with pytest.raises(ConfigError, match="begun with topic = 'bees'"):
        opened(tmp_path, OPILIO_TOPIC="stones")


def test_without_the_extra_one_sentence_names_it() -> None:
    hidden = "import importlib.util as u; u.find_spec = lambda name: None; import opilio.scrapy"
    done = subprocess.run([sys.executable, "-c", hidden], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.endswith('install it with: pip install "opilio[scrapy]"\n')
