"""What is done for many URLs or offers at once is what would be done for each of them."""

from __future__ import annotations

import copy
import random
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from opilio.batch import Many, column, many
from opilio.frontier.disk import row_writer
from opilio.frontier.disk.frontier import DiskFrontier
from opilio.frontier.disk.offers import place_bytes
from opilio.frontier.disk.row_log_records import RECORD, START
from opilio.frontier.memory import MemoryFrontier
from opilio.frontier.queue.bag import Packed, Pile, Rank
from opilio.frontier.queue.lane import Queue
from opilio.frontier.rows import ADDRESSES, Row, noted
from opilio.frontier.rows import Place as Held
from opilio.frontier.unchanged import changing
from opilio.key_index import Index
from opilio.key_index.by_numpy import entered, find
from opilio.learning.link_promise import firsts
from opilio.nouns import Link, Offer, Weight
from opilio.store import warc_records as records


@given(st.lists(st.text(max_size=5), max_size=20), st.text(max_size=5))
def test_many_objects(urls: list[str], anchor: str) -> None:
    made = many(Link, urls, "source", anchor)
    expected = [Link(url, "source", anchor) for url in urls]
    assert made == expected
    assert many(Link, urls, "source", anchor).some(list(range(len(urls)))[::-2]) == expected[::-2]


def test_columns_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match="columns of different lengths"):
        many(Link, ["a", "b"], ["c"]).all()


LANES = st.sampled_from([(), ("a",), ("b", "c")])


VALUES = st.sampled_from([-1.0, 0.0, 0.5, 1, float("inf")])


OFFERS = st.builds(
    lambda value, lane, source, again: Offer(Link("u", source), value, lane, again=again),
    VALUES, LANES, st.sampled_from(["p", "q", "r" * 40, "r" * 300, "\xe9", "\uffff", "\U00010000"]), st.none() | LANES,
)  # fmt: skip


PACKED = st.builds(place_bytes, OFFERS, st.just(0.5), st.just(0))


def held(value: float, offer: Offer | bytes | None, lane: tuple[str, ...]) -> Held:
    return Held(Queue(0, lane, Weight()), value, offer)


def row(fetched: bool, leased: int, places: list[Held]) -> Row:
    made = Row(fetched)
    made.leased, made.places = leased, tuple(places)
    return made


HELD = st.builds(held, VALUES, OFFERS | PACKED | st.none(), LANES)


ROWS = st.builds(row, st.booleans(), st.sampled_from([0, 0, 7]), st.lists(HELD, max_size=2))


@given(st.lists(st.tuples(OFFERS, ROWS | st.sampled_from([None, b"packed", "unknown"])), max_size=12))
def test_offers_that_may_change_something(pairs: list[tuple[Offer, Any]]) -> None:
    """By columns as one by one."""
    offers = [replace(offer, link=replace(offer.link, url=f"http://h/{n}")) for n, (offer, _) in enumerate(pairs)]
    rows = {ADDRESSES[f"http://h/{n}"][0]: row for n, (_, row) in enumerate(pairs) if row != "unknown"}
    found = changing(offers, rows)
    for links in (column(offers, "link"), unmade([offer.link for offer in offers])):
        unmade_offers = many(Offer, links, *(column(offers, name) for name in ("value", "lane", "note", "again")))
        assert changing(unmade_offers, rows) == found
        some = list(range(len(offers)))[::-2]
        assert changing(unmade_offers.some(some), rows) == changing([offers[number] for number in some], rows)


def unmade(links: list[Link]) -> Many[Link]:
    return many(Link, column(links, "url"), column(links, "source"))


def test_many_offers_of_columns_that_do_not_fit() -> None:
    for one in (many(Offer, [], [1.0]), many(Offer, [Link("a")], [1.0, 2.0])):
        with pytest.raises(ValueError, match=r"shorter|longer"):
            changing(one, {})


