"""What is compiled does what its twin in Python does, on pages of every kind."""

from __future__ import annotations

import random
import resource
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, nullcontext
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from benchmarks.speed_web import Web
from hypothesis import given
from hypothesis import strategies as st

from opilio import native
from opilio.batch import AROUND, Many, column, many
from opilio.batch import SLOTS as many_slots
from opilio.frontier.disk import writer
from opilio.frontier.disk.frontier import DiskFrontier
from opilio.frontier.disk.log_records import RECORD, START
from opilio.frontier.disk.offers import place_bytes
from opilio.frontier.disk.rows import DiskRows
from opilio.frontier.frontier import Merge
from opilio.frontier.memory import MemoryFrontier
from opilio.frontier.queue.bag import NEAR, Packed, Pile, Rank
from opilio.frontier.queue.lane import Queue
from opilio.frontier.rows import ADDRESSES, Row, key_of, noted
from opilio.frontier.rows import Place as Held
from opilio.frontier.unchanged import SLOTS, telling
from opilio.html import document, walk
from opilio.html.blocks import names
from opilio.html.places import LONGEST_CLASSES, LONGEST_PATH, MOST_PLACES, Place
from opilio.html.source import opened, source
from opilio.html.walk import CONTEXT, LONGEST_WORD, Gathered
from opilio.key_index import Index
from opilio.key_index_numpy import find
from opilio.learning.link_promise import firsts
from opilio.nouns import Link, Offer, Weight
from opilio.store import simhash_numpy
from opilio.store import warc_records as records
from opilio.text.vocabulary import Vocabulary, bagged, bagged_plainly, spelled
from opilio.text.word_lookup import Lookup
from opilio.topics.folded import Folded, Space
from opilio.urls import digest, joined

SUITE = Path(__file__).parents[1].parent / "shared" / "suites" / "html"
pytestmark = pytest.mark.skipif(not walk.COMPILED, reason="there was no compiler when opilio was installed")

TAGS = sorted(
    names(
        "a area article aside b base body br button div embed font form frame frameset h1 head html iframe img li link main "
        "math meta nav noscript object ol option p pre script select selectedcontent span style svg table td template time "
        "title tr ul video x-y"
    )
)
ATTRIBUTES = [
    "", " class=menu", " class='a b'", " class=' x/y.z '", " class", " id=nav", " role=search", " href=/x", " href=' y '",
    " href", " src=z.png", " alt='some words here'", " title=t", " rel='NoFollow next'", " itemtype=http://schema.org/Thing",
    " type=application/ld+json", " name=robots content=noindex", " property=og:type content=article", " lang=fr", " HREF=#a",
]  # fmt: skip
TEXTS = [
    "one",
    " two ",
    "\n",
    "\u00a0",
    "x\u2003y",
    "\u3000",
    "a b c d e f",
    "蜂蜜を作る",
    "é\u0085è",
    "&nbsp;",
    "&lt;",
    "\x1f",
    "\x00",
]
TEXTS += [f"{'w' * 30} " * 30, "v" * (LONGEST_WORD + 5), '{"@type": "Recipe"}', "word " * 15]


def plain(gathered: Gathered | None) -> Any:
    """All of it as lists and dicts, for the two bring home different kinds of them."""
    if gathered is None:
        return None
    said = [(tag, dict(attributes), text) for tag, attributes, text in gathered.said]
    columns = [list(column) for column in gathered.links]
    rest = (gathered.keep, list(gathered.leaves), dict(gathered.counts), dict(gathered.root))
    return (gathered.text, said, columns, *rest)


def same(body: bytes) -> None:
    ready = source(body, "utf-8")
    found, wanted = walk.gather_native(ready), walk.gather_plainly(ready)
    if found and wanted:  # what links say can be asked for one by one, before all of it is made
        links = linked(found)
        assert [links.picked([number])[0] for number in range(len(links))] == linked(wanted).all()
        promising(found)
    assert plain(found) == plain(wanted)


