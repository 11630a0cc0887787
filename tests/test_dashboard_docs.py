"""docs/dashboard.md: its commands run as they stand, and its table has every page of the dashboard."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from opilio.web.app import routers

from .crawled import crawled

TEXT = (Path(__file__).parents[1] / "docs" / "dashboard.md").read_text(encoding="utf-8")
MAIN = [sys.executable, "-c", "from opilio.cli import main; main()"]
WRITTEN = "127.0.0.1:8765"  # the address that the page shows


@contextmanager
def served(line: str, folder: Path) -> Iterator[str]:
    """What a line of the page starts, on any free port; the address that it prints."""
    variable, _, words = line.partition(" opilio ")
    name, _, token = variable.partition("=")
    command = [*MAIN, *shlex.split(words), "--port", "0"]
    with subprocess.Popen(
        command, cwd=folder, env=os.environ | {name: token}, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr
        try:
            yield process.stderr.readline().rsplit(" ", 1)[1].strip()
        finally:
            process.send_signal(signal.SIGINT)
            assert process.wait(60) == 130


@pytest.mark.slow
def test_programs_get_the_runs_as_the_page_says(tmp_path: Path) -> None:
    crawled(tmp_path / "runs" / "bees")
    starts, asks = re.findall(r"^    (OPILIO_TOKEN=\S+ opilio serve .*|curl .*)$", TEXT, re.MULTILINE)
    _, option, header, url = shlex.split(asks)
    assert option == "-H"
    assert WRITTEN in url
    with served(starts, tmp_path) as address:
        name, _, value = header.partition(": ")
        here = urllib.request.Request(url.replace(WRITTEN, address.split("/")[2]), headers={name: value})
        with urllib.request.urlopen(here, timeout=60) as answer:
            found = json.load(answer)
    assert [run["name"] for run in found] == ["bees"]


def test_the_table_has_every_page() -> None:
    rows = {row.lower() for row in re.findall(r"^\| ([\w ]+) \|", TEXT, re.MULTILINE)}
    menu = {"runs", "new crawl", "benchmarks", "api", "story", "compare"}
    assert rows - {"page"} >= menu | {page.tab[0].lower() for page in routers() if page.tab}
