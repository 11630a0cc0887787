"""A strategy's trace on a synthetic web is exactly what it was, and the file says why it last changed."""

from __future__ import annotations

import pytest

from tests.strategies import golden


@pytest.mark.parametrize("name", golden.names())
def test_trace_is_as_it_was(name: str) -> None:
    urls = golden.visited(name)
    was = golden.pinned().get(name)
    assert was is not None, "a new strategy: run `python -m tests.strategies.golden REASON`"
    assert was["reason"]
    assert (golden.digest(urls), len(urls), urls[-1]) == (was["digest"], was["pages"], was["last"])


def test_no_two_strategies_are_pinned_by_one_trace_alone() -> None:
    """What shares a digest on one web has others on another."""
    pinned = golden.pinned()
    traces = {name: [pinned[name]["digest"]] for name in pinned if name not in {*golden.FURTHER, *golden.MEDIA}}
    for title, name in (golden.FURTHER | golden.MEDIA).items():
        traces[name].append(pinned[title]["digest"])
    alike = [(a, b) for a in traces for b in traces if a < b and not set(traces[a]) ^ set(traces[b])]
    assert not alike
    assert len({tuple(found) for found in traces.values()}) == len(traces)
