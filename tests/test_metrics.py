"""Metrics against answers worked out by hand, and the laws that all of them keep."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opilio.bench.metrics import metrics, names
from opilio.bench.metrics.sliding_harvest import WINDOW
from opilio.bench.truth import Truth

# a, b and c are relevant, a the seed; r is a redirect, x a dead link, o another page; o comes twice
TRACE = ["a", "r", "b", "o", "x", "o", "c"]
TRUTH = Truth(
    targets=frozenset("bc"),
    relevant=frozenset("abc"),
    budget=10,
    pages=frozenset("abcop"),
    types={"a": "thread", "b": "thread", "c": "list", "o": "thread", "p": "list"},
)
TAGS = Truth(frozenset("b"), frozenset("b"), 10, frozenset("abcop"), frozenset("abo"), TRUTH.types)

BY_HAND = [
    ("harvest_rate", TRUTH, [1, 1 / 2, 2 / 3, 2 / 4, 2 / 5, 2 / 6, 3 / 7]),
    ("harvest_rate", TAGS, [0, 0, 1 / 2, 1 / 3, 1 / 3, 1 / 4, 1 / 4]),
    ("judged_harvest", replace(TRUTH, judged=frozenset("ao")), [1, 1 / 2, 1 / 3, 2 / 4, 2 / 5, 2 / 6, 2 / 7]),
    ("target_recall", TRUTH, [0, 0, 1 / 2, 1 / 2, 1 / 2, 1 / 2, 1]),
    ("coverage", TRUTH, [1 / 3, 1 / 3, 2 / 3, 2 / 3, 2 / 3, 2 / 3, 1]),
    ("precision", TRUTH, [1, 1, 1, 2 / 3, 2 / 3, 2 / 3, 3 / 4]),
    ("valid_ratio", TRUTH, [1, 1 / 2, 2 / 3, 2 / 4, 2 / 5, 2 / 6, 3 / 7]),
    ("f_score", TRUTH, [0, 0, 4 / 7, 1 / 2, 4 / 9, 2 / 5, 3 / 5]),
    ("capture_ratio", TAGS, [1, 1 / 2, 2 / 3, 3 / 4, 3 / 5, 3 / 6, 3 / 7]),
    ("entropy", TRUTH, [0, 0, 0, 0, 0, 0, -(3 / 4 * math.log2(3 / 4) + 1 / 4 * math.log2(1 / 4))]),
    ("sliding_harvest", TRUTH, [1, 1 / 2, 2 / 3, 2 / 4, 2 / 5, 2 / 6, 3 / 7]),
    ("auc", TRUTH, [0, 0, 1 / 6, 1 / 4, 3 / 10, 1 / 3, 3 / 7, 4 / 8, 5 / 9, 6 / 10]),
]


@pytest.mark.parametrize(("name", "truth", "curve"), BY_HAND)
def test_by_hand(name: str, truth: Truth, curve: list[float]) -> None:
    assert metrics()[name](TRACE, truth) == pytest.approx(curve)


def test_every_metric_has_an_answer_by_hand() -> None:
    assert {name for name, _, _ in BY_HAND} == set(names())


def test_window_forgets_what_was_found_long_ago() -> None:
    truth = Truth(frozenset(), frozenset({"a", "b"}))
    curve = metrics()["sliding_harvest"](["a", *["o"] * (WINDOW - 1), "b", *["o"] * WINDOW], truth)
    assert curve[WINDOW - 1] == pytest.approx(1 / WINDOW)  # a is still in the window
    assert curve[WINDOW] == pytest.approx(1 / WINDOW)  # a went, b came
    assert curve[-1] == 0


def test_kinds_choose_their_metrics() -> None:
    assert {"harvest_rate", "target_recall", "f_score", "auc"} <= set(metrics("topic"))
    assert "capture_ratio" in metrics("tag")
    assert "capture_ratio" not in metrics("topic")
    assert "valid_ratio" in metrics("user-content")
    assert "judged_harvest" not in metrics("topic")
    assert {"harvest_rate", "judged_harvest"} <= set(metrics("topic", "judged"))


@pytest.mark.parametrize("name", names())
def test_formula_in_the_docstring(name: str) -> None:
    assert "(n) = " in (metrics()[name].__doc__ or "")


@pytest.mark.parametrize("name", names())
def test_nothing_fetched_and_nothing_to_find(name: str) -> None:
    assert metrics()[name]([], Truth(frozenset(), frozenset())) == []
    assert metrics()[name](["o"], Truth(frozenset(), frozenset())) == [0.0]


traces = st.lists(st.sampled_from("abcdefghij"), max_size=40)
truths = st.builds(
    lambda relevant, seeds, details, types: Truth(
        relevant - seeds, relevant, 20, frozenset("abcdefgh"), details | relevant if details else details, types
    ),
    st.frozensets(st.sampled_from("abcdef")),
    st.frozensets(st.sampled_from("ab")),
    st.frozensets(st.sampled_from("gh")),
    st.dictionaries(st.sampled_from("abcdefgh"), st.sampled_from(["list", "detail", "profile"])),
)


@given(traces, truths)
def test_within_bounds(trace: list[str], truth: Truth) -> None:
    for name, metric in metrics().items():
        most = math.log2(3) + 1e-9 if name == "entropy" else 1.0
        curve = metric(trace, truth)
        assert all(0 <= value <= most for value in curve)
        assert len(curve) == (max(len(trace), truth.budget) if name == "auc" else len(trace))


@given(traces, truths)
def test_what_was_found_stays_found(trace: list[str], truth: Truth) -> None:
    for name in ("target_recall", "coverage", "auc"):
        curve = metrics()[name](trace, truth)
        assert all(a <= b + 1e-12 for a, b in pairwise(curve))


@given(traces, truths)
def test_the_past_does_not_depend_on_the_future(trace: list[str], truth: Truth) -> None:
    half = trace[: len(trace) // 2]
    for name, metric in metrics().items():
        if name != "auc":
            assert metric(trace, truth)[: len(half)] == pytest.approx(metric(half, truth))


@given(traces, truths)
def test_finding_earlier_is_never_worse(trace: list[str], truth: Truth) -> None:
    early = sorted(trace, key=lambda page: page not in truth.targets)
    auc = metrics()["auc"]
    assert auc(early, truth)[-1] >= auc(trace, truth)[-1] - 1e-12


@given(traces, truths)
def test_entropy_is_the_formula(trace: list[str], truth: Truth) -> None:
    typed = [truth.types[page] for page in dict.fromkeys(trace) if page in truth.types]
    shares = [typed.count(kind) / len(typed) for kind in set(typed)]
    if trace:
        expected = -sum(share * math.log2(share) for share in shares)
        assert metrics()["entropy"](trace, truth)[-1] == pytest.approx(expected, abs=1e-9)
