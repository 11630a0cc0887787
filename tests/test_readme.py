"""The five commands of the README: a new user gets from nothing to a searchable collection with them."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

README = Path(__file__).parents[1] / "README.md"
MANUALS = README.parents[1] / "shared" / "corpora" / "docs"  # stands for the live web
OPILIO = [sys.executable, "-c", "from opilio.cli import main; main()"]


def commands(path: Path, heading: str) -> list[list[str]]:
    section = path.read_text(encoding="utf-8").split(f"## {heading}\n")[1].split("\n## ")[0]
    return [shlex.split(line) for line in re.findall(r"^    (\S.*)$", section, re.MULTILINE)]


def test_first_steps_explain_the_commands_of_the_readme() -> None:
    explained = commands(README.parent / "docs" / "first-steps.md", "Run a first crawl")
    assert explained == commands(README, "From nothing to a searchable collection")


@pytest.mark.skipif(not MANUALS.is_dir(), reason="no ../shared/corpora/docs beside the project")
def test_the_commands_of_the_first_screen(tmp_path: Path) -> None:
    screen = README.read_text(encoding="utf-8").split("<!-- compared")[0]
    install, crawl, report, search = [shlex.split(line) for line in re.findall(r"^    (\S.*)$", screen, re.MULTILINE)]
    assert install == ["pip", "install", "opilio"]
    recorded = [re.sub(r"^https://([^/]+)/.*", r"http://\1/index.html", word) for word in crawl[1:]]
    done = subprocess.run(
        [*OPILIO, *recorded, "--corpus", MANUALS], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    assert re.search(r"Found \d+ pages about full text search in 400 fetches", done.stderr)
    made = subprocess.run([*OPILIO, *report[1:]], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert "full text search" in (tmp_path / made.stdout.strip()).read_text(encoding="utf-8")
    hits = subprocess.run([*OPILIO, *search[1:]], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert "rank" in hits.stdout


@pytest.mark.slow
def test_five_commands_lead_to_a_searchable_collection(tmp_path: Path) -> None:
    first, *rest = commands(README, "From nothing to a searchable collection")
    assert first == ["pip", "install", "opilio"]
    assert len(rest) <= 4
    assert all(words[0] == "opilio" for words in rest)
    synth, (*serve, behind), crawl, search = (words[1:] for words in rest)
    assert behind == "&"
    subprocess.run([*OPILIO, *synth], cwd=tmp_path, check=True, capture_output=True)
    serve[serve.index("--port") + 1] = "0"  # the one in the text may be taken
    with subprocess.Popen([*OPILIO, *serve], cwd=tmp_path, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr
            said = "".join(server.stderr.readline() for _ in range(3))
            seed = crawl[crawl.index("--seed") + 1]
            assert f"--seed {seed} " in said  # the server names the page to start from
            place = said.split("serving on ")[1].split(",")[0]
            crawl = [f"fetch_to={place}" if word.startswith("fetch_to=") else word for word in crawl]
            subprocess.run([*OPILIO, *crawl], cwd=tmp_path, check=True, capture_output=True)
        finally:
            server.terminate()
    done = subprocess.run([*OPILIO, *search, "--json"], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert '"total": 0' not in done.stdout
    assert "queen" in done.stdout.lower()
