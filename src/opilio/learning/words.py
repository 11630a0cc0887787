"""A fixed vocabulary and what is scored with it: words become numbers once, then numpy does the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from .saved import Saved
from .text import KNOWN, MARK, Stems, stems, tokens

Ints: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]

NOTHING, OTHER, FIRST, END = 0, 1, 2, -1  # stop words; words outside the vocabulary; its first word; the mark


# Most texts need no more than this: bytes that part words (ASCII signs; what begins the signs of U+0080-BF and U+2000-2FFF)
# become spaces, ASCII letters lower case, the rest stays. What is left of such signs is no UTF-8 and vanishes in decoding.
_SPACES = frozenset(range(128)) - frozenset(b"0123456789abcdefghijklmnopqrstuvwxyz") - {ord(MARK)} | {0xC2, 0xE2}
_PARTED = bytes(32 if byte in _SPACES else byte for byte in bytes(range(256)).lower())
# Accents on their own, scripts without spaces and letters of odd width need the long way.
_ORDINARY = bytes(frozenset(range(256)) - {0xCC, 0xCD, 0xE0, 0xE1, *range(0xE3, 0xF8)})


class Numbers(dict[bytes, int]):
    """Surface form -> number of its stem; NOTHING for stop words, OTHER outside the vocabulary; bounded."""

    def __init__(self, stems: Stems, numbers: dict[str, int]) -> None:
        super().__init__({MARK.encode(): END})
        self.stems, self.numbers = stems, numbers

    def __missing__(self, form: bytes) -> int:
        if len(self) >= KNOWN:
            self.clear()
            self[MARK.encode()] = END
        found = [stem for word in tokens(form.decode("utf-8", "ignore")) if (stem := self.stems[word])]
        self[form] = number = self.numbers.get(found[0], OTHER) if found else NOTHING
        return number

    def of(self, text: str) -> Ints:
        """The numbers of the words of a text, in their order."""
        forms, odd = _forms(text)
        if odd:
            forms = [part for form in forms for part in (_parts(form) if _is_odd(form) else (form,))]
        return np.fromiter(map(self.__getitem__, forms), np.int64, len(forms))

    def counts(self, text: str) -> Ints:
        """How often each number is in a text; the mark counts as NOTHING."""
        forms, odd = _forms(text)
        if not odd:
            numbers = np.fromiter(map(self.__getitem__, forms), np.int64, len(forms))
            return np.bincount(numbers.clip(NOTHING), minlength=1)
        tally = Counter(forms)
        for form in list(filter(_is_odd, tally)):
            count = tally.pop(form)
            for part in _parts(form):
                tally[part] += count
        numbers = np.fromiter(map(self.__getitem__, tally), np.int64, len(tally))
        return np.bincount(numbers.clip(NOTHING), list(tally.values()), 1).astype(np.int64)


def _forms(text: str) -> tuple[list[bytes], bool]:
    """What stands between spaces and signs, and whether some of it has to be looked at more closely."""
    raw = text.encode("utf-8", "ignore")
    return raw.translate(_PARTED).split(), bool(raw.translate(None, _ORDINARY))


def _is_odd(form: bytes) -> bool:
    return not form.isascii() and bool(form.translate(None, _ORDINARY))


def _parts(form: bytes) -> list[bytes]:
    return [word.encode("utf-8", "ignore") for word in tokens(form.decode("utf-8", "ignore"))]


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
        return self._numbers.of(text)

    def bag(self, text: str) -> tuple[Ints, Ints]:
        """The numbers of the words in a text, each once, and how often each is there; OTHER stands for many words."""
        counts = self._numbers.counts(text)
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