@given(st.lists(st.text("ab", max_size=2), max_size=40))
def test_first_of_each(names: list[str]) -> None:
    found = firsts(names)
    places, again = found or (list(range(len(names))), [])
    assert [names[place] for place in places] == list(dict.fromkeys(names))
    assert all(names[place] == names[first] and first in places for place, first in again)
    assert len(places) + len(again) == len(names)


def noting(fetched: bool, kept: tuple[Any, ...] | None, number: int) -> Row:
    made = Row(fetched, number=number)
    made.kept = kept
    return made


NAMES = st.text("ab/", max_size=2)


NOTING = st.builds(noting, st.booleans(), st.sampled_from([None, (), (0.5,), ("a", 1)]), st.sampled_from([0, 3]))


@given(st.lists(NAMES, max_size=10), st.dictionaries(NAMES, NOTING))
def test_notes_of_urls(names: list[str], known: dict[str, Row]) -> None:
    urls = [f"http://h/{name}" for name in names]
    rows = {ADDRESSES[f"http://h/{name}"][0]: row for name, row in known.items()}
    notes, missing = noted(urls, rows)
    for number, name in enumerate(names):
        row = known.get(name)
        assert notes[number] == ((row.kept or ()) if row and row.fetched else None)
        assert (number in missing) == (row is None or (row.fetched and row.kept is None and row.number > 0))


RANKS = st.dictionaries(st.integers(-(2**63), 2**63 - 1) | st.integers(0, 40), st.integers(-9, 9), max_size=60)


@given(RANKS, st.data())
def test_entries_that_are_moved(ranks: dict[int, int], data: st.DataObject) -> None:
    taken = data.draw(st.integers(0, len(ranks)))
    keys = sorted(ranks, key=lambda key: (ranks[key], key))[taken:]
    moves = {key: data.draw(st.integers(-9, 9)) for key in (data.draw(st.sets(st.sampled_from(keys))) if keys else ())}
    left = {**{key: ranks[key] for key in keys}, **moves}
    expected = sorted((float(value), key) for key, value in left.items())
    assert list(drained(moved(ranks, taken, moves))) == expected


def moved(ranks: dict[int, int], taken: int, moves: dict[int, int]) -> Pile:
    """A pile from which some were taken, and in which others were moved then."""
    pile = Pile(Packed)
    for key, value in ranks.items():
        pile.put((float(value), key))
    for _ in range(taken):
        pile.head()
        pile.pop()
    for key, value in moves.items():  # by way of somewhere else
        pile.displace(key, float(ranks[key]), 2.5)
        pile.displace(key, 2.5, float(value))
    if moves:
        pile.move()
    assert list(pile.near) == sorted(pile.near)
    assert len(list(pile)) == pile.size
    return pile


def drained(pile: Pile) -> Iterator[Rank]:
    """All entries, as they come."""
    while (rank := pile.head()) is not None:
        yield rank
        pile.pop()


CASH = st.sampled_from([0, 0.5, -1e300, 7])


@given(st.dictionaries(st.integers(-(2**63), 2**63 - 1), st.none() | CASH, max_size=40))
def test_rows_that_have_more_cash(cash: dict[int, float | None]) -> None:
    """Those with a record are written as before, but for their cash; the others are handed back, in their order."""
    rows = {key: Row(cash=value or 0) for key, value in cash.items()}
    for key, value in cash.items():
        rows[key].record = b"" if value is None else RECORD.pack(key, 2, 3.0, 4.0, 5, 6, 7, START)
    records, others = row_writer.richer(rows)
    assert list(others.items()) == [(key, row) for key, row in rows.items() if not row.record]
    assert [record[:3] for record in RECORD.iter_unpack(records)] == [
        (key, 2, value) for key, value in cash.items() if value is not None
    ]


def test_a_copy_of_an_index_is_one_of_its_own() -> None:
    index = Index.of((key, key + 1) for key in range(2000))
    copied = copy.deepcopy(index)
    copied.set({5: 77})
    assert (copied.get(5), index.get(5), copied.get(1999), len(copied)) == (77, 6, 2000, 2000)


