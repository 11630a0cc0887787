"""Pages are read by many threads at once, as on the dashboard. Each test has its own process: a crash is a failure."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from opilio.fetchers.replay import Recorded, Replay
from opilio.html import walk
from opilio.html.places import LONGEST_CLASSES, MOST_PLACES

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
OFTEN = 1e-6  # seconds between two switches of threads, where Python waits 5 ms
HOME = "http://a.test/"
FRESH = 1000  # class names on a page that no other page has: for each of them Python runs in the middle of the page


def page(name: str, many: int = FRESH) -> bytes:
    """A page with class names of its own, short ones that are remembered and a long one that is not."""
    links = (f"<div class='{name}-{number}'><a href=/{number}>{name} {number}</a></div>" for number in range(many))
    return f"<!doctype html><p class='{name}{'x' * LONGEST_CLASSES}'><a href=/x>long</a>{''.join(links)}".encode()


def right(name: str) -> bool:
    """Whether such a page is read as it is written."""
    found = walk.gather(page(name))
    assert found
    expected = [f"html/body/div.{name}-{number}/a" for number in range(FRESH)]
    words = [f"{name} {number}" for number in range(FRESH)]
    return found.links.paths[1:] == expected and list(found.links.anchors)[1:] == words


def read_in_four_threads() -> None:
    sys.setswitchinterval(OFTEN)
    names = [f"c{number}" for number in range(5 * MOST_PLACES // FRESH)]  # all places are forgotten now and then
    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(right, names))


def look_at_copies(folder: str) -> None:
    """Eight clients read the stored copies of a crawl."""
    from starlette.testclient import TestClient

    from opilio.web.app import application

    sys.setswitchinterval(OFTEN)
    app = application([Path(folder)], "token", 8765)
    asked = TestClient(app, "http://127.0.0.1:8765", headers={"Authorization": "Bearer token"})
    copies = [f"/runs/run/copy/{number}" for number in range(1, 5)]
    with asked, ThreadPoolExecutor(8) as clients:
        alone = [asked.get(copy) for copy in copies]
        together = clients.map(asked.get, 4 * copies)
        assert [answer.status_code for answer in alone] == [200] * 4
        assert [answer.text for answer in together] == 4 * [answer.text for answer in alone]


def in_a_process(work: Callable[..., None], *words: str) -> None:
    script = f"import sys; from tests.test_threads import {work.__name__} as work; work(*sys.argv[1:])"
    done = subprocess.run([sys.executable, "-c", script, *words], cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]


def test_four_threads_read_pages() -> None:
    in_a_process(read_in_four_threads)


def test_eight_clients_look_at_hostile_pages(tmp_path: Path) -> None:
    pytest.importorskip("fastapi")
    from .crawled import crawled

    def answer(url: str) -> Recorded:
        """More places than are remembered, on four pages."""
        return Recorded(200, {"content-type": "text/html"}, page(f"page{url[-1]}", MOST_PLACES // 4))

    crawled(tmp_path / "run", Replay(answer), seeds=[HOME], max_pages=4)
    in_a_process(look_at_copies, str(tmp_path))
