"""Runs a page of the docs from its first line to its last: commands of opilio, and blocks of Python."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from opilio.cli.commands import app

DOCS = Path(__file__).parents[1] / "docs"
STEP = re.compile(r"^    opilio (?P<words>\S[^\n]*)$|^```python\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)


def run_page(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Run what stands there, in a folder of its own; what each step printed."""
    monkeypatch.chdir(folder)
    names: dict[str, Any] = {}
    return [_step(found, names) for found in STEP.finditer((DOCS / name).read_text(encoding="utf-8"))]


def _step(found: re.Match[str], names: dict[str, Any]) -> str:
    if found["code"]:
        exec(compile(found["code"], "page", "exec"), names)
        return ""
    words = shlex.split(found["words"], comments=True)
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, f"{words}: {done.output} {done.exception}"
    return done.output
