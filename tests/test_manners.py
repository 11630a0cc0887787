"""The tables of manners that docs speak of: every case is right."""

from __future__ import annotations

import pytest
from benchmarks.manners import Row, answers, files, rests


def wrong(rows: list[Row], least: int) -> list[Row]:
    assert len(rows) >= least
    return [row for row in rows if not row.right]


def test_robots_files() -> None:
    assert wrong(list(files()), 150) == []


def test_answers_to_the_request_for_robots() -> None:
    assert wrong(list(answers()), 20) == []


@pytest.mark.slow
def test_rests() -> None:
    assert wrong(list(rests()), 20) == []
