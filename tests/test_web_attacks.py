"""Attacks on the dashboard: nothing changes, nothing is rendered, nothing is loaded."""

from __future__ import annotations

import asyncio
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient
from starlette.types import Message

from opilio.fetchers.replay import Recorded, Replay
from opilio.web.app import application
from opilio.web.crawls import Crawls
from opilio.web.guard import LONGEST, POLICY

from .crawled import crawled

PORT, TOKEN = 8765, "the token"
ORIGIN = f"http://127.0.0.1:{PORT}"
BEARER = {"Authorization": f"Bearer {TOKEN}"}

EVIL = "<script src=//evil.test/x.js></script><img src=//evil.test/i onerror=alert(1)>\"'><b>bold</b>{{7919*7907}}"
LONG = "t" * 10_000_000
HOME = "http://a.evil.test/"
HOSTILE = "http://a.evil.test/%22%3E%3Cscript%3Ealert(1)%3C/script%3E?q=%3Cimg%20src=x%20onerror=alert(2)%3E&x='%22"
HOSTILE_LINK = quote(HOSTILE, safe=":/?&=%()")
ESCAPED = EVIL.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
PAGES = {
    HOME: f"<title>{ESCAPED}</title><p>honey bee hive {ESCAPED}</p><a href='{HOSTILE_LINK}'>{ESCAPED}</a>"
    "<a href=/long>honey bee</a>",
    HOSTILE: f"<title>{EVIL}</title><script>alert(3)</script><svg onload=alert(4)><p>honey bee hive<a href=/deep>{ESCAPED}</a>",
    "http://a.evil.test/long": f"<title>{LONG}</title><p>honey bee hive</p>",
}


