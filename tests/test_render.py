"""Pages that need a browser, in a real one: what scripts write is read, and what they try stays without effect."""

from __future__ import annotations

import asyncio
import gzip
import os
import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from opilio.errors import ConfigError
from opilio.fetchers import chromium
from opilio.fetchers.chromium import Chromium, Shown
from opilio.fetchers.http.client import Answer, Transport
from opilio.fetchers.http.settings import TransportSettings
from opilio.fetchers.memory_of_processes import megabytes_of_marked
from opilio.fetchers.rendering import Rendering

from .doc_page import run_page
from .local_site import Content, LocalSite, Reply

CHROMIUM = os.environ.get("OPILIO_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        CHROMIUM is None, reason="no chromium, so no page is shown; install it (apt-get install chromium)"
    ),
]

CLIENT_SIDE = b"""<title>app</title><div id=app></div><script src="/app.js"></script>"""
APP = b"""fetch('/api/bees').then(r => r.json()).then(bees => { document.getElementById('app').innerHTML =
    '<h1>' + bees.name + '</h1><p>' + 'honey '.repeat(40) + '</p><a href="/hives">hives</a>'; })"""
SCROLLING = b"""<div id=list><p>item 0</p></div><script>let n = 0; window.addEventListener('scroll', () => { if (n < 3) { n++;
    const more = document.createElement('p'); more.style.height = '3000px'; more.innerHTML =
    'item ' + n + ' <a href="/item' + n + '">x</a>'; document.getElementById('list').append(more); } })</script>
    <div style="height: 3000px"></div>"""


@pytest.fixture(scope="module")
def site() -> Iterator[LocalSite]:
    with LocalSite({
        "/app": CLIENT_SIDE,
        "/app.js": Reply(APP, "text/javascript"),
        "/api/bees": Reply(b'{"name": "Bees of the world"}', "application/json"),
        "/scroll": SCROLLING,
        "/hives": b"<p>" + b"hives are made of wood " * 20 + b'<a href="/app">back</a><script>1</script>',
    }) as made:  # fmt: skip
        yield made


def settings(site: LocalSite) -> TransportSettings:
    return TransportSettings(allow_loopback=True, ports=frozenset([site.port]))


def show(site: LocalSite, path: str) -> Shown:
    """One page in a browser of its own."""

    async def look() -> Shown:
        transport, browser = Transport(settings(site)), Chromium("opilio")
        try:
            return await browser.show(await transport.get(f"{site.url}{path}"), transport.get)
        finally:
            await browser.close()
            await transport.close()
            assert megabytes_of_marked(browser._mark) == 0

    return asyncio.run(look())


def test_what_scripts_write_is_there_and_what_they_fetched_is_known(site: LocalSite) -> None:
    shown = show(site, "/app")
    assert "Bees of the world" in shown.html
    assert [answer.url.removeprefix(site.url) for answer in shown.answers] == ["/app.js", "/api/bees"]
    assert shown.error == ""


def test_a_page_that_grows_is_scrolled(site: LocalSite) -> None:
    assert show(site, "/scroll").html.count("item3") == 1


@pytest.fixture(scope="module")
def private() -> Iterator[LocalSite]:
    """Another port of this machine, which the crawl was not told to use."""
    with LocalSite({"/secret": Reply(b"secret", headers={"Access-Control-Allow-Origin": "*"})}) as made:
        yield made


ATTEMPTS = (
    "fetch('{0}/secret').then(r => r.text()).then(t => document.title = t).catch(e => document.title = 'refused')",
    "new WebSocket('{1}/secret')",
    "navigator.sendBeacon('{0}/secret', 'x')",
    "const i = document.createElement('iframe'); i.src = '{0}/secret'; document.body.append(i)",
    "const i = document.createElement('img'); i.src = '{0}/secret'; document.body.append(i)",
    "new EventSource('{0}/secret')",
    "window.open('{0}/secret'); document.write('<a href={0}/secret ping={0}/secret id=a>x</a>'); a.click()",
    "fetch('http://169.254.169.254/latest/').catch(e => document.title = 'refused')",
    "location.href = '{0}/secret'",
    "const f = document.createElement('form'); f.method = 'post'; f.action = '{0}/secret'; document.body.append(f); f.submit()",
    "const l = document.createElement('link'); l.rel = 'preconnect'; l.href = '{0}'; document.head.append(l)",
    "new RTCPeerConnection({{iceServers: [{{urls: 'stun:127.0.0.1:{2}'}}]}}).createOffer()",
)


def test_no_script_reaches_an_address_that_is_not_allowed(
    site: LocalSite, private: LocalSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chromium, "QUIET", 1.0)

    async def all_of_them() -> list[Shown]:
        transport, browser = Transport(settings(site)), Chromium("opilio")
        shown = []
        try:
            for attempt in ATTEMPTS:
                script = attempt.format(private.url, private.url.replace("http", "ws"), private.port)
                body = f"<body><p>before</p><script>{script}</script></body>".encode()
                first = Answer(f"{site.url}/attack", 200, {"content-type": "text/html"}, body)
                shown.append(await browser.show(first, transport.get))
        finally:
            await browser.close()
            await transport.close()
        return shown

    found = asyncio.run(all_of_them())
    assert private.asked == []
    assert "refused" in found[0].html
    assert "refused" in found[7].html
    assert found[8].left_for == f"{private.url}/secret"
    assert not any("<title>secret" in shown.html for shown in found)


