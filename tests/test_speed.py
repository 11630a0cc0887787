"""What makes a crawl fast changes nothing but the time; and the benchmark of it says what was measured."""

from __future__ import annotations

import gc
import random
import sqlite3
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from benchmarks.speed_parts import PARTS as TIMED
from benchmarks.speed_table import FROM, TO, Measured, numbers, publish
from benchmarks.speed_web import HOSTS, LARGEST, LINKS, SMALLEST, Web

from opilio import urls
from opilio.frontier.disk.frontier import DiskFrontier
from opilio.frontier.memory import MemoryFrontier
from opilio.html import Document
from opilio.loop import trace
from opilio.nouns import Link, Offer, Page, Weight
from opilio.strategies.otie import Otie
from opilio.testing import small_web
from opilio.topics.logistic import Logistic
from opilio.urls import canonical

PARTS = [
    "http://", "https://", "HTTP://", "a.com", "127.0.0.1", "127.1", "a.com.", "a..b", "-a.com", "xn--a", "é",
    ":80", ":443", ":8080", ":", "/", "//", "/.", "/..", "/./", "/a", "/b.html", "/.a", "/a.",
    "~", "/%41", "?x=1", "#f", "@", "\\", " ",
]  # fmt: skip
BASES = ["", "http://a.com/x/y", "https://b.org:8443/", "http://a.com:80/q", "http://a.com?x", "x", "http://u@a.com/"]


@pytest.mark.parametrize(("owner", "name"), [place for places in TIMED.values() for place in places])
def test_every_part_that_is_timed_is_there(owner: object, name: str) -> None:
    assert callable(getattr(owner, name))


def test_urls_that_need_no_parsing_are_as_if_they_were_parsed() -> None:
    dice = random.Random(1)
    made = ["".join(dice.choices(PARTS, k=dice.randint(1, 5))) for _ in range(5000)]
    long = [start + "a" * count for start in ("http://a.com/", "/") for count in (urls.SHORT, urls.LONGEST)]
    some = [*PARTS, *long, *made]
    for url, base in product(some, BASES):
        assert canonical(url, base) == urls._parsed(url, base), (url, base)


def test_pages_leave_no_cycles_behind() -> None:
    def alive() -> int:
        return sum(type(thing) is Page for thing in gc.get_objects())

    usual = gc.get_threshold()
    gc.collect()
    gc.disable()
    before = alive()
    try:
        assert len(trace(Otie(small_web.Share()), small_web.fetcher(), small_web.seeds(), 100)) == 100
        after = alive()
    finally:
        gc.enable()
    assert after <= before + 5
    assert gc.get_threshold() == usual


@pytest.mark.parametrize("rows", [20, 200])
def test_our_regression_is_that_of_scikit_learn(rows: int) -> None:
    from sklearn.linear_model import LogisticRegression

    dice = np.random.default_rng(rows)
    dense = dice.random((rows, 60)) * (dice.random((rows, 60)) < 0.2)
    labels = (dense[:, 0] + dense[:, 1] + 0.3 * dice.standard_normal(rows) > 0.2).astype(float)
    theirs = LogisticRegression(C=100.0, max_iter=1000, tol=1e-10).fit(dense, labels)
    for given in (dense, sp.csr_matrix(dense)):
        ours = Logistic.fit(given, labels, 100.0)
        assert ours.weights == pytest.approx(theirs.coef_[0], abs=1e-5)
        assert ours.scores(given) == pytest.approx(theirs.decision_function(dense), abs=1e-4)


def test_known_all_says_what_known_says() -> None:
    db = sqlite3.connect(":memory:")
    frontiers = [MemoryFrontier(lambda lane: Weight(), "sum"), DiskFrontier(db, lambda lane: Weight(), "sum")]
    asked = [f"http://a.com/{number}" for number in range(300)]
    for frontier in frontiers:
        frontier.offer(Offer(Link(url), 1.0) for url in asked[:200])
        for lease in frontier.take(100):
            frontier.settle(lease, (lease.number, "kept") if lease.number % 2 else None)
        found = frontier.known_all(asked)
        assert found == [frontier.known(url) for url in asked]
        assert sum(said is not None for said in found) == 100
    db.close()


def test_the_web_of_the_benchmark_is_as_the_page_says() -> None:
    web = Web(200, 8080)
    hosts, reached = set(), {1}
    for number in range(1, 201):
        body = web.body(number)
        links = Document(body, web.url(number), "text/html").links
        assert len(links) == LINKS
        assert SMALLEST <= len(body) <= LARGEST + 2000
        assert {web.url(child) for child in (2 * number, 2 * number + 1) if child <= 200} <= {
            link.url for link in links
        }
        hosts.add(urls.host(web.url(number)))
        reached |= {2 * number, 2 * number + 1}
    assert len(hosts) == HOSTS
    assert reached >= set(range(1, 201))


def test_the_table_has_medians_and_ratios_of_rounds(tmp_path: Path) -> None:
    ours = [Measured(1000, 2.0, 4.0, 1e8), Measured(1000, 1.0, 4.0, 1e8), Measured(1000, 3.0, 4.0, 1e8)]
    theirs = [Measured(1000, 8.0, 9.0, 2e8), Measured(1000, 8.0, 9.0, 2e8), Measured(1000, 9.0, 9.0, 2e8)]
    text = numbers({"opilio otie + relevance": ours, "other": theirs}, 10_000.0, 1000, 32)
    assert "| opilio otie + relevance | 2.00 (1.00 to 3.00) | 250 (250 to 250) | 100 |" in text
    assert "| other | 4.0 (3.0 to 8.0) × |" in text
    page = tmp_path / "performance.md"
    page.write_text(f"before\n{FROM}old\n{TO}after\n")
    publish(page, text)
    found, wanted = (list(filter(None, part.splitlines())) for part in (page.read_text(), text))
    marks = [line for line in found if line.startswith("<!-- measured: make bench-speed | at ")]
    assert len(marks) == 2
    assert [line for line in found if line not in marks] == ["before", FROM.strip(), *wanted, TO.strip(), "after"]