def answer(url: str) -> Recorded | None:
    body = next((body for known, body in PAGES.items() if url.split("?")[0] == known.split("?")[0]), None)
    headers = {"content-type": "text/html; charset=utf-8", "x-evil": EVIL}
    return Recorded(200, headers, body.encode()) if body else None


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl of pages that mean harm."""
    home = tmp_path_factory.mktemp("hostile")
    crawled(home / "bees", Replay(answer), seeds=[HOME, HOSTILE], max_pages=10, topic="honey bee hive")
    return home


@pytest.fixture
def home(hostile: Path, tmp_path: Path) -> Path:
    shutil.copytree(hostile / "bees", tmp_path / "runs" / "bees")
    (tmp_path / "secret").mkdir()
    shutil.copytree(hostile / "bees", tmp_path / "secret" / "run")
    return tmp_path / "runs"


def client(home: Path, **headers: str) -> TestClient:
    return TestClient(application([home], TOKEN, PORT), ORIGIN, headers=headers, follow_redirects=False)


def contents(home: Path) -> dict[str, bytes]:
    """Every file below, but for what looking alone may leave behind."""
    left = re.compile(r"search\.db|state\.db-(shm|wal)|lock")
    return {str(path): path.read_bytes() for path in home.rglob("*") if path.is_file() and not left.match(path.name)}


POSTS = [
    ("/api/runs", {"name": "x", "settings": {"seeds": [HOME]}}),
    ("/api/runs/bees/labels", {"url": HOME, "relevant": False}),
    ("/api/runs/bees/pause", None),
    ("/api/runs/bees/resume", None),
    ("/api/runs/bees/stop", None),
    ("/runs/bees/act", None),
    ("/runs/bees/labels", None),
    ("/start", None),
]
GETS = [
    "/",
    "/runs",
    "/runs/bees",
    "/runs/bees/pages",
    "/runs/bees/frontier",
    "/runs/bees/labels",
    "/benchmarks",
    "/api",
    "/metrics",
    "/start",
    "/api/runs",
    "/api/runs/bees/pages",
    "/api/runs/bees/events",
    "/api/openapi.json",
    "/runs/bees/copy/1",
    "/nowhere",
]


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": "Bearer "},
        {"Authorization": f"Basic {TOKEN}"},
        {"Cookie": f"opilio_{PORT}={TOKEN}"},
        {"Cookie": f"opilio_{PORT}="},
    ],
    ids=["none", "wrong", "empty", "basic", "token as cookie", "empty cookie"],
)
def test_without_the_token_nothing_is_told_and_nothing_changes(home: Path, headers: dict[str, str]) -> None:
    before, asked = contents(home), client(home, **headers)
    for path in GETS:
        answer = asked.get(path)
        assert answer.status_code == 401, path
        assert "bees" not in answer.text
    for path, body in POSTS:
        assert asked.post(path, json=body).status_code == 401, path
    assert asked.get("/runs", headers={"Accept": "text/html"}).headers["location"] == "/login"
    assert contents(home) == before


@pytest.mark.parametrize(
    "host",
    [
        "evil.test",
        f"evil.test:{PORT}",
        "127.0.0.1",
        "127.0.0.1:1",
        f"127.0.0.1.evil.test:{PORT}",
        f"127.0.0.1:{PORT}@evil.test",
        "",
    ],
)
def test_another_host_name_is_not_served_even_with_the_token(home: Path, host: str) -> None:
    before, asked = contents(home), client(home, **BEARER)
    for path in ("/login", "/static/style.css", "/runs", "/api/runs"):
        assert asked.get(path, headers={"Host": host}).status_code == 421
    assert asked.post("/api/runs/bees/labels", json=POSTS[1][1], headers={"Host": host}).status_code == 421
    assert contents(home) == before


@pytest.fixture
def logged_in(home: Path) -> TestClient:
    """Somebody in a browser, with the cookie."""
    asked = client(home)
    answer = asked.post("/login", data={"token": TOKEN}, headers={"Origin": ORIGIN})
    assert answer.status_code == 303
    said = answer.headers["set-cookie"].lower()
    assert "httponly" in said
    assert "samesite=strict" in said
    assert TOKEN not in said
    assert asked.get("/runs").status_code == 200
    return asked


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "http://evil.test"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:9999"},
        {"Origin": f"https://127.0.0.1:{PORT}"},
        {"Origin": f"http://localhost:{PORT}"},
        {"Origin": ORIGIN, "Sec-Fetch-Site": "cross-site"},
        {"Origin": ORIGIN, "Sec-Fetch-Site": "same-site"},
    ],
)
def test_a_post_from_another_site_changes_nothing(
    home: Path, logged_in: TestClient, headers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Crawls, "learn", lambda self, folder: None)  # its process would outlive the test
    before = contents(home)
    for path, body in POSTS:
        assert logged_in.post(path, json=body, headers=headers).status_code == 403, path
    label = {"url": HOME, "answer": "no"}
    assert logged_in.post("/runs/bees/labels", data=label, headers=headers).status_code == 403
    assert contents(home) == before
    # The same from our own page does change something, so the attacks above were real ones.
    assert logged_in.post("/api/runs/bees/labels", json=POSTS[1][1], headers={"Origin": ORIGIN}).status_code == 201
    assert contents(home) != before


def test_another_site_may_not_read_either(logged_in: TestClient) -> None:
    answer = logged_in.get("/api/runs", headers={"Origin": "http://evil.test"})
    assert answer.status_code == 403
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("path", [path for path, _ in POSTS if not path.endswith(("/labels", "/runs", "/start"))])
def test_looking_changes_nothing(home: Path, method: str, path: str) -> None:
    before = contents(home)
    assert client(home, **BEARER).request(method, path).status_code in (404, 405)
    assert contents(home) == before


NAMES = [
    "%2e%2e",
    "../secret/run",
    "..%2fsecret%2frun",
    "%2e%2e%2fsecret%2frun",
    "bees/../../secret/run",
    "..%252fsecret%252frun",
    "%00",
    "bees%00",
    "%2e",
    "%2fetc%2fpasswd",
    "bees%2f..%2f..%2fsecret%2frun",
    "~",
    "..\\secret\\run",
]


@pytest.mark.parametrize("name", NAMES)
def test_no_name_leads_out_of_the_folder(home: Path, name: str) -> None:
    before, asked = contents(home.parent), client(home, **BEARER)
    for end in ("/pages", "/frontier", "/labels", "/copy/1", "/story?url=" + HOME, ""):
        answer = asked.get(f"/runs/{name}{end}")
        assert answer.status_code in (303, 307, 404, 405), (name, end)  # to /runs, where a browser walks up by itself
        assert "evil" not in answer.text
    assert asked.post(f"/api/runs/{name}/labels", json=POSTS[1][1]).status_code in (404, 405)
    assert asked.get(f"/benchmarks/{name}/harvest_rate.svg").status_code == 404
    assert asked.get(f"/static/{name}").status_code == 404
    assert contents(home.parent) == before


@pytest.mark.parametrize(
    "name", ["../x", "..", ".", "", "/tmp/x", "a/b", "-x", ".x", "x\n", "x" * 65, "x y", "ü", "bees"]
)
def test_no_name_for_a_new_run_leads_out_of_the_folder(home: Path, name: str) -> None:
    before = contents(home.parent)
    answer = client(home, **BEARER).post("/api/runs", json={"name": name, "settings": {"seeds": [HOME]}})
    assert answer.status_code == 400
    assert contents(home.parent) == before


OURS = ("key", "bar", "spark", "chart", "histogram", "map")  # classes of drawings that the dashboard makes


class Elements(HTMLParser):
    """Which tags a page has, and what they load or run."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.loads: list[str] = []
        self.handlers: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        self.tags.add("foreign svg" if tag == "svg" and told.get("class") not in OURS else tag)
        self.handlers += [name for name in told if name.startswith("on") or name == "style"]
        if tag in ("script", "img", "link", "iframe", "object", "embed", "form", "source", "video", "audio", "base"):
            self.loads += [str(told[name]) for name in ("src", "href", "action", "data", "srcset") if name in told]
        if tag == "a":
            self.handlers += [str(value) for name, value in attrs if name == "href" and _is_script(str(value))]


def _is_script(target: str) -> bool:
    return not target.startswith(("/", "?", "#", "http://", "https://"))


