"""Words found all at once: the same numbers as one by one."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from opilio.learning.lookup import PIECE, Lookup
from opilio.learning.text import words
from opilio.learning.words import FIRST, NOTHING, SHORT, SPELLED, Spelled, Vocabulary


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
        assert lookup.taken <= 4000
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
