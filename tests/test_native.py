"""What is compiled does what its twin in Python does, on pages of every kind."""

from __future__ import annotations

import random
import resource
import subprocess
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import selectolax
from benchmarks.speed_web import Web
from hypothesis import given
from hypothesis import strategies as st

from opilio import native
from opilio.batch import AROUND, Many, column, many
from opilio.html import walk
from opilio.html.blocks import names
from opilio.html.places import LONGEST_CLASSES, LONGEST_PATH, MOST_PLACES, Place
from opilio.html.source import opened, source
from opilio.html.walk import CONTEXT, LONGEST_WORD, Gathered
from opilio.nouns import Link
from opilio.store import simhash_numpy
from opilio.text.vocabulary import Vocabulary, bagged, bagged_plainly
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
    metadata = [(tag, dict(attributes), text) for tag, attributes, text in gathered.metadata]
    columns = [list(column) for column in gathered.links]
    rest = (gathered.keep, list(gathered.leaves), dict(gathered.counts), dict(gathered.root))
    return (gathered.text, metadata, columns, *rest)


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
        same(page)
        assert walk.gather_native(page)  # `source` lets no such bytes through to it; if it did, nothing would be raised


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


def test_long_anchors() -> None:
    for word in ("w", "\u6f22", "w ", "\u00e9\n"):
        same(f"<p>{word * 3000}<a href=x>{word * 3000}</a>{word * 3000}<a href=y title='{word * 3000}'></a>".encode())
        same(
            f"<p>{word * 3000}<a href=x>{word * 3000}<b>{word * 9}</b></a><a href=y rel='{word * 300}'></a>{word}".encode()
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


LETTERS = st.sampled_from("aB é߀ñ-_.9ỉ\x1e\x00\n'")
ODD = st.sampled_from("a 蜂蜜ハチท\u0301")


@given(st.lists(st.text(LETTERS | LETTERS | LETTERS | ODD, max_size=40), max_size=12), st.booleans())
def test_rows_of_words(texts: list[str], odd: bool) -> None:
    texts = texts if odd else [text.encode("ascii", "ignore").decode() for text in texts]
    vocabulary = Vocabulary("", ["a", "b", "ab", "é", "9"])
    numbers, starts = vocabulary.rows(texts)
    with native.without():
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


TARGETS = st.lists(
    st.sampled_from(["/", "//x", "/\xe9", "http://h/", "https://h/?q", "y", "#z", "mailto:a"]), max_size=6
)


@given(TARGETS, st.sampled_from(["http://a.b/c", "http://a.b:8/", "https://\xe9/"]))
def test_links_of_a_page_are_joined_as_a_list_is(targets: list[str], base: str) -> None:
    page = "".join(f'<img src=x><a href="{target}" title=t>one</a>' for target in targets)
    found = walk.gather_native(page.encode())
    with native.without():
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
    with native.without():
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


def test_another_parser_is_read_in_python() -> None:
    code = (
        "import selectolax; selectolax.__version__ = '0.0'; from opilio import doctor, native; from opilio.html import walk;"
        "print(walk.COMPILED, native.has('gather'), native.has('rows'), doctor._compiled()[0])"
    )
    metadata = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert (
        metadata == "False False False built for another selectolax than 0.0: pages are read in Python, more slowly\n"
    )


def test_it_says_which_parser_it_was_built_with() -> None:
    assert native.functions.selectolax == selectolax.__version__
