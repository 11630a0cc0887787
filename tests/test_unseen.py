"""How second views among the fetched pages are counted, and what is made of the recalls of strategies on unseen sites."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from benchmarks.structure import type_of
from benchmarks.unseen import over_draws, paragraphs, summary, views, with_error, written

from opilio.bench.agreement import Agreement


def test_a_second_address_of_a_thread_is_a_second_view(tmp_path: Path) -> None:
    corpus = written("vbulletin", tmp_path / "site", 1)
    threads = [url for url in corpus.urls if "showthread.php?t=" in url and "page=" not in url]
    text = {url: paragraphs(corpus.page(url)) for url in threads[:20]}
    assert all(text.values())
    posts = [url for url in corpus.urls if "showthread.php?p=" in url]
    again = next(url for url in posts if paragraphs(corpus.page(url)) in text.values())
    first = next(url for url in threads[:20] if text[url] == paragraphs(corpus.page(again)))
    assert views(corpus, [first, again], {}) == (0.5, 0.0)
    assert views(corpus, threads[:20], {}) == (0.0, 0.0)
    ordered = [url for url in corpus.urls if "sort=" in url][:1]
    boards = [url for url in corpus.urls if type_of(corpus, url) == "board"]
    assert views(corpus, ordered, {})[1] == 0.0  # it leads to threads that nothing led to before
    assert views(corpus, [*boards, *ordered], {})[1] == pytest.approx(1 / (len(boards) + 1))


def test_means_leave_out_what_a_strategy_cannot_do() -> None:
    found = {"a thread": [0.8, 0.2, 1.0], "b thread": [0.6, 0.4, 0.6], "a user content": [0.3, float("nan"), 0.6]}
    means = summary(found)
    assert [round(value, 3) for value in means["mean of types"]] == [0.7, 0.3, 0.8]
    assert round(means["of the oracle's, types"][0], 3) == 0.875
    assert means["of the oracle's, user content"][0] == 0.5
    assert math.isnan(means["mean of user content"][1])


def test_a_mean_over_examples_has_its_standard_error() -> None:
    assert with_error([0.9, 0.9, 0.9]) == "0.900 (0.000)"
    assert with_error([0.8, 1.0, 0.8, 1.0]) == "0.900 (0.058)"


def test_a_mean_over_draws_has_the_least_and_the_most() -> None:
    fields = Agreement._fields
    draws = [(Agreement(*[0.0] * len(fields)), Agreement(*[value] * len(fields))) for value in (0.4, 0.8)]
    assert over_draws(draws).split("   ")[1:] == [
        "0.600 / 0.600 / 0.600",
        "(0.400 / 0.400 / 0.400 to 0.800 / 0.800 / 0.800)",
    ]