VOCABULARY = Vocabulary("", ["one", "two", "a", "b", "words", "v", "w", "recipe"])
WEIGHTS = VOCABULARY.array([0.1, 0.2, -0.7, 1e9, 3.0, 0.3, 0.7, 1e-9], other=0.01)


def promising(gathered: Gathered) -> None:
    """Words of a page are the same, and contexts weigh the same, whether these are made or not, and of some links as of all."""
    links = linked(gathered)
    some = links.some(list(range(len(links)))[::-2])
    for these in (links, some):
        contexts, anchors = list(column(these, "context")), list(column(these, "anchor"))
        expected = VOCABULARY.sums([*contexts, *anchors], WEIGHTS).tolist()
        assert VOCABULARY.promised(these, WEIGHTS).tolist() == expected
        numbers, starts = VOCABULARY.rows(["one a", gathered.text, *anchors])
        if (found := VOCABULARY._numbers.read("one a", these)) is not None:
            assert (found[0].tolist(), found[1].tolist()) == (numbers.tolist(), starts.tolist())
        assert VOCABULARY.promised(these, WEIGHTS).tolist() == expected


def test_what_was_read_of_a_page_is_not_taken_for_that_of_another() -> None:
    one, other = (walk.gather_native(body) for body in (b"<a href=/x>one</a>", b"<a href=/x>two a b</a>"))
    assert one
    assert other
    found = VOCABULARY._numbers.read("", linked(one))
    assert found
    packed, lookup = linked(other).packed(), VOCABULARY._numbers.lookup
    for runs in (b"1", b"\0" * 16 + b"\1\0\0\1" * 4):
        with pytest.raises(ValueError, match="not what was read of this page"):
            native.functions.promised(packed or b"", bytes(range(256)), lookup.table, lookup.shift, WEIGHTS, b"", runs)


def test_what_is_copied_inside_a_selection_is_not_read() -> None:
    same(b"<p>before<select><button><selectedcontent></selectedcontent></button><option>one<option>two</select>after")


def linked(gathered: Gathered) -> Many[Link]:
    return many(Link, gathered.links.targets, "", *gathered.links[1:])


def test_what_links_say_is_made_of_nothing_else() -> None:
    for packed in (b"", b"1" * 23, b"1" * 100, bytes(25)):
        with pytest.raises(ValueError, match="not what links say"):
            native.functions.linked(packed, AROUND)
    found = walk.gather_native(b"<a href=/x>one</a>")
    assert found
    with pytest.raises(IndexError):
        linked(found).picked([1])
    assert native.functions.linked(bytes(24), AROUND) == []


pieces = st.one_of(
    st.builds("<{}{}{}>".format, st.sampled_from(TAGS), st.sampled_from(ATTRIBUTES), st.sampled_from(ATTRIBUTES)),
    st.builds("</{}>".format, st.sampled_from(TAGS)),
    st.sampled_from(TEXTS),
)


@given(st.lists(pieces, max_size=60))
def test_pages_of_all_sorts(parts: list[str]) -> None:
    same("".join(parts).encode())


@given(st.binary(max_size=300))
def test_bytes_of_all_sorts(body: bytes) -> None:
    same(body)
    same(b"<p>" + body.replace(b"\n", b"<a href=/x>"))


broken = st.binary(min_size=1, max_size=4).map(lambda some: some + b"x")  # two halves do not make a character


@given(st.lists(st.one_of(pieces.map(str.encode), broken), max_size=30))
def test_broken_utf_8_is_read_with_replacements(parts: list[bytes]) -> None:
    body = b"".join(parts)
    for page in (body, b"<p class='a\xc3 " + body, b"<a href='/\xff' rel='\xe2\x82' title='\xf0\x9f'>\xc3x" + body):
        assert plain(walk.gather_native(page)) == plain(walk.gather_plainly(page))


