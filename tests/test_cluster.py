"""A crawl on a Ray cluster brings what one process brings, whatever dies, and becomes an ordinary run folder."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

import pytest
from benchmarks.crash import finite, reachable, seeds
from benchmarks.ray_nodes import Nodes, nodes, shard_pids
from typer.testing import CliRunner

from opilio import start
from opilio.cli.front import app
from opilio.config import Config
from opilio.engine.cluster import rays
from opilio.engine.cluster.driver import Cluster
from opilio.engine.cluster.objects import place
from opilio.engine.cluster.pull import config_of, figures, pull
from opilio.errors import ConfigError
from opilio.store.reader import reading
from opilio.synth.corpus import write
from opilio.synth.web import Web

from .test_archive import checked

if not find_spec("ray"):
    pytest.skip('no Ray: pip install "opilio[cluster]"', allow_module_level=True)
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
PATIENCE = 240.0  # seconds


@pytest.fixture(scope="module")
def cluster() -> Iterator[Nodes]:
    with nodes(2) as running:
        yield running


@pytest.fixture(scope="module")
def web() -> Web:
    return finite(500, 4)


@pytest.fixture(scope="module")
def corpus(web: Web, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus") / "web"
    write(web, folder, workers=1)
    return folder


@pytest.fixture(scope="module")
def state(cluster: Nodes, corpus: Path, web: Web, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A crawl of all of the corpus: one shard is killed on the way, then a machine with its disk."""
    url = str(tmp_path_factory.mktemp("state") / "run")
    told = {"seeds": seeds(web), "topic": "beekeeping", "strategy": "breadth-first", "max_barren": 0, "batch": 10}
    config = Config(
        corpus=str(corpus), max_pages=5000, engine="ray", address=cluster.address, state=url, shards=3, **told
    )
    pending: list[tuple[int, Callable[[], None]]] = [
        (100, cluster.kill),
        (150, cluster.add),
        (220, lambda: os.kill(shard_pids()[0], signal.SIGKILL)),
    ]
    assert crawled(config, pending) == "nothing left to fetch"
    assert not pending
    return url


def crawled(config: Config, pending: list[tuple[int, Callable[[], None]]], resumed: bool = False) -> str:
    """Crawl; after so many pages each, something happens."""
    deadline = time.monotonic() + PATIENCE
    with closing(Cluster(config, start.source, resumed=resumed)) as run:

        def watch() -> None:
            assert time.monotonic() < deadline, f"the crawl does not end: {run.standing()}"
            if pending and run.standing().pages >= pending[0][0]:
                pending.pop(0)[1]()

        return run.go(watch)


def stored(folder: Path) -> list[str]:
    with closing(reading(folder)) as db:
        return [url for (url,) in db.execute("SELECT url FROM pages ORDER BY url")]


def said(*words: object) -> str:
    result = CliRunner().invoke(app, list(map(str, words)))
    assert result.exit_code == 0, result.output
    return result.stdout


def test_nothing_is_lost_or_there_twice(state: str, web: Web, tmp_path: Path) -> None:
    folder = pull(state, tmp_path / "run")
    found = Counter(stored(folder))
    assert set(found) == reachable(web)
    assert max(found.values()) == 1
    checked(folder)
    told = figures(place(state))
    assert told["pages"] == len(found)
    assert told["why"] == "nothing left to fetch"
    assert told["restarts"] >= 2
    assert told["letters_on_their_way"] == 0


def test_what_was_pulled_is_an_ordinary_run_folder(state: str, web: Web, tmp_path: Path) -> None:
    folder, page = tmp_path / "run", web.seeds("beekeeping")[0]
    said("pull", state, folder)
    assert json.loads(said("status", state, "--json"))["pages"] == json.loads(said("status", folder, "--json"))["pages"]
    rows = [
        json.loads(row) for row in said("export", folder, "--format", "jsonl", "-o", "-", "--no-content").splitlines()
    ]
    assert len({row["number"] for row in rows}) == len(rows) > 300
    assert json.loads(said("search", folder, "beekeeping", "--json"))
    assert json.loads(said("explain", folder, page, "--json"))["state"] == "fetched"
    assert Path(said("report", folder).strip()).stat().st_size > 10_000
    refused = CliRunner().invoke(app, ["resume", str(folder)])
    assert "a crawl on a cluster has no run folder" in str(refused.exception)


def test_a_limit_ends_it_and_resume_goes_on_by_the_command(cluster: Nodes, corpus: Path, tmp_path: Path) -> None:
    """What the command prints is its own: nothing of Ray's log."""
    words = ["--corpus", corpus, "--topic", "beekeeping", "--strategy", "otie", "-s", "shards=2", "-s", "batch=10"]
    place_ = ["--engine", "ray", "--address", cluster.address, "--state", tmp_path / "state"]
    first = command("crawl", *words, *place_, "--max-pages", 60)
    assert first.returncode == 0, first.stderr
    assert "stopped: page limit: 60" in first.stderr
    assert f"opilio pull {tmp_path / 'state'} DIR" in first.stderr
    assert not [line for line in first.stderr.splitlines() if "ray" in line.lower() and "cluster" not in line]
    again = command("crawl", *words, *place_)
    assert (again.returncode, "there is a crawl already" in again.stderr) == (2, True)
    second = command("resume", tmp_path / "state", "--max-pages", 90)
    assert second.returncode == 0, second.stderr
    told = figures(place(str(tmp_path / "state")))
    assert (told["pages"], told["starts"], told["shards"]) == (90, 2, 2)


def command(*words: object) -> subprocess.CompletedProcess[str]:
    code = "from opilio.cli import main; main()"
    told = [sys.executable, "-c", code, *map(str, words)]
    return subprocess.run(told, capture_output=True, text=True, timeout=PATIENCE, check=False)


def test_what_is_missing_is_a_sentence(cluster: Nodes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    config = Config(corpus="synth:500:3", topic="beekeeping", engine="ray", address=cluster.address)
    with pytest.raises(ConfigError, match="the cluster has 2 machines and no state is given; name a place"):
        Cluster(config, start.source)
    monkeypatch.setattr(rays, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r'engine ray: this needs another package: pip install "opilio\[cluster\]"'):
        Cluster(config, start.source)
    with pytest.raises(Exception, match="no crawl is kept there"):
        config_of(place(str(tmp_path / "nothing")))
    assert CliRunner().invoke(app, ["pull", str(tmp_path / "nothing"), str(tmp_path / "run")]).exit_code == 1
