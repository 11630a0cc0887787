"""A strategy's trace on a synthetic web is exactly what it was, and the file says why it last changed."""

from __future__ import annotations

import pytest

from opilio import registry
from tests.strategies import golden


@pytest.mark.parametrize("name", registry.strategies())
def test_trace_is_as_it_was(name: str) -> None:
    urls = golden.visited(name)
    was = golden.pinned().get(name)
    assert was is not None, "a new strategy: run `python -m tests.strategies.golden REASON`"
    assert was["reason"]
    assert (golden.digest(urls), len(urls), urls[-1]) == (was["digest"], was["pages"], was["last"])
