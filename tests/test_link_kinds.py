"""What links of a kind have brought."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opilio.learning import link_kinds
from opilio.learning.link_kinds import learn, observed, parts, worth
from opilio.nouns import Link, Offer, Page, Reweigh
from opilio.strategies.link_context_plus import LinkContextPlus
from opilio.testing import small_web


def link(url: str, path: str = "html/body/a") -> Link:
    return Link(url, source="http://a.test/", path=path)


def test_parts_say_where_it_stands_and_where_it_leads() -> None:
    assert parts(link("http://a.test/wiki/Bee.HTML?x=1.php", "html/body/p/a.more")) == (
        "path html/body/p/a.more",
        "host a.test",
        "folder a.test/wiki",
        "type html",
    )


@pytest.mark.parametrize(
    "url", ["http://a.test/", "http://a.test/page", "http://a.test:8080/x/", "http://a.test/a/b/c"]
)
def test_parts_of_any_url(url: str) -> None:
    assert len(parts(link(url))) == 4


def test_before_anything_is_known_all_kinds_are_alike() -> None:
    assert worth({}, parts(link("http://a.test/x/1"))) == worth({}, parts(link("http://b.test/y/2"))) == 0.5


def test_kinds_that_bring_nothing_fall_and_relatives_fall_with_them() -> None:
    table: link_kinds.Table = {}
    good, dead = (
        parts(link("http://a.test/wiki/1.htm")),
        parts(link("http://a.test/images/1.jpg.htm", "html/div.thumb/a")),
    )
    for _ in range(20):
        learn(table, good, 0.9)
        learn(table, dead, 0.0)
    relative = parts(link("http://a.test/images/2.png", "html/div.thumb/a"))
    stranger = parts(link("http://c.test/c/d.php", "html/nav/a"))
    assert worth(table, dead) < 0.05 < worth(table, stranger) < worth(table, good)
    assert worth(table, relative) < 0.1


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(0, 1)), max_size=60))
def test_worth_is_a_share(seen: list[tuple[int, float]]) -> None:
    table: link_kinds.Table = {}
    for kind, brought in seen:
        learn(table, parts(link(f"http://h{kind % 2}.test/f{kind}/x")), brought)
    for kind in range(4):
        assert 0.0 <= worth(table, parts(link(f"http://h{kind % 2}.test/f{kind}/x"))) <= 1.0


def test_the_table_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_kinds, "MOST", 10)
    table: link_kinds.Table = {}
    for number in range(50):
        learn(table, parts(link(f"http://h{number}.test/x{number}/y")), 1.0)
    assert len(table) == 10
    assert table[""][0] == 50


def test_kinds_without_end_share_lanes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_kinds, "MOST_LANES", 10)
    lanes = link_kinds.Lanes()
    links = [link(f"http://h{number % 5}.test/x{number}/y") for number in range(50)]
    first = [lanes.of(one) for one in links]
    assert first[:10] == [parts(one) for one in links[:10]]
    assert set(first[10:]) == {("path", f"host h{number}.test", "folder", "type") for number in range(5)}
    assert [lanes.of(one) for one in links] == first
    others = [lanes.of(link(f"http://other{number}.test/y")) for number in range(50)]
    assert set(others[5:]) == {link_kinds.OTHERS}
    assert worth({"": [9.0, 4.5], "host h1.test": [9.0, 9.0]}, first[11]) > worth({"": [9.0, 4.5]}, link_kinds.OTHERS)


def test_parts_have_an_end() -> None:
    long = parts(link("http://a.test/" + "f" * 3000 + "/x", "html/" + "x" * 3000))
    other = parts(link("http://a.test/" + "f" * 3000 + "g/x", "html/" + "x" * 3000 + "y"))
    assert max(map(len, long)) < 300
    assert [one == two for one, two in zip(long, other, strict=True)] == [False, True, False, True]


def test_all_lanes_are_weighed_again_ever_more_rarely() -> None:
    strategy = LinkContextPlus(small_web.Share())
    whole = 0
    for number in range(1000):
        target = link(f"http://a.test/{number}")
        page = Page(Offer(target, lane=parts(target)), target.url, 404, error="http 404")
        whole += Reweigh() in list(observed(strategy, page, 0.0))
    assert 30 < whole < 80


def test_seeds_teach_nothing() -> None:
    strategy = LinkContextPlus(small_web.Share())
    list(strategy.observe(small_web.page(small_web.url(0))))
    assert strategy.table_ == {}
