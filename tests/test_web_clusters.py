"""Crawls on clusters, as the dashboard shows them by the logs of their shards, and the terminal while they run."""

from __future__ import annotations

import re
import time
from io import StringIO
from pathlib import Path

from rich.console import Console
from starlette.testclient import TestClient
from typer.testing import CliRunner

from opilio.cli.cluster import line, panel
from opilio.cli.commands import app
from opilio.config import Config
from opilio.engine.cluster.driver import Standing
from opilio.engine.cluster.objects import CONFIG, place
from opilio.engine.cluster.shard_log import ShardLog
from opilio.web.app import application

TOKEN, PORT = "a-token-that-is-long-enough", 8765


def kept(folder: Path) -> str:
    """The state of a crawl of three shards, of which two have begun, one for the second time."""
    objects = place(str(folder))
    objects.put(CONFIG, Config(corpus="synth:500", topic="bees", engine="ray", shards=3).toml().encode())
    facts = {
        "pages": 1200,
        "relevant": 70,
        "waiting": 34_567,
        "posted": 90,
        "received": 80,
        "node": "0123456789",
        "time": time.time() - 7,
    }
    for shard in (0, 1, 1):
        log = ShardLog(objects, shard)
        log.open(1)
        log.append(facts=facts)
    return str(folder)


def shown(states: list[str], home: Path) -> str:
    client = TestClient(
        application([home], TOKEN, PORT, states=states),
        f"http://127.0.0.1:{PORT}",
        headers={"Authorization": f"Bearer {TOKEN}"},
    )
    answer = client.get("/clusters")
    assert answer.status_code == 200
    return re.sub(r"<[^>]+>|\s+", " ", answer.text)


def test_shards_machines_letters_lag_and_restarts_are_there(tmp_path: Path) -> None:
    text = shown([kept(tmp_path / "state"), str(tmp_path / "nothing")], tmp_path)
    for told in (
        "2,400 pages",
        "140 relevant",
        "69,134 URLs waiting",
        "3 shards on 1 machine,",
        "20 letters on their way",
    ):
        assert told in text
    assert "1 restart." in text
    assert re.search(r"1 01234567 2 1,200 70 34,567 90 80 4, +[78] s ago", re.sub(" +", " ", text))
    assert "no crawl is kept there" in text
    assert "Clusters" in shown([], tmp_path)


def test_the_terminal_shows_the_same_while_a_crawl_runs() -> None:
    now = Standing(2400, 140, 69_134, shards=3, at_work=2, nodes=1, letters=20, restarts=4, behind=1.25)
    with StringIO() as screen:
        Console(file=screen, width=120).print(panel(now, Config(max_pages=5000), lambda pages: 12.5))
        rows = [" ".join(row.split()) for row in screen.getvalue().splitlines()]
    assert rows == [
        "pages 2,400 of 5,000 (12.5/s) relevant 140",
        "waiting 69,134 URLs letters on their way 20",
        "shards at work 2 of 3 machines 1",
        "restarts 4 log behind 1.2 s",
    ]
    told = line(now, Config(max_pages=5000), lambda pages: 12.5)
    assert "2 of 3 shards at work on 1 machines; 20 letters on their way; log 1.2 s behind; 4 restarts" in told


def test_a_state_is_told_from_a_folder(tmp_path: Path) -> None:
    refused = CliRunner().invoke(app, ["serve", str(tmp_path / "nothing")])
    assert "there is no such folder" in str(refused.exception)
