"""Words found all at once: the same numbers as one by one."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from opilio import native
from opilio.text.tokens import words
from opilio.text.vocabulary import FIRST, NOTHING, SHORT, SPELLED, Spelled, Vocabulary
from opilio.text.word_lookup import MOST_NEW, PIECE, Lookup, hashed


def number(word: bytes) -> int:
    return sum((place + 1) * letter for place, letter in enumerate(word))


@given(st.lists(st.text("abz09 ", max_size=12), max_size=40))
def test_numbers_are_those_of_the_words(parts: list[str]) -> None:
    text = " ".join(parts).encode()
    lookup = Lookup(number, 1000)
    for _ in range(2):  # words that are new, words that are known
        assert lookup.numbers(text).tolist() == [number(word) for word in text.split()]


def test_the_table_grows_and_is_bounded() -> None:
    chance = random.Random(0)
    many = [b"%x" % chance.getrandbits(40) for _ in range(6000)]
    lookup = Lookup(number, 4000)
    for start in range(0, len(many), 100):
        part = many[start : start + 100] * 2
        assert lookup.numbers(b" ".join(part)).tolist() == list(map(number, part))
        assert lookup.taken <= 4000 + len(part)
    asked: list[bytes] = []
    again = Lookup(lambda word: asked.append(word) or 1, 10**6)  # type: ignore[func-returns-value]
    again.numbers(b" ".join(many))
    again.numbers(b" ".join(many))
    assert sorted(asked) == sorted(set(many))


def test_long_texts_are_cut_between_words() -> None:
    many = [b"w%d" % n for n in range(PIECE // 3)]
    assert Lookup(number, 10**6).numbers(b" ".join(many)).tolist() == list(map(number, many))
    assert len(Lookup(len, 10**6).numbers(b"x" * (3 * PIECE))) >= 1
    assert Lookup(len, 10).numbers(b"").tolist() == []


@given(st.text(st.sampled_from("aB é߀ñ蜂蜜ハチท\u0301\x1e-_.9ỉ"), max_size=60))
def test_a_vocabulary_numbers_the_tokens_of_any_text(text: str) -> None:
    """The quick way through bytes is the long way through `words`, whatever the script."""
    text = text.replace("\x1e", " ")
    found = words(text)
    vocabulary = Vocabulary("", dict.fromkeys(found))
    expected = [vocabulary.words.index(word) + FIRST for word in found]
    assert [n for n in vocabulary.numbers(text) if n != NOTHING] == expected


def test_what_was_spelled_is_remembered_within_bounds() -> None:
    spelled = Spelled()
    assert spelled["ハチ蜂蜜".encode()] == "ハチ 蜂蜜".encode()
    for number in range(SPELLED + 10):
        assert spelled[b"w%d" % number] == b"w%d" % number
    assert 0 < len(spelled) <= SPELLED
    long = "蜂".encode() * SHORT
    assert spelled[long]
    assert long not in spelled


def met_by_public_numbers(many: int) -> list[bytes]:
    """Words whose hashes agree in their first 20 bits if r is the golden ratio, as it once was for all to know."""
    ratio, letters = 0x9E3779B97F4A7C15, np.frombuffer(b"abcdefghijklmnopqrstuvwxyz", np.uint8).astype(np.uint64)
    halves = np.zeros(1, np.uint64)
    for place in range(1, 4):
        power = np.uint64(pow(ratio, place, 1 << 64))
        halves = (halves[:, None] + letters * power).ravel()
    order, shifted = np.argsort(halves), halves * np.uint64(pow(ratio, 3, 1 << 64))
    begin = np.searchsorted(halves[order], np.uint64(0) - shifted)
    end = np.searchsorted(halves[order], np.uint64(1 << 44) - shifted)
    pairs = [(order[n], back) for back in range(len(halves)) for n in range(begin[back], end[back])]
    return [spelled_half(int(front)) + spelled_half(back) for front, back in pairs[:many]]


def spelled_half(number: int) -> bytes:
    return bytes(97 + number // 26**place % 26 for place in (2, 1, 0))


def steps(lookup: Lookup) -> float:
    """How far from where they belong words are in the table, on average."""
    taken = np.flatnonzero(lookup.keys)
    home = (lookup.keys[taken] >> np.uint64(lookup.shift)).astype(np.int64)
    return float(((taken - home) % len(lookup.keys)).mean())


def test_nobody_can_choose_words_that_meet() -> None:
    many = met_by_public_numbers(250)
    assert len(set(many)) == 250
    hashes = hashed(b" ".join(many), 0x9E3779B97F4A7C15)[0]
    assert len(set((hashes >> np.uint64(44)).tolist())) == 1  # they would all have met
    lookup = Lookup(len, 10**6)
    lookup.numbers(b" ".join(many))
    assert steps(lookup) < 5  # was 125


@pytest.mark.parametrize("way", [native.without, nullcontext])
def test_a_text_adds_so_many_words_and_no_more(way: Callable[[], AbstractContextManager[None]]) -> None:
    asked: list[bytes] = []
    lookup = Lookup(lambda word: asked.append(word) or 7, 10**6)  # type: ignore[func-returns-value]
    many = [b"w%d" % n for n in range(2 * MOST_NEW)]
    with way():
        found = lookup.numbers(b" ".join(many))
    assert found.tolist() == [7] * MOST_NEW + [NOTHING] * MOST_NEW
    assert asked == many[:MOST_NEW]


def test_a_page_of_known_and_new_words_is_read_to_its_end() -> None:
    """When the table is full in the midst of it, what was forgotten is not looked up for ever."""
    some, others = ([f"{kind}{n}" for n in range(3000)] for kind in "ab")
    lookup = Lookup(len, 4000)
    parted = bytes(range(256))
    assert lookup.rows([" ".join(some)], parted, -1)
    found = lookup.rows([" ".join([*some, *others])], parted, -1)
    assert found
    assert found[0].tolist() == [-1, *map(len, [*some, *others])]