def test_nothing_that_was_crawled_becomes_a_part_of_a_page(hostile: Path) -> None:
    asked = client(hostile, **BEARER)
    pages = asked.get("/api/runs/bees/pages").json()["pages"]
    assert len(pages) >= 3
    assert any("<script" in page["title"] for page in pages)
    paths = [
        "/runs",
        "/runs/bees",
        "/runs/bees/pages",
        "/runs/bees/pages?order=relevance",
        "/runs/bees/frontier",
        "/runs/bees/labels",
        "/runs/bees/refused",
        "/runs/bees/delete",
        "/runs/bees/map",
        "/runs/bees/map?site=a.test",
        "/compare?run=bees&run=other",
    ]
    paths += [f"/runs/bees/copy/{page['number']}" for page in pages]
    paths += [f"/runs/bees/story?url={quote(page['url'], safe='')}" for page in pages]
    paths += [f"/runs/bees/pages?q={quote('honey ' + EVIL)}&site={quote(EVIL)}&language={quote(EVIL)}"]
    paths += [
        f"/runs/bees/pages?site={quote(EVIL)}",
        f"/runs/bees/pages?relevance={quote(EVIL)}",
        f"/runs/{quote(EVIL, safe='')}",
    ]
    paths += [
        f"/runs/bees/story?url={quote(HOME + EVIL)}",
        f"/benchmarks?a={quote(EVIL)}",
        f"/runs/bees/pages?genre={quote(EVIL)}",
    ]
    for path in paths:
        answer = asked.get(path)
        assert answer.headers["content-security-policy"] == POLICY
        assert answer.headers["x-content-type-options"] == "nosniff"
        if not answer.headers["content-type"].startswith("text/html"):
            continue
        seen = Elements()
        seen.feed(answer.text)
        assert "<b>bold" not in answer.text, path
        assert not seen.tags & {"foreign svg", "iframe", "object", "embed", "style", "base", "video"}, path
        assert all(target.startswith(("/", "?")) and not target.startswith("//") for target in seen.loads), (
            path,
            seen.loads,
        )
        assert not seen.handlers, (path, seen.handlers)
        assert "62615533" not in answer.text, path  # a template in a template stays text


def test_a_title_of_ten_megabytes_is_cut(hostile: Path) -> None:
    asked = client(hostile, **BEARER)
    number = next(
        page["number"] for page in asked.get("/api/runs/bees/pages").json()["pages"] if page["url"].endswith("/long")
    )
    for path in ("/runs", "/runs/bees", "/runs/bees/pages", "/runs/bees/labels", "/api/runs/bees/pages", "/metrics"):
        assert len(asked.get(path).content) < 100_000, path
    for path in (f"/runs/bees/copy/{number}", f"/runs/bees/story?url={HOME}long"):
        assert len(asked.get(path).content) < 500_000, path


def test_pictures_may_not_load_or_run(hostile: Path) -> None:
    answer = client(hostile, **BEARER).get("/runs/bees/drawing/0.svg")
    assert answer.status_code == 200
    assert answer.headers["content-security-policy"].startswith(
        "default-src 'none'; style-src 'unsafe-inline'; sandbox"
    )


def test_a_flood_is_refused(home: Path) -> None:
    asked = client(home)
    assert asked.post("/login", content=b"token=" + b"x" * 2_000_000, headers={"Origin": ORIGIN}).status_code == 413
    assert asked.post("/login", data={"token": "wrong"}, headers={"Origin": ORIGIN}).status_code == 403


def test_settings_of_a_new_crawl_are_values_and_never_options(home: Path) -> None:
    """What looks like an option of the command line is refused as a setting, or is the text of one."""
    for settings in ({"--out": "/tmp/x"}, {"topic": "--out=/tmp/x"}, {"seeds": ["--out=/tmp/x"]}, {"-s": "x"}):
        answer = client(home, **BEARER).post("/api/runs", json={"name": "new", "settings": settings})
        assert answer.status_code == 400
    assert not (home / "new").exists()


@pytest.mark.parametrize("path", [*(path for path, _ in POSTS), "/login"])
def test_a_body_without_end_is_not_read(home: Path, path: str) -> None:
    """Nor where nobody has shown a token yet."""
    pieces, statuses = 0, list[int]()

    async def receive() -> Message:
        nonlocal pieces
        pieces += 1
        return {"type": "http.request", "body": b"x" * 10_000, "more_body": True}

    async def send(message: Message) -> None:
        statuses.extend([message["status"]] if message["type"] == "http.response.start" else [])

    headers = {"host": f"127.0.0.1:{PORT}", "content-type": "application/json"}
    headers |= {} if path == "/login" else {"authorization": BEARER["Authorization"]}
    sent = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "query_string": b"",
        "headers": sent,
        "server": ("127.0.0.1", PORT),
    }

    async def ask() -> None:
        await application([home], TOKEN, PORT)({**scope, "scheme": "http", "http_version": "1.1"}, receive, send)

    asyncio.run(ask())
    assert pieces <= LONGEST / 10_000 + 1
    assert statuses == [413] or pieces <= 1