@given(st.dictionaries(st.integers(-(2**63), 2**63 - 1) | st.integers(0, 9).map(lambda n: n << 10), st.integers(0, 99)))
def test_numbers_of_keys(numbers: dict[int, int]) -> None:
    """By numpy as one by one."""
    keys = np.array([*numbers, *numbers, 12345], np.int64)
    values = np.array([*numbers.values(), *(n + 1 for n in numbers.values())], np.int64)
    one_by_one, at_once = Index(), Index()
    one_by_one.fill(keys[:-1].tobytes(), values.tobytes())
    assert len(one_by_one) == entered(at_once.table, keys[:-1].tobytes(), values.tobytes()) == len(numbers)
    for index in (one_by_one, at_once):
        assert find(index.table, keys).tolist()[: len(numbers)] == [number + 1 for number in numbers.values()]
        assert [index.get(key) for key in keys.tolist()] == find(index.table, keys).tolist()


@given(st.binary(min_size=20, max_size=20))
def test_names_of_records(digest: bytes) -> None:
    assert records.as_uuid(digest) == f"<{name_of(digest).urn}>"


def name_of(digest: bytes) -> UUID:
    return UUID(bytes=digest[:16], version=5)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", ["memory", "disk"])
def test_cash_updates(seed: int, kind: str) -> None:
    """By columns as one by one."""
    found = []
    for way in (list, unmade_offers):
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
            found.append(list(handed_out(frontier_of(kind, db), random.Random(seed), way)))
    assert found[0] == found[1]
    assert len(found[0]) > 100


def unmade_offers(offers: Iterable[Offer]) -> Sequence[Offer]:
    offers = list(offers)
    names = ("value", "lane", "note", "again")
    return many(Offer, unmade([offer.link for offer in offers]), *(column(offers, name) for name in names))


def frontier_of(kind: str, db: sqlite3.Connection) -> DiskFrontier | MemoryFrontier:
    return DiskFrontier(db, shy, "sum", waits=True) if kind == "disk" else MemoryFrontier(shy, "sum")


def shy(lane: tuple[str, ...]) -> Weight:
    return Weight(-1.0 if lane else 0.0)


def handed_out(
    frontier: DiskFrontier | MemoryFrontier, chance: random.Random, way: Callable[[Iterable[Offer]], Sequence[Offer]]
) -> Iterator[Any]:
    """What a frontier does while cash is added to URLs that wait, are leased, were fetched, or are on a host at rest."""
    for now in range(40):
        urls = [f"http://h{chance.randrange(6)}/{chance.randrange(30)}" for _ in range(30)]
        lanes = [(), (), ("x",)]
        frontier.offer(
            way(
                Offer(
                    Link(url),
                    chance.choice([0.5, 0.25, chance.random()]),
                    chance.choice(lanes),
                    again=chance.choice([None, ("y",)]),
                )
                for url in urls
            )
        )
        if chance.random() < 0.3:
            frontier.rest("h1", now + 2.0)
        leases = frontier.take(5, float(now))
        frontier.offer(Offer(lease.offer.link, 0.1, again=("y",)) for lease in leases[::2])
        for lease in leases:
            yield lease.offer, lease.price, frontier.credit(lease.offer.link.url)
            frontier.settle(lease, (1.0,))
        if isinstance(frontier, DiskFrontier):
            frontier.save()
        yield len(frontier), list(frontier.lanes()), frontier.total()


def test_cash_of_other_numbers() -> None:
    frontier = MemoryFrontier(shy, "sum")
    for value in (Fraction(1, 2), 0.25, 1, Fraction(1, 3)):
        frontier.offer([Offer(Link("http://h/"), value)])  # type: ignore[arg-type]
    assert frontier.credit("http://h/") == Fraction(1, 2) + 0.25 + 1 + Fraction(1, 3)
