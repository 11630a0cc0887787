"""A local site and a Scrapy project for it: 240 pages in a ring with shortcuts, some of them about bees, and some odd ones."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

PAGES = 240
BEES = "honey bee hive queen nectar beekeeping colony brood pollen wax"
STONES = "granite quarry basalt stone marble slab mason mortar gravel"

SPIDER = """
import scrapy


class Site(scrapy.Spider):
    name = "site"

    def __init__(self, home, log, **named):
        super().__init__(**named)
        self.start_urls, self.log_file = [home], log

    def parse(self, response):
        with open(self.log_file, "a") as log:
            log.write(f"{response.url}\\n")
        yield {"url": response.url}
        for link in response.css("a::attr(href)").getall():
            yield response.follow(link, self.parse)
        if response.url.endswith("/7"):
            yield scrapy.FormRequest(response.urljoin("/form"), formdata={"a": "1"}, callback=self.parse)
            yield scrapy.Request(response.urljoin("/made-by-the-spider"), self.parse)
        if response.url.endswith("/9"):
            yield response.follow("/lambda", lambda other: self.parse(other))
            raise ValueError("a callback that fails")
"""
SETTINGS = """
BOT_NAME = "site"
SPIDER_MODULES = ["site_project.spiders"]
ROBOTSTXT_OBEY = True
DOWNLOAD_DELAY = 0
CONCURRENT_REQUESTS = 4
CONCURRENT_REQUESTS_PER_DOMAIN = 4
RETRY_PRIORITY_ADJUST = 0
TELNETCONSOLE_ENABLED = False
LOG_LEVEL = "ERROR"
"""
ADDON = """
ADDONS = {"opilio.scrapy.Addon": 100}
OPILIO_TOPIC = "beekeeping honey bee hive"
OPILIO_STRATEGY = "best-first"
JOBDIR = "job"
"""


def is_about_bees(number: int) -> bool:
    """A region of the ring, where each page links to the next ones."""
    return 150 <= number < 210


def page(number: int) -> str:
    following = [(number + step) % PAGES for step in (1, 2, 3)]
    far = [(number * 7 + 3) % PAGES, (number * 5 + 11) % PAGES]
    links = "".join(
        f'<p><a href="/{n}">{(BEES if is_about_bees(n) else STONES)[:14]} {n}</a></p>' for n in following + far
    )
    odd = (
        '<a href="/moved">m</a><a href="/missing">x</a><a href="/shy">s</a><a href="/forbidden">f</a>'
        if number == 3
        else ""
    )
    return f"<title>{number}</title><p>{(BEES if is_about_bees(number) else STONES) + ' '} {number}</p>{links}{odd}"


class Site(BaseHTTPRequestHandler):
    asked: ClassVar[Counter[str]] = Counter()

    def do_GET(self) -> None:
        Site.asked[self.path] += 1
        match self.path.strip("/"):
            case "robots.txt":
                self.answer(200, "User-agent: *\nDisallow: /forbidden\n", "text/plain")
            case "moved":
                self.answer(302, "", location="/moved-here")
            case "missing":
                self.answer(404, "not here")
            case "shy" if Site.asked[self.path] == 1:
                self.answer(503, "later")
            case name if name.isdigit():
                self.answer(200, page(int(name)))
            case name:
                self.answer(200, f"<title>{name}</title><p>{STONES}</p>")

    def do_POST(self) -> None:
        Site.asked[f"POST {self.path}"] += 1
        self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(200, "<p>posted</p>")

    def answer(self, status: int, body: str, kind: str = "text/html", location: str = "") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body.encode())))
        self.send_header("Connection", "close")  # else Scrapy may post to a connection that is just being closed
        if location:
            self.send_header("Location", location)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is said."""


@contextmanager
def serving() -> Iterator[str]:
    """The address of the site's first page."""
    Site.asked.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/0"
        finally:
            server.shutdown()


def project(folder: Path, more: str = "") -> Path:
    """A Scrapy project as `scrapy startproject` makes it."""
    (folder / "site_project" / "spiders").mkdir(parents=True)
    (folder / "scrapy.cfg").write_text("[settings]\ndefault = site_project.settings\n")
    (folder / "site_project" / "__init__.py").touch()
    (folder / "site_project" / "spiders" / "__init__.py").touch()
    (folder / "site_project" / "spiders" / "site.py").write_text(SPIDER)
    (folder / "site_project" / "settings.py").write_text(SETTINGS + more)
    return folder


def crawl(folder: Path, home: str, *more: str) -> subprocess.Popen[str]:
    """`scrapy crawl site` in a project."""
    words = [
        sys.executable,
        "-m",
        "scrapy",
        "crawl",
        "site",
        "-a",
        f"home={home}",
        "-a",
        f"log={folder / 'log'}",
        *more,
    ]
    return subprocess.Popen(words, cwd=folder, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True)


def visited(folder: Path) -> list[str]:
    """The paths of the pages that the spider has parsed, in order."""
    path = folder / "log"
    return [line.rpartition("/")[2] for line in path.read_text().split()] if path.exists() else []