HOSTILE = {
    "endless loop": "while (true) {}",
    "objects": "const all = []; while (true) all.push(new Array(1e5).fill(Math.random()))",
    "buffers": "const all = []; setInterval(() => { const b = new Uint8Array(2e8); b.fill(1); all.push(b) }, 10)",
    "requests": "let n = 0; setInterval(() => { for (let i = 0; i < 50; i++) fetch('/x' + n++) }, 1)",
    "popups": "alert(1); confirm(2); for (let i = 0; i < 30; i++) window.open('/hives')",
    "download": "const a = document.createElement('a'); a.download = 'x'; a.href = 'data:,bees'; a.click(); location.reload()",
}


def test_a_hostile_page_costs_itself_and_the_next_is_shown(site: LocalSite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chromium, "QUIET", 1.0)
    monkeypatch.setattr(chromium, "MEGABYTES", 600)

    async def all_of_them() -> dict[str, tuple[Shown, Shown]]:
        transport, browser = Transport(settings(site)), Chromium("opilio")
        found = {}
        try:
            good = await transport.get(f"{site.url}/app")
            for name, script in HOSTILE.items():
                body = f"<p>before</p><script>{script}</script>".encode()
                bad = Answer(f"{site.url}/bad", 200, {"content-type": "text/html"}, body)
                monkeypatch.setattr(chromium, "SECONDS", 3.0 if name == "endless loop" else 20.0)
                first = await browser.show(bad, transport.get)
                monkeypatch.setattr(chromium, "SECONDS", 60.0)
                found[name] = (first, await browser.show(good, transport.get))
        finally:
            await browser.close()
            await transport.close()
        return found

    before, folder = len(site.asked), set(Path.cwd().iterdir())
    begun = time.monotonic()
    found = asyncio.run(all_of_them())
    assert time.monotonic() - begun < 30 * len(HOSTILE)
    assert set(Path.cwd().iterdir()) == folder  # nothing was downloaded
    for name, (bad, good) in found.items():
        assert "Bees of the world" in good.html, name
        assert bad.error or "before" in bad.html, name
    assert found["endless loop"][0].error.startswith("browser: took longer")
    assert found["objects"][0].error.startswith("browser: ")
    assert found["buffers"][0].error.startswith("browser: ")
    assert len(site.asked) - before < 2 * chromium.MOST_REQUESTS


@pytest.mark.parametrize(
    "script", ["location = '/hives'", "location.replace('/hives')", "setTimeout(() => location = '/hives', 50)"]
)
def test_a_page_whose_script_leaves_it_is_a_redirect(site: LocalSite, tmp_path: Path, script: str) -> None:
    """It was the browser's page that says that the site cannot be reached."""
    site.pages["/leaving"] = f"<div id=app></div><script>{script}</script>".encode()
    run = site.crawl(tmp_path / "run", seeds=[f"{site.url}/leaving"], render="auto", max_pages=2)
    first, second = run.pages()
    assert (first.text, first.location, second.url) == ("", f"{site.url}/hives", f"{site.url}/hives")


def test_a_crawl_shows_pages_that_need_it_and_stores_what_came(site: LocalSite, tmp_path: Path) -> None:
    site.pages["/"] = b"<p>" + b"a page with text " * 20 + b'<a href="/app">app</a> <a href="/hives">hives</a>'
    site.asked.clear()
    plain = site.crawl(tmp_path / "plain")
    assert "/api/bees" not in site.paths()
    site.asked.clear()
    run = site.crawl(tmp_path / "run", render="auto", topic="bees")
    pages = {page.url.removeprefix(site.url): page for page in run.pages()}
    assert "Bees of the world" in pages["/app"].text  # as it is read from the archive, too
    assert [link.url for link in pages["/app"].links] == [f"{site.url}/hives"]
    assert "Bees of the world" not in "".join(page.text for page in plain.pages())
    assert "honey" in pages["/app"].markdown
    assert "x-opilio-rendered" not in pages["/hives"].headers  # it has text and links by itself
    assert site.paths().count("/app") == 1
    with closing(sqlite3.connect(run.folder / "state.db")) as db:
        files = {url.removeprefix(site.url) for (url,) in db.execute("SELECT url FROM files")}
    assert files == {"/robots.txt", "/app", "/app.js", "/api/bees"}
    records = gzip.decompress(next((run.folder / "archive").glob("*.warc.gz")).read_bytes())
    assert CLIENT_SIDE in records
    assert b"WARC-Target-URI: " + f"{site.url}/api/bees".encode() in records


def test_robots_txt_holds_inside_the_browser(tmp_path: Path) -> None:
    pages: dict[str, Content] = {
        "/": CLIENT_SIDE,
        "/app.js": Reply(APP, "text/javascript"),
        "/api/bees": Reply(b"{}", "application/json"),
    }
    with LocalSite({**pages, "/robots.txt": Reply(b"User-agent: *\nDisallow: /api/", "text/plain")}) as site:
        site.crawl(tmp_path / "run", render="always", max_pages=1)
        assert "/app.js" in site.paths()
        assert "/api/bees" not in site.paths()


def test_without_a_browser_one_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    Rendering("never", "opilio")
    monkeypatch.setattr(chromium, "program", lambda: "")
    with pytest.raises(ConfigError, match="apt-get install chromium"):
        Rendering("auto", "opilio")
    monkeypatch.setattr(chromium, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"opilio\[browser\]"):
        Rendering("always", "opilio")


def test_the_page_of_the_docs_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run_page("browser.md", tmp_path, monkeypatch)
    assert "Bees, written by a script" in capsys.readouterr().out
