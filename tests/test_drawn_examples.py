"""Tests over drawn inputs draw the same ones whatever else was imported before them."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st


def drawn() -> list[str]:
    found: list[str] = []

    @settings(derandomize=True, database=None, max_examples=300)
    @given(st.text())
    def note(text: str) -> None:
        found.append(text)

    note()
    return found


def test_a_module_more_draws_no_other_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = drawn()
    words = [f"a constant {number}" for number in range(1000)]
    (tmp_path / "module_of_constants.py").write_text(f"WORDS = {words!r}\n")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("module_of_constants")
    try:
        assert drawn() == before
    finally:
        del sys.modules["module_of_constants"]