def test_a_page_that_raised_leaves_nothing_to_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    def raises(*given: object) -> Place:
        raise RuntimeError("in the middle of a page")

    known = b"<img><video></video><p>some words<a href=/x>y</a>"
    same(known)
    with monkeypatch.context() as patch:
        patch.setattr(Place, "step", raises)
        with pytest.raises(RuntimeError, match="in the middle of a page"):
            walk.gather_native(known + b"<p class=never-seen-before>")
    same(b"<img><p>other words")


def test_made_up_pages() -> None:
    web = Web(40, 8080)
    for number in range(1, 41):
        same(web.body(number))


@pytest.mark.skipif(not SUITE.is_dir(), reason=f"the HTML suite is not at {SUITE}")
def test_the_suite_of_others() -> None:
    files = [path for path in sorted(SUITE.rglob("*")) if path.is_file()]
    assert files
    for path in files:
        same(path.read_bytes()[:200_000])


def test_long_and_deep_pages() -> None:
    same(b"<div>" * 1500 + b"<a href=x>deep</a>")
    same(
        f"<p class='{'c ' * LONGEST_PATH}'><a href=x>y</a><p class='{'d' * (LONGEST_CLASSES + 1)}'><a href=x>y</a>".encode()
    )
    same(
        f"<a href=x>{'word ' * (3 * CONTEXT)}</a> {'after ' * 40}<a href=y><img alt='{'alt ' * (2 * CONTEXT)}'></a>".encode()
    )


def test_a_page_does_not_depend_on_the_one_before() -> None:
    """A tree that is used again would stay in quirks mode, where a table does not end a paragraph."""
    inside = b"<p>one<table><td>two"
    quirky, proper, old = (
        inside,
        b"\n<!DocType HTML>" + inside,
        b"<!doctype html public '-//w3c//dtd html 3.2//'>" + inside,
    )
    assert plain(walk.gather_native(quirky)) != plain(walk.gather_native(proper))
    for one, other in product((quirky, proper, old, b"", b"<!doctype html>" + b"<x-y a=b>" * 3000), repeat=2):
        same(one)
        same(other)


