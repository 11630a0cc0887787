"""A crawl that nobody watches: what it says and where, settings by the environment, exit codes, who runs and who was killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from opilio.cli.crawl import exit_code
from opilio.cli.environment import from_environment
from opilio.cli.journal import taking_down
from opilio.config_file import load
from opilio.errors import ConfigError
from opilio.report.run_state import run_state, state_at_rest
from opilio.store.lock import is_running, lock

from .crawled import crawled
from .test_signals import stored
from .test_web import until

MAIN = [sys.executable, "-c", "from opilio.cli import main; main()"]
WEB = ["--corpus", "synth:20000:3", "--topic", "beekeeping", "-s", "model=words"]


def opilio(*words: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*MAIN, *map(str, words)], capture_output=True, text=True, env={**os.environ, **variables}, timeout=120
    )


def events(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def test_events_are_json_lines_and_the_figures_one_document(tmp_path: Path) -> None:
    done = opilio("crawl", *WEB, "--max-pages", "30", "--out", tmp_path / "run", "--json")
    assert done.returncode == 0, done.stderr
    told, figures = events(done.stderr), json.loads(done.stdout)
    assert [one["event"] for one in told if one["event"] not in ("message", "page")] == ["start", "stop"]
    assert len([one for one in told if one["event"] == "page"]) == figures["pages"] == 30
    stop = next(one for one in told if one["event"] == "stop")
    assert stop["why"] == "page limit: 30"
    assert stop["figures"] == figures
    more = opilio("resume", tmp_path / "run", "--max-pages", "40", "--json")
    pages = [one["number"] for one in events(more.stderr) if one["event"] == "page"]
    assert pages == list(range(31, 41))  # those of this call alone


@pytest.mark.slow
def test_quiet_prints_nothing_and_the_log_file_has_it_all(tmp_path: Path) -> None:
    log = tmp_path / "log"
    done = opilio("crawl", *WEB, "--max-pages", "20", "--out", tmp_path / "run", "--quiet", "--log-file", log)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert "stopped: page limit: 20" in log.read_text()
    again = opilio("crawl", *WEB, "--out", tmp_path / "run", "--quiet", "--log-file", log)
    assert again.returncode == 2
    assert again.stderr.startswith("opilio: ")  # what goes wrong is said all the same
    assert again.stderr.strip() in log.read_text()


@pytest.mark.slow
def test_a_stopped_crawl_gives_its_summary(tmp_path: Path) -> None:
    """SIGTERM is what systemd, docker and kill send."""
    folder = tmp_path / "run"
    words = [*MAIN, "crawl", *WEB, "--max-pages", "15000", "--out", str(folder), "--json"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        until(lambda: stored(folder) > 20, 120)
        assert run_state(folder) == "running"
        process.send_signal(signal.SIGTERM)
        out, said = process.communicate(timeout=120)
    assert process.returncode == 130
    figures = json.loads(out)
    assert figures["pages"] == stored(folder)
    assert figures["state"] == "interrupted"
    assert [one["why"] for one in events(said) if one["event"] == "stop"] == ["interrupted"]


@pytest.mark.slow
def test_a_killed_crawl_is_told_from_one_that_runs(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with subprocess.Popen([*MAIN, "crawl", *WEB, "--max-pages", "15000", "--out", str(folder), "--quiet"]) as process:
        until(lambda: stored(folder) > 20, 120)
        assert run_state(folder) == "running"
        process.kill()
    assert run_state(folder) == "killed"
    assert json.loads(opilio("status", folder, "--json").stdout)["state"] == "killed"


def test_states_of_a_crawl_that_ended(tmp_path: Path) -> None:
    assert run_state(crawled(tmp_path / "done", max_pages=20)) == "finished"
    (tmp_path / "done" / "manifest.json").unlink()
    assert run_state(tmp_path / "done") == "not begun"


@pytest.mark.parametrize(
    ("facts", "state"),
    [
        ({}, "not begun"),
        ({"started": "now"}, "killed"),
        ({"started": "now", "stopped": "now", "why": "interrupted"}, "interrupted"),
        ({"started": "now", "stopped": "now", "why": "stopped by hand"}, "interrupted"),
        (
            {"started": "now", "stopped": "now", "why": "nothing could be fetched (nothing left to fetch)"},
            "fetched nothing",
        ),
        ({"started": "now", "stopped": "now", "why": "page limit: 20"}, "finished"),
    ],
)
def test_states_go_by_the_last_note(facts: dict[str, str], state: str) -> None:
    assert state_at_rest(facts) == state


def test_looking_at_a_lock_changes_nothing(tmp_path: Path) -> None:
    assert not is_running(tmp_path)
    assert not (tmp_path / "lock").exists()
    with lock(tmp_path):
        assert is_running(tmp_path)
        with pytest.raises(ConfigError, match="another process"):
            lock(tmp_path)
    assert not is_running(tmp_path)
    assert (tmp_path / "lock").read_text() == f"{os.getpid()}\n"


def test_a_log_file_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ConfigError, match=r"--log-file .*Is a directory"), taking_down(False, False, tmp_path):
        pass
    with taking_down(True, False, Path("/dev/full")) as journal:
        journal.say("one")
        journal.say("two")
    assert capsys.readouterr().err.count("goes on without it") == 1


def test_settings_by_the_environment() -> None:
    said: list[str] = []
    variables = {"OPILIO_MAX_PAGES": "7", "OPILIO_TOPIC": "bees", "OPILIO_MAXPAGES": "8", "OPILIO_TOKEN": "x",
                 "OPILIO_PORT_80_TCP": "tcp://10.0.0.1:80", "OPILIO_HOSTS": '["a.example"]'}  # fmt: skip
    found = from_environment(variables, said.append)
    assert found == {"max_pages": 7, "topic": "bees", "hosts": ["a.example"]}
    assert len(said) == 1
    assert "did you mean OPILIO_MAX_PAGES?" in said[0]
    assert load(None, {"topic": "honey"}, starts=False, environment=found).topic == "honey"
    with pytest.raises(ConfigError, match=r"^environment, OPILIO_MAX_PAGES: max_pages = 0 is not allowed"):
        load(None, {}, starts=False, environment={"max_pages": 0})


def test_the_environment_goes_between_file_and_command_line(tmp_path: Path) -> None:
    (tmp_path / "crawl.toml").write_text('max_pages = 3\ntopic = "bees"\nbatch = 5\n')
    told = opilio(
        "config", "show", tmp_path / "crawl.toml", "--changed", "-s", "batch=9", OPILIO_MAX_PAGES="4", OPILIO_BATCH="6"
    )
    assert [line.split("  #")[0] for line in told.stdout.splitlines()] == [
        'topic = "bees"',
        "max_pages = 4",
        "batch = 9",
    ]


@pytest.mark.parametrize(
    ("why", "relevant", "topic", "code"),
    [
        ("page limit: 20", 3, True, 0),
        ("nothing left to fetch", 3, True, 0),
        ("nothing left to fetch", 0, True, 5),
        ("nothing left to fetch", 0, False, 0),
        ("time limit: 20 s", 3, True, 3),
        ("byte limit: 20", 0, True, 5),
        ("nothing could be fetched (nothing left to fetch)", 0, True, 1),
        ("interrupted", 0, True, 130),
    ],
)
def test_exit_codes_tell_nothing_fetched_from_nothing_found(why: str, relevant: int, topic: bool, code: int) -> None:
    assert exit_code(why, {"relevant": relevant}, topic) == code


@pytest.mark.slow
def test_nothing_found_is_said_though_quiet(tmp_path: Path) -> None:
    words = ["--corpus", "synth:2000:3", "--topic", "zebrafish xylophone", "--max-pages", "20", "--quiet"]
    done = opilio("crawl", *words, "--out", tmp_path / "run")
    assert done.returncode == 5
    assert done.stderr.startswith("nothing found: none of the 20 pages")
    assert done.stdout == ""
