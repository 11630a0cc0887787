"""The recipes of docs/unattended.md: their commands run, and what reads them (sh, systemd) understands them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from opilio.cli import crawl as crawl_command
from opilio.cli.environment import from_environment
from opilio.config_file import load
from opilio.errors import INTERRUPTED

pytestmark = pytest.mark.slow

TEXT = (Path(__file__).parents[1] / "docs" / "unattended.md").read_text(encoding="utf-8")
SMALL = "--corpus synth:2000:3 --topic beekeeping -s model=words"


def block(kind: str, heading: str, number: int = 0) -> str:
    section = TEXT.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return str(re.findall(rf"```{kind}\n(.*?)```", section, re.DOTALL)[number])


def sh(command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """A command line of the page, with opilio on the path as after its installation."""
    bin = cwd / "bin"
    if not bin.exists():
        bin.mkdir()
        (bin / "opilio").write_text(
            f"#!/bin/sh\nexec {sys.executable} -c 'from opilio.cli import main; main()' \"$@\"\n"
        )
        (bin / "opilio").chmod(0o755)
    env = {**os.environ, "PATH": f"{bin}:{os.environ['PATH']}", "HOME": str(cwd)}
    return subprocess.run(["/bin/sh", "-c", command], cwd=cwd, env=env, capture_output=True, text=True, timeout=300)


def test_the_commands_of_the_page(tmp_path: Path) -> None:
    commands = re.findall(r"^    ((?:OPILIO|opilio).*)$", TEXT, re.MULTILINE)
    assert len(commands) == 4
    done = [sh(command, tmp_path) for command in commands]
    assert [one.returncode for one in done] == [0, 0, 0, 0], done
    events = [json.loads(line)["event"] for line in (tmp_path / "events.jsonl").read_text().splitlines()]
    assert events.count("page") == 50
    named = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (`\w+`(?:, `\w+`)*) \|", TEXT, re.MULTILINE))))
    assert set(events) <= named  # every event is described
    assert json.loads(done[3].stdout)["state"] == "finished"
    assert (done[1].stdout, done[1].stderr) == ("", "")
    assert "max_pages = 40" in (tmp_path / "runs" / "environment" / "config.toml").read_text()


def test_the_script_for_cron_begins_and_goes_on(tmp_path: Path) -> None:
    script = block("sh", "cron").replace("500", "20")
    (tmp_path / "grow.sh").write_text(script)
    (tmp_path / "crawl.toml").write_text('corpus = "synth:2000:3"\ntopic = "beekeeping"\nmodel = "words"\n')
    for pages in (20, 40):
        done = sh("sh grow.sh", tmp_path)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        assert json.loads(sh("opilio status runs/bees --json", tmp_path).stdout)["pages"] == pages


def test_the_line_for_cron(tmp_path: Path) -> None:
    line = block("cron", "cron").splitlines()[1]
    assert re.match(r"(\S+ ){5}cd \$HOME/bees && ", line)
    command = line.split(maxsplit=5)[5].replace("\\%", "%")
    (tmp_path / "bees").mkdir()
    (tmp_path / "bees" / "crawl.toml").write_text('corpus = "synth:2000:3"\ntopic = "beekeeping"\nmax_pages = 20\n')
    done = sh(command, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert len(list((tmp_path / "bees" / "runs").iterdir())) == 1


def test_the_unit_for_systemd(tmp_path: Path) -> None:
    unit = block("ini", "systemd")
    if verify := shutil.which("systemd-analyze"):
        path = tmp_path / "opilio-bees.service"
        path.write_text(unit)
        done = subprocess.run([verify, "verify", "--man=no", str(path)], capture_output=True, text=True)
        assert (done.returncode, done.stderr.strip()) == (0, "")
    variables = dict(re.findall(r"^Environment=(\w+)=(.*)$", unit, re.MULTILINE))
    assert len(from_environment(variables, print)) == len(variables)
    command = re.findall(r"^ExecStart=/bin/sh -c '(.*)'$", unit, re.MULTILINE)[0]
    begin = command.replace("--seed https://example.org/", f"{SMALL} --max-pages 20")
    for words, event in ((begin, "page"), (command, "start")):
        done = sh(words, tmp_path)
        assert done.returncode == 0, done.stderr
        assert event in [json.loads(line)["event"] for line in done.stderr.splitlines()]


def test_the_exit_codes_of_the_page() -> None:
    section = TEXT.split("\n## How it ended\n")[1].split("\n## ")[0]
    codes = {int(code) for code in re.findall(r"^\| (\d+) \|", section, re.MULTILINE)}
    known = {crawl_command.FAILED, crawl_command.LIMIT_REACHED, crawl_command.NOTHING_FOUND, INTERRUPTED}
    assert codes == known | {0, 2, 4}


def test_the_image_and_its_settings(tmp_path: Path) -> None:
    """No image is built here: its entry point is run with the words and the variables that the page gives it."""
    image = dict(re.findall(r"^([A-Z]+) (.*)$", block("dockerfile", "Containers"), re.MULTILINE))
    first, resume, status = block("sh", "Containers").splitlines()
    variables = dict(re.findall(r"-e (\w+)=('[^']*'|\S+)", first))
    found = from_environment({name: text.strip("'") for name, text in variables.items()}, print)
    assert load(None, {}, environment=found).seeds == ["https://example.org/"]
    entry = [*json.loads(image["ENTRYPOINT"]), *json.loads(image["CMD"])]
    begin = sh(f"OPILIO_MAX_PAGES=20 {' '.join(entry)} {SMALL}", tmp_path)
    assert begin.returncode == 0, begin.stderr
    for command in (resume, status):
        assert sh(command.split("/data ")[1], tmp_path).returncode == 0
