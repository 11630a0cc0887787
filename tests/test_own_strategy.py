"""docs/own-strategy.md does what it says: its blocks are run one after the other, as a reader would."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[1] / "docs" / "own-strategy.md"
OPILIO = [sys.executable, "-c", "from opilio.cli import main; main()"]
MOST_LINES = 26  # of a strategy that is about twenty lines long


def blocks() -> list[tuple[str, str]]:
    """Language and text of each block of the page."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def output(words: list[str], folder: Path) -> str:
    done = subprocess.run(words, cwd=folder, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_the_page_can_be_followed_word_by_word(tmp_path: Path) -> None:
    (_, strategy), *rest = blocks()
    assert len(strategy.splitlines()) <= MOST_LINES
    (tmp_path / "own_strategy.py").write_text(strategy, encoding="utf-8")
    said = ""
    for language, text in rest:
        match language:
            case "python":
                said = output([sys.executable, "-c", text], tmp_path)
            case "sh":
                for line in text.splitlines():
                    command, *words = shlex.split(line)
                    assert command == "opilio"
                    said = output([*OPILIO, *words], tmp_path)
            case "text":
                assert set(text.splitlines()) <= set(said.splitlines())
    assert (tmp_path / "compared" / "report.html").is_file()
