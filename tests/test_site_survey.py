"""A site sampled over HTTP: `opilio structure --url`, and a crawl that starts from what it learned."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from opilio.synth.local_server import Response, port_of, serve
from tests.strategies.forum import HOME, Forum

pytestmark = pytest.mark.slow

FORUM = Forum(threads=120, users=30)
HERE = "http://127.0.0.1:{port}/"


def answer(url: str) -> Response:
    found = FORUM.pages.get(HOME + url.split("/", 3)[3])
    return (200, {"Content-Type": "text/html"}, found.body) if found else (404, {}, b"")


async def _told(words: list[str]) -> tuple[int, str, str]:
    async with await serve(answer) as server:
        said = [word.format(port=port_of(server)) for word in words]
        line = [sys.executable, "-c", "from opilio.cli import main; main()", *said]
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(*line, stdout=pipe, stderr=pipe)
        out, err = await process.communicate()
        return process.returncode or 0, out.decode(), err.decode()


def opilio(*words: str | Path) -> tuple[int, str, str]:
    """Runs while the forum is served; {port} in a word is where."""
    return asyncio.run(_told([str(word) for word in words]))


LOOPBACK = ("-s", "allow_networks=loopback", "-s", "delay=0")


def test_a_site_is_sampled_over_http_and_used_by_a_crawl(tmp_path: Path) -> None:
    file = tmp_path / "site.json"
    code, out, err = opilio("structure", "--url", HERE, "--pages", "80", "-o", file, *LOOPBACK)
    assert code == 0, err
    assert str(file.with_suffix(".html")) in out
    site = json.loads(file.read_text())
    assert site["pages"] == 80
    kinds = {kind["example"].split("/")[3] for kind in site["types"]}
    assert {"board", "t", "u"} <= kinds
    run = tmp_path / "run"
    start = ("--seed", HERE, "--strategy", f"structure(site={file})", "--max-pages", "60", "--out", run)
    code, out, err = opilio("crawl", *start, *LOOPBACK)
    assert code == 0, err
    assert "page limit: 60" in err


def test_this_machine_is_not_asked_unless_the_settings_say_so() -> None:
    code, _, err = opilio("structure", "--url", HERE)
    assert code == 4
    assert "127.0.0.1" in err
    assert "refused address" in err


def test_what_does_not_go_together_is_refused(tmp_path: Path) -> None:
    assert opilio("structure", "--url", HERE, "--corpus", tmp_path)[0] == 2
    assert opilio("structure", "--corpus", tmp_path, "-s", "delay=0")[0] == 2
    assert opilio("structure", "--url", "not a url")[0] == 2


def test_a_crawl_takes_its_example_for_the_page_type_that_is_wanted(tmp_path: Path) -> None:
    run = tmp_path / "run"
    words = ("--seed", HERE, "--example", HERE + "t/7", "--strategy", "structure(sample=40)", "--max-pages", "120")
    code, _, err = opilio("crawl", *words, "--out", run, *LOOPBACK)
    assert code == 0, err
    with closing(sqlite3.connect(run / "state.db")) as db:
        urls = [url for (url,) in db.execute("SELECT url FROM pages ORDER BY number")]
    later = [url.split("/")[3] for url in urls[60:]]
    assert later.count("t") > 0.8 * len(later)
