"""A crawl on a Ray cluster brings what one process brings, whatever dies, and becomes an ordinary run folder."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import time
import urllib.request
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

import pytest
from benchmarks.cluster.death import COMMAND, died, until
from benchmarks.cluster.letters import unlucky_source
from benchmarks.cluster.nodes import Nodes, nodes, shard_pids
from benchmarks.crash import finite, reachable, seeds
from typer.testing import CliRunner

from opilio import start
from opilio.cli.commands import app
from opilio.codec import unpack
from opilio.config import Config
from opilio.engine.cluster import rays
from opilio.engine.cluster.driver import Cluster
from opilio.engine.cluster.objects import place
from opilio.engine.cluster.pull import config_of, figures, pull
from opilio.errors import ConfigError
from opilio.store.reader import reading
from opilio.synth.corpus import write
from opilio.synth.web import Web

from .local_site import LocalSite
from .test_archive import checked

if not find_spec("ray"):
    pytest.skip('no Ray: pip install "opilio[cluster]"', allow_module_level=True)
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]
PATIENCE = 240.0  # seconds
PAGE = Path(__file__).parents[1] / "docs" / "cluster.md"


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
        (220, lambda: os.kill(next(iter(shard_pids(url).values())), signal.SIGKILL)),
    ]
    assert crawled(config, pending) == "nothing left to fetch"
    assert not pending
    return url


def crawled(config: Config, pending: list[tuple[int, Callable[[], None]]]) -> str:
    """Crawl, with letters that get lost, come twice and late; after this many pages each, something happens."""
    deadline = time.monotonic() + PATIENCE
    with closing(Cluster(config, unlucky_source)) as run:

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
    assert told["restarts"] >= 1  # Ray may have placed no shard on the machine that was killed
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
    labelled = judged(tmp_path)
    with started("resume", tmp_path / "state", "--max-pages", 200) as second:
        until(lambda: len(shard_pids(str(tmp_path / "state"))) == 2)
        os.kill(shard_pids(str(tmp_path / "state"))[0], signal.SIGKILL)
        out, err = second.communicate(timeout=PATIENCE)
    assert second.returncode == 0, err
    assert not [line for line in (out + err).splitlines() if "ray" in line.lower() and "cluster" not in line]
    told = figures(place(str(tmp_path / "state")))
    assert (told["pages"], told["starts"], told["shards"]) == (200, 2, 2)
    folder = pull(str(tmp_path / "state"), tmp_path / "end")
    with closing(reading(folder)) as db:
        heard = [part.execute("SELECT data FROM state WHERE name = 'topic told_'").fetchone() for part in db.shards]
        samples = [part.execute("SELECT data FROM state WHERE name = 'topic sample_'").fetchone() for part in db.shards]
    assert [list(unpack(data)) for (data,) in heard] == [[labelled], [labelled]]
    assert len(set.intersection(*(set(unpack(data)) for (data,) in samples))) > 100  # pages around, of both shards


def judged(scratch: Path) -> str:
    """Say of a page of a crawl on a cluster that it is about the topic, in a run folder that was pulled; its URL."""
    folder = pull(str(scratch / "state"), scratch / "half")
    with closing(reading(folder)) as db:
        url = db.shards[1].execute("SELECT url FROM pages WHERE file IS NOT NULL AND status = 200").fetchone()[0]
    said("label", folder, "--yes", url)
    return str(url)


def command(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *map(str, words)], capture_output=True, text=True, timeout=PATIENCE, check=False)


def started(*words: object) -> subprocess.Popen[str]:
    return subprocess.Popen([*COMMAND, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_the_commands_of_the_page(cluster: Nodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Machines are started as the tests' are; whatever `opilio` is told on the page is run, with places that there are."""
    from ray.scripts.scripts import start as ray_start

    told = re.findall(r"^    (ray start|opilio) (.*?)(?:   +.*)?$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    starts = [words for program, words in told if program == "ray start"]
    assert len(starts) == 2
    for words in starts:
        assert ray_start.make_context("start", shlex.split(words, comments=True))  # known to this version of Ray
    monkeypatch.setenv("OPILIO_ALLOW_NETWORKS", '["loopback"]')
    monkeypatch.setenv("OPILIO_DELAY", "0")
    monkeypatch.setenv("OPILIO_SHARDS", "2")
    with LocalSite({"/": b'<p>Beekeeping, <a href="/hives">hives</a>', "/hives": b"<p>Bees live in hives."}) as site:
        there = {"HOST:6379": cluster.address, "URL": f"{site.url}/", "s3://bucket/run": str(tmp_path / "state")}
        commands = [
            [there.get(word, word) for word in shlex.split(words.replace(" DIR", f" {tmp_path / 'run'}"))]
            for program, words in told
            if program == "opilio"
        ]
        assert [words[0] for words in commands] == ["crawl", "status", "pull", "serve", "resume"]
        for words in commands:
            if words[0] == "serve":
                assert "2 shards" in clusters_page(words)
            else:
                done = command(*words)
                assert done.returncode == 0, done.stderr
    assert stored(tmp_path / "run") == [f"{site.url}/", f"{site.url}/hives"]


def clusters_page(words: list[str]) -> str:
    """What the dashboard that a command starts says of crawls on clusters."""
    with started(*words, "--port", "0") as dashboard:
        assert dashboard.stderr
        address = dashboard.stderr.readline().rsplit(" ", 1)[1].strip()
        home, _, token = address.partition("/login#")
        asked = urllib.request.Request(f"{home}/clusters", headers={"Authorization": f"Bearer {token}"})
        try:
            with urllib.request.urlopen(asked, timeout=PATIENCE) as answer:
                return str(answer.read().decode())
        finally:
            dashboard.send_signal(signal.SIGINT)


POLITE = """
import os
from pathlib import Path
from opilio.strategies.breadth_first import BreadthFirst

class Noting(BreadthFirst):
    def start(self, seeds, pages):
        Path({there!r}, str(os.getpid())).write_text(str(os.getpriority(os.PRIO_PROCESS, 0)))
        return super().start(seeds, pages)
"""


def test_a_ray_of_its_own_has_the_priority_of_the_command(tmp_path: Path) -> None:
    (there := tmp_path / "there").mkdir()
    (tmp_path / "noting.py").write_text(POLITE.format(there=str(there)))
    words = ("--corpus", "synth:500:3", "--strategy", f"{tmp_path / 'noting.py'}:Noting", "--max-pages", "20")
    where = ("--engine", "ray", "--address", "local", "--state", str(tmp_path / "state"), "-s", "shards=2")
    done = command("crawl", *words, *where)
    assert done.returncode == 0, done.stderr
    own = str(os.getpriority(os.PRIO_PROCESS, 0))
    assert {path.read_text() for path in there.iterdir()} == {own}
    assert len(list(there.iterdir())) == 2


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


def test_the_whole_cluster_dies_with_all_disks_and_the_crawl_goes_on(tmp_path: Path) -> None:
    kept = died(finite(500, 5), str(tmp_path / "state"), 2, 2)
    assert kept.good, str(kept)
    assert kept.pages > 500
