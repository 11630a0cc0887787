"""Commands whose standard streams are closed, full, or in an encoding that lacks letters."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from opilio.synth.corpus import write
from opilio.synth.web import Web

MAIN = f"exec {sys.executable} -c 'from opilio.cli import main; main()'"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("streams")
    write(Web(500, 1), folder / "web")
    done = shell(f"crawl --corpus {folder}/web --topic beekeeping --max-pages 30 --out {folder}/run")
    assert done.returncode == 0, done.stderr
    return folder / "run"


def shell(words: str, **around: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-c", f"{MAIN} {words}"],
        capture_output=True,
        text=True,
        errors="replace",
        env={**os.environ, **around},
        timeout=120,
    )


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("words", ["--version", "status RUN", "label RUN", "search RUN honey"])
def test_closed_streams_do_no_harm(run: Path, words: str, closed: str) -> None:
    done = shell(f"{words.replace('RUN', str(run))} {closed}")
    assert "Traceback" not in done.stdout + done.stderr
    assert done.returncode == 0


def test_no_file_gets_the_number_of_a_closed_stream(tmp_path: Path) -> None:
    asked = "from opilio.system.standard_streams import make_sound; make_sound(); "
    told = f'file = open("{tmp_path}/number", "w"); file.write(str(file.fileno()))'
    line = f"{sys.executable} -c '{asked}{told}' <&- >&- 2>&-"
    subprocess.run(["bash", "-c", line], check=True, timeout=60)
    assert int((tmp_path / "number").read_text()) > 2


def test_a_crawl_goes_on_though_nobody_can_read_its_messages(run: Path, tmp_path: Path) -> None:
    web = run.parent / "web"
    done = shell(f"crawl --corpus {web} --topic beekeeping --max-pages 30 --out {tmp_path}/run 2>/dev/full")
    assert done.returncode == 0
    assert "harvest rate" in done.stdout


def test_letters_that_an_encoding_lacks_are_written_as_others(run: Path) -> None:
    done = shell(f"search {run} the", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "Traceback" not in done.stderr