@pytest.mark.parametrize(
    ("gather", "made"),
    [(walk.gather_plainly, lambda: Place.made), (walk.gather_native, lambda: native.functions.places())],
)
def test_places_that_are_known_do_not_grow_without_bound(
    gather: Callable[[bytes], Gathered | None], made: Callable[[], int]
) -> None:
    def path(classes: str) -> str:
        found = gather(f"<p class='{classes}'><a href=/x>y</a></p>".encode())
        assert found
        return found.links.paths[0]

    path("")
    before = made()
    assert path("a" * (LONGEST_CLASSES + 1)) == f"html/body/p.{'a' * (LONGEST_CLASSES - 1)}/a"
    assert made() <= before + 1  # the link, not the long one
    for number in range(MOST_PLACES // 2 + 10):
        assert path(f"c{number}") == f"html/body/p.c{number}/a"
        assert made() <= MOST_PLACES + 10


def test_nothing_is_left_behind() -> None:
    body = Web(2, 8080).body(1) + b"<p class='" + b"c" * (LONGEST_CLASSES + 1) + b"'>x"

    def grown(times: int) -> int:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(times):
            walk.gather_native(body)
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before

    grown(200)
    assert grown(1000) < 4000  # kilobytes; a page has 36


def test_words_are_found() -> None:
    dice = random.Random(5)
    words = [bytes(dice.choices(b"abcdefghij\xc3\xa9", k=dice.randint(1, 12))) for _ in range(3000)]
    lookup = Lookup(lambda word: digest(word.decode("latin-1")) % 1000, 2000)
    for start in range(0, len(words), 50):
        text = b"  ".join(dice.choices(words, k=200)) + b" "
        lookup.numbers(text)
        (found, missing), (other, unknown) = (
            lookup._find(text + words[start]),
            lookup._find_plainly(text + words[start]),
        )
        assert np.array_equal(found, other)
        assert missing == unknown


@given(st.lists(st.text("abcdAZ\0é蜂", min_size=1, max_size=40), max_size=200), st.integers(0, 3))
def test_fingerprints(words: list[str], breaks: int) -> None:
    text = " ".join(words).replace(" a", "\na", breaks).encode()
    assert native.functions.fingerprint(text) == simhash_numpy.vote(text)


def test_fingerprints_of_long_texts() -> None:
    text = b" ".join(b"%d" % (n * n % 1009) for n in range(40_000))
    assert native.functions.fingerprint(text) == simhash_numpy.vote(text)


@given(st.text("ab é蜂\n\n\n"), st.binary(max_size=12).map(lambda some: bytes(byte & 1 for byte in some)))
def test_lines_that_are_kept(text: str, keep: bytes) -> None:
    kept = document._kept_lines(text, keep)
    with native.plainly():
        assert kept == document._kept_lines(text, keep)
    assert kept.isascii() == (max(kept, default="") < "\x80")  # it knows the size of its letters


LETTERS = st.sampled_from("aB é߀ñ-_.9ỉ\x1e\x00\n'")
ODD = st.sampled_from("a 蜂蜜ハチท\u0301")


@given(st.lists(st.text(LETTERS | LETTERS | LETTERS | ODD, max_size=40), max_size=12), st.booleans())
def test_rows_of_words(texts: list[str], odd: bool) -> None:
    texts = texts if odd else [text.encode("ascii", "ignore").decode() for text in texts]
    vocabulary = Vocabulary("", ["a", "b", "ab", "é", "9"])
    numbers, starts = vocabulary.rows(texts)
    with native.plainly():
        expected, places = Vocabulary("", ["a", "b", "ab", "é", "9"]).rows(texts)
    assert (numbers.tolist(), starts.tolist()) == (expected.tolist(), places.tolist())
    assert odd or vocabulary._numbers.rows(texts)  # the quick way was gone


@given(st.lists(st.integers(-1, 40) | st.integers(0, 100_000), max_size=300))
def test_bags_of_words(numbers: list[int]) -> None:
    for found, expected in zip(*(way(np.array(numbers, np.int64)) for way in (bagged, bagged_plainly)), strict=True):
        assert found.tolist() == expected.tolist()


@given(st.lists(st.sampled_from([b"<", b"/", b"<a>", b"</a>", b"x" * 4095, b"<!--"]), max_size=30))
def test_tags_that_begin(parts: list[bytes]) -> None:
    body = b"".join(parts)
    assert native.functions.opened(body) == opened(body)


@given(st.lists(st.text(max_size=5), max_size=20), st.text(max_size=5))
def test_many_objects(urls: list[str], anchor: str) -> None:
    made = many(Link, urls, "source", anchor)
    assert made == [Link(url, "source", anchor) for url in urls]
    assert [(link.rel, link.image) for link in made] == [((), False)] * len(urls)
    with native.plainly():
        assert many(Link, urls, "source", anchor) == made


def test_many_objects_of_columns_that_do_not_fit() -> None:
    for way in (native.plainly, nullcontext):
        with way(), pytest.raises(ValueError, match=r"argument|columns"):
            many(Link, ["a", "b"], ["c"]).all()
    for slots, fields in (((), (["a"],)), (("no slot",), (["a"],)), ((SLOTS[0],) * 2, (["a"],)), ((), ([],) * 20)):
        with pytest.raises((TypeError, ValueError, IndexError)):
            Many(Link, slots, fields, 2).picked([1])
    with pytest.raises(TypeError):
        native.functions.made([], [], many_slots)


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
    offers = [replace(offer, link=replace(offer.link, url=f"http://h/{n}")) for n, (offer, _) in enumerate(pairs)]
    rows = {ADDRESSES[f"http://h/{n}"][0]: row for n, (_, row) in enumerate(pairs) if row != "unknown"}
    found = telling(offers, rows)
    with native.plainly():
        expected = telling(offers, rows)
    assert all(offer in found for offer in expected)  # one that is passed on for nothing changes nothing
    floats = [offer for offer, (_, row) in zip(offers, pairs, strict=True) if _floats(offer, row)]
    assert [offer for offer in found if offer in floats] == [offer for offer in expected if offer in floats]
    for links in (column(offers, "link"), unmade([offer.link for offer in offers])):
        unmade_offers = many(Offer, links, *(column(offers, name) for name in ("value", "lane", "note", "again")))
        assert telling(unmade_offers, rows) == found
        some = list(range(len(offers)))[::-2]
        assert telling(unmade_offers.some(some), rows) == telling([offers[number] for number in some], rows)


def unmade(links: list[Link]) -> Many[Link]:
    return many(Link, column(links, "url"), column(links, "source"))


def test_many_offers_of_columns_that_do_not_fit() -> None:
    wrong: list[Any] = [many(Offer, [], [1.0]), many(Offer, [Link("a")], [1.0, 2.0]), ()]
    for one in wrong:
        with pytest.raises((TypeError, ValueError)):
            telling(one, {})


def _floats(offer: Offer, row: object) -> bool:
    """The compiled one looks at floats alone."""
    places = row.places if isinstance(row, Row) else ()
    return all(type(value) is float for value in (offer.value, *(place.value for place in places)))


@given(st.lists(st.text("ab", max_size=2), max_size=40))
def test_first_of_each(names: list[str]) -> None:
    found = firsts(names)
    with native.plainly():
        assert firsts(names) == found
    places, again = found or (list(range(len(names))), [])
    assert [names[place] for place in places] == list(dict.fromkeys(names))
    assert all(names[place] == names[first] and first in places for place, first in again)
    assert len(places) + len(again) == len(names)


TARGETS = st.lists(
    st.sampled_from(["/", "//x", "/\xe9", "http://h/", "https://h/?q", "y", "#z", "mailto:a"]), max_size=6
)


@given(TARGETS, st.sampled_from(["http://a.b/c", "http://a.b:8/", "https://\xe9/"]))
def test_links_of_a_page_are_joined_as_a_list_is(targets: list[str], base: str) -> None:
    page = "".join(f'<img src=x><a href="{target}" title=t>one</a>' for target in targets)
    found = walk.gather_native(page.encode())
    with native.plainly():
        expected = joined(targets, base)
    assert joined(targets, base) == joined(targets, base) == expected
    assert found is None or joined(found.links.targets, base) == expected
    assert found is None or list(found.links.targets) == targets


@given(st.lists(st.text(LETTERS, max_size=60), min_size=1, max_size=3), st.lists(st.integers(0, 20), max_size=12))
def test_sums_of_words(parts: list[str], cuts: list[int]) -> None:
    words = " ".join(parts).split(" ")
    texts = [
        " ".join(words[cut : cut + 6]) for cut in sorted(cuts)
    ] + parts  # as the contexts of neighbours, they overlap
    vocabulary = Vocabulary("", ["a", "b", "ab", "é", "9"])
    weights = vocabulary.array([0.1, 0.2, -0.7, 1e9, 3.0], other=0.01)
    found = vocabulary.sums(texts, weights)
    with native.plainly():
        assert found.tolist() == vocabulary.sums(texts, weights).tolist()


@given(st.lists(st.integers(-1, 9) | st.integers(0, 997), max_size=300), st.sampled_from([None, 0.0, 1.0]))
def test_rates_of_texts(numbers: list[int], damping: float | None) -> None:
    words = Vocabulary("", [f"w{number}" for number in range(996)])
    idf, weights = words.array(np.linspace(0.5, 3, 996), 0.4), words.array(np.linspace(-1, 1, 996), -0.2)
    folded = Folded(Space(words, idf, damping), weights, 0.3)
    found = np.array(numbers, np.int64)
    expected = pytest.approx(folded.rate_plainly(found), rel=1e-12, abs=1e-12)
    assert folded.rate(found) == expected
    with pytest.raises(IndexError):
        folded.rate(np.array([5, 5000], np.int64))
    assert folded.rate(found) == expected  # nothing is left of what was counted


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
    found = noted(urls, rows)
    with native.plainly():
        assert noted(urls, rows) == found


@given(
    st.lists(
        st.sampled_from([b"", b"a", b"bee", "größe".encode(), "蜂蜜を作る".encode(), "ผึ้ง".encode(), b"\xa0", b"\xe3"])
    )
)
def test_scripts_without_spaces(words: list[bytes]) -> None:
    found = spelled(b" ".join(words))
    with native.plainly():
        assert found == spelled(b" ".join(words))


RANKS = st.dictionaries(st.integers(-(2**63), 2**63 - 1) | st.integers(0, 40), st.integers(-9, 9), max_size=60)


@given(RANKS, st.data())
def test_entries_that_are_moved(ranks: dict[int, int], data: st.DataObject) -> None:
    taken = data.draw(st.integers(0, len(ranks)))
    keys = sorted(ranks, key=lambda key: (ranks[key], key))[taken:]
    moves = {key: data.draw(st.integers(-9, 9)) for key in (data.draw(st.sets(st.sampled_from(keys))) if keys else ())}
    left = {**{key: ranks[key] for key in keys}, **moves}
    expected = sorted((float(value), key) for key, value in left.items())
    for way in (native.plainly, nullcontext):
        with way():
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


def test_a_move_that_is_none() -> None:
    wrong: list[Any] = [{1: [2.0, 3.0]}, [], b""]
    for one in wrong:
        with pytest.raises(TypeError):
            native.functions.moved(bytearray(), bytearray(), one, NEAR)


@pytest.mark.parametrize("merge", ["sum", "max"])
@pytest.mark.parametrize("size", [1, 7, 500])
def test_rows_that_memory_has(merge: Merge, size: int) -> None:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        frontier = DiskFrontier(db, lambda lane: Weight(), merge, waits=True)
        chance = random.Random(size)
        for _ in range(6):
            names = [f"http://h{chance.randrange(3)}/{n}" for n in range(size) if chance.random() < 0.7]
            frontier.offer(
                Offer(Link(name), chance.random(), chance.choice([(), ("x",)]), again=chance.choice([None, ("y",)]))
                for name in names
            )
            for n, lease in enumerate(frontier.take(size // 3)):
                if n % 4:
                    frontier.settle(lease, chance.choice([None, ("a", 1), (0.5,), (0.0,)]))
            frontier.save()
        rows = frontier._rows
        assert isinstance(rows, DiskRows)
        keys = [key_of(f"http://h{host}/{n}") for host in range(3) for n in range(size)]
        with native.plainly():
            expected = [told(row) for row in fresh(rows, keys)]
        assert [told(row) for row in fresh(rows, keys)] == expected
        assert any(expected)


CASH = st.sampled_from([0, 0.5, -1e300, 7])


@given(st.dictionaries(st.integers(-(2**63), 2**63 - 1), st.none() | CASH, max_size=40))
def test_rows_that_have_more_cash(cash: dict[int, float | None]) -> None:
    """Those with a record are written as before, but for their cash; the others are handed back, in their order."""
    rows = {key: Row(cash=value or 0) for key, value in cash.items()}
    for key, value in cash.items():
        rows[key].record = b"" if value is None else RECORD.pack(key, 2, 3.0, 4.0, 5, 6, 7, START)
    records, others = writer.richer(rows)
    with native.plainly():
        expected, left = writer.richer(rows)
    assert records == expected
    assert list(others.items()) == list(left.items()) == [(key, row) for key, row in rows.items() if not row.record]
    assert [record[:3] for record in RECORD.iter_unpack(records)] == [
        (key, 2, value) for key, value in cash.items() if value is not None
    ]


def test_what_is_no_row_has_no_cash() -> None:
    wrong = Row()
    wrong.record, wrong.cash = bytes(RECORD.size), "none"
    all_wrong: list[Any] = [{1: wrong}, {1: "no row"}, [wrong]]
    for one in all_wrong:
        with pytest.raises(TypeError):
            native.functions.richer(one, writer.SLOTS)


@given(st.dictionaries(st.integers(-(2**63), 2**63 - 1) | st.integers(0, 9).map(lambda n: n << 10), st.integers(1, 99)))
def test_numbers_of_keys(numbers: dict[int, int]) -> None:
    keys, found = np.array([*numbers, *numbers, 12345], np.int64), []
    for way in (native.plainly, nullcontext):
        with way():
            index = Index()
            values = np.array([*numbers.values(), *(n + 1 for n in numbers.values())], np.int64)
            index.fill(keys[:-1].tobytes(), values.tobytes())
            found.append((len(index), find(index.table, keys).tolist(), find(index.table, keys[::-2]).tolist()))
    assert found[0] == found[1]
    assert found[0][1][: len(numbers)] == [number + 1 for number in numbers.values()]


@given(st.binary(min_size=20, max_size=20))
def test_names_of_records(digest: bytes) -> None:
    assert native.functions.as_uuid(digest) == records.as_uuid(digest) == f"<{name_of(digest).urn}>"
    assert native.functions.in_letters(digest) == records.in_letters(digest)


def name_of(digest: bytes) -> UUID:
    return UUID(bytes=digest[:16], version=5)


@pytest.mark.parametrize("digest", [b"", bytes(19), bytes(21), "a" * 20])
def test_what_is_no_digest_has_no_name(digest: Any) -> None:
    for way in (native.functions.as_uuid, native.functions.in_letters):
        with pytest.raises(TypeError):
            way(digest)


def fresh(rows: DiskRows, keys: list[int]) -> list[Row | None]:
    """Rows of which none was at hand."""
    rows._rows, rows._older, rows._unknown = {}, {}, set()
    return rows.load(keys)


def told(row: Row | None) -> list[Any]:
    """All that a row and its places say."""
    if row is None:
        return []
    said = [(type(value), value) for name in Row.__slots__ if name != "places" for value in [getattr(row, name)]]
    return [*said, *([getattr(place, name) for name in Held.__slots__] for place in row.places)]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", ["memory", "disk"])
def test_gifts(seed: int, kind: str) -> None:
    found = []
    for way in (native.plainly, nullcontext):
        with way(), closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
            found.append(list(handed_out(frontier_of(kind, db), random.Random(seed))))
    assert found[0] == found[1]
    assert len(found[0]) > 100


def frontier_of(kind: str, db: sqlite3.Connection) -> DiskFrontier | MemoryFrontier:
    return DiskFrontier(db, shy, "sum", waits=True) if kind == "disk" else MemoryFrontier(shy, "sum")


def shy(lane: tuple[str, ...]) -> Weight:
    return Weight(-1.0 if lane else 0.0)


def handed_out(frontier: DiskFrontier | MemoryFrontier, chance: random.Random) -> Iterator[Any]:
    """What a frontier does while cash is given to URLs that wait, are leased, were fetched, or are on a host at rest."""
    for now in range(40):
        urls = [f"http://h{chance.randrange(6)}/{chance.randrange(30)}" for _ in range(30)]
        lanes = [(), (), ("x",)]
        frontier.offer(
            Offer(
                Link(url),
                chance.choice([0.5, 0.25, chance.random()]),
                chance.choice(lanes),
                again=chance.choice([None, ("y",)]),
            )
            for url in urls
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


def test_gifts_of_other_numbers() -> None:
    for way in (native.plainly, nullcontext):
        with way():
            frontier = MemoryFrontier(shy, "sum")
            for value in (Fraction(1, 2), 0.25, 1, Fraction(1, 3)):
                frontier.offer([Offer(Link("http://h/"), value)])  # type: ignore[arg-type]
            assert frontier.credit("http://h/") == Fraction(1, 2) + 0.25 + 1 + Fraction(1, 3)
