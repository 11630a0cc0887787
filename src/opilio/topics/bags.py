"""Pages as counts of words, each page counted once: what a contrast is learned from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Self

import numpy as np

from ..nouns import Page
from ..text.tokens import stems, words
from ..text.vocabulary import FIRST, Floats, Ints, Numbers, bagged
from ..urls import host
from .material import example

FIELDS = 3  # of a page: its title, its text, the own words of its links
LONGEST = 100_000  # characters of a field that are read to learn from it
NEAR = 25  # words to each side
REMEMBERED, MOST_WORDS = 2_000, 400_000  # pages and words; then it starts afresh


class Bag(NamedTuple):
    """What one field of a page says: the numbers of its words, and how often each is there."""

    words: Ints
    counts: Floats


class Tally(NamedTuple):
    """A page, counted."""

    host: str
    fields: tuple[Bag, ...]


class Met(Numbers):
    """Words of texts as numbers; a word gets one when it is first met."""

    def number(self, stem: str) -> int:
        return FIRST + self.numbers.setdefault(stem, len(self.numbers))


class Bags:
    """Counts the words of pages in one language; a word gets a number when it is first met."""

    def __init__(self, language: str) -> None:
        self.language = language
        self.numbers: dict[str, int] = {}
        self._met = Met(stems(language), self.numbers)
        self._counted: dict[tuple[str, int], Tally] = {}
        self._beside: dict[tuple[str, int, frozenset[str]], tuple[Bag, Bag]] = {}

    def tally(self, page: Page) -> Tally:
        """A page, counted; it is not counted again when it comes again."""
        key = page.url, hash(page.text)
        if key not in self._counted:
            if len(self._counted) >= REMEMBERED:
                self._counted.clear()
            self._counted[key] = Tally(host(page.url), tuple(map(self.bag, example(page))))
        return self._counted[key]

    def beside(self, page: Page, named: frozenset[str]) -> tuple[Bag, Bag]:
        """The words of a page's text that stand near any of some words, and all words of it."""
        key = page.url, hash(page.text), named
        if key not in self._beside:
            if len(self._beside) >= REMEMBERED:
                self._beside.clear()
            self._beside[key] = self._near(words(page.text[:LONGEST], self.language), named)
        return self._beside[key]

    def _near(self, text: list[str], named: frozenset[str]) -> tuple[Bag, Bag]:
        near = np.zeros(len(text), dtype=bool)
        for place in (place for place, word in enumerate(text) if word in named):
            near[max(0, place - NEAR) : place + NEAR + 1] = True
        return self._counts(word for word, close in zip(text, near, strict=True) if close), self._counts(text)

    def bag(self, text: str) -> Bag:
        found, counts = bagged(self._met.of(text[:LONGEST]))
        return Bag(found - FIRST, counts.astype(np.float64))

    def _counts(self, found_words: Iterable[str]) -> Bag:
        found = Counter(found_words)
        numbers = list(map(self.number, found))
        return Bag(np.array(numbers, dtype=np.int64), np.array(list(found.values()), dtype=np.float64))

    def number(self, stem: str) -> int:
        return self.numbers.setdefault(stem, len(self.numbers))


_SHARED: dict[str, Bags] = {}


def bags_of(language: str) -> Bags:
    """Bags that are shared by all who learn in a language, so that a crawl that learns again counts only new pages."""
    found = _SHARED.get(language)
    if found is None or len(found.numbers) > MOST_WORDS:
        found = _SHARED[language] = Bags(language)
    return found


class Stack(NamedTuple):
    """Many bags together, one after the other."""

    words: Ints
    counts: Floats
    rows: Ints  # of each word, the number of its bag
    bags: int
    width: int  # numbers that words may have

    @classmethod
    def of(cls, bags: Sequence[Bag], width: int) -> Self:
        words = np.concatenate([np.zeros(0, dtype=np.int64), *(bag.words for bag in bags)])
        counts = np.concatenate([np.zeros(0), *(bag.counts for bag in bags)])
        rows = np.repeat(np.arange(len(bags)), np.array([len(bag.words) for bag in bags], dtype=np.int64))
        return cls(words, counts, rows, len(bags), width)

    def spread(self) -> Floats:
        """In how many of the bags each word is."""
        return np.bincount(self.words, minlength=self.width).astype(np.float64)

    def totals(self) -> Floats:
        """How many words each bag has."""
        return np.bincount(self.rows, self.counts, self.bags).astype(np.float64, copy=False)

    def table(self, columns: Ints, damped: Floats | None = None) -> Floats:
        """How often each bag, a row, has each word, a column; or count / (count + damped), with a number for each bag.

        Most of a table is 0, so that is worked out only where there is something.
        """
        place = np.full(self.width, -1, dtype=np.int64)
        place[columns] = np.arange(len(columns))
        at = place[self.words]
        wanted = at >= 0
        rows, counts = self.rows[wanted], self.counts[wanted]
        found = np.zeros((self.bags, len(columns)))
        found[rows, at[wanted]] = counts if damped is None else counts / (counts + damped[rows])
        return found
