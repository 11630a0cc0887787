"""A fixed vocabulary and what is scored with it: words become numbers once, then numpy does the rest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from .saved import Saved
from .text import KNOWN, MARK, Stems, stems, tokens

Ints: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]

NOTHING, OTHER, FIRST, END = 0, 1, 2, -1  # stop words; words outside the vocabulary; its first word; the mark


class Numbers(dict[str, int]):
    """Surface form -> number of its stem; NOTHING for stop words, OTHER outside the vocabulary; bounded."""

    def __init__(self, stems: Stems, numbers: dict[str, int]) -> None:
        super().__init__({MARK: END})
        self.stems, self.numbers = stems, numbers

    def __missing__(self, word: str) -> int:
        if len(self) >= KNOWN:
            self.clear()
            self[MARK] = END
        stem = self.stems[word]
        self[word] = number = self.numbers.get(stem, OTHER) if stem else NOTHING
        return number


class Vocabulary(Saved):
    """Words of one language, numbered from FIRST; arrays that go with it have a place for every number."""

    def __init__(self, language: str, words: Iterable[str]) -> None:
        self.language, self.words = language, tuple(words)
        numbers = {word: number for number, word in enumerate(self.words, FIRST)}
        self._numbers = Numbers(stems(language), numbers)

    def __reduce__(self) -> tuple[type[Vocabulary], tuple[str, tuple[str, ...]]]:
        return Vocabulary, (self.language, self.words)

    def array(self, values: npt.ArrayLike, other: float = 0.0) -> Floats:
        """Values of the words, as an array that their numbers index."""
        return np.concatenate([[0.0, other], np.asarray(values, dtype=np.float64), [0.0]])

    def numbers(self, text: str) -> Ints:
        """The numbers of the words of a text, in their order."""
        found = tokens(text)
        return np.fromiter(map(self._numbers.__getitem__, found), np.int64, len(found))

    def bag(self, text: str) -> tuple[Ints, Ints]:
        """The numbers of the words in a text, each once, and how often each is there; OTHER stands for many words."""
        counts = np.bincount(self.numbers(text).clip(0), minlength=1)
        counts[NOTHING] = 0
        found = counts.nonzero()[0]
        return found, counts[found]

    def rows(self, texts: Sequence[str]) -> tuple[Ints, Ints]:
        """The numbers of the words of many texts in one go, and where each text starts; its first number is a mark."""
        joined = f" {MARK} ".join(texts)
        if joined.count(MARK) >= len(texts):
            joined = f" {MARK} ".join(text.replace(MARK, " ") for text in texts)
        numbers = self.numbers(f"{MARK} {joined}")
        return numbers, (numbers == END).nonzero()[0]


def sums(weights: Floats, numbers: Ints, starts: Ints) -> Floats:
    """The sum of the weights of each row."""
    return np.add.reduceat(weights[numbers], starts) if len(starts) else np.zeros(0)
