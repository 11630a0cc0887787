"""A strategy's trace on a made-up web is exactly what it was."""

from __future__ import annotations

import pytest

from opilio import registry
from tests.strategies import golden


@pytest.mark.parametrize("name", registry.strategies())
def test_trace_is_as_it_was(name: str) -> None:
    urls = golden.visited(name)
    was = golden.pinned().get(name)
    assert was is not None, "a new strategy: run `python -m tests.strategies.golden`"
    assert (golden.digest(urls), len(urls), urls[-1]) == (was["digest"], was["pages"], was["last"])
