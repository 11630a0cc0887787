"""A fixed vocabulary and what is scored with it: words become numbers once, then numpy does the rest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from .. import native
from ..batch import Many, column
from ..model_file import Saved
from ..nouns import Link, Page
from .tokens import KNOWN, MARK, Stems, stems, tokens
from .word_lookup import Floats as Floats
from .word_lookup import Ints as Ints
from .word_lookup import Lookup

if TYPE_CHECKING:
    import numpy.typing as npt

SPELLED, SHORT = 1 << 14, 1024  # texts between spaces that are remembered, and bytes of each
NOTHING, OTHER, FIRST, END = 0, 1, 2, -1  # stop words; words outside the vocabulary; its first word; the mark


# Most texts need no more than this: bytes that part words (ASCII signs; what begins the signs of U+0080-BF and U+2000-2FFF)
# become spaces, ASCII letters lower case, the rest stays. What is left of such signs is no UTF-8 and vanishes in decoding.
_SPACES = frozenset(range(128)) - frozenset(b"0123456789abcdefghijklmnopqrstuvwxyz") - {ord(MARK)} | {0xC2, 0xE2}
_PARTED = bytes(32 if byte in _SPACES else byte for byte in bytes(range(256)).lower())
# Accents on their own, scripts without spaces and letters of odd width need the long way.
_ODD = re.compile(rb"[\xcc\xcd\xe0\xe1\xe3-\xf7]")
_AT_ONCE = bytes(0 if _ODD.match(bytes([byte])) else _PARTED[byte] for byte in range(256)).replace(MARK.encode(), b" ")
_ORDINARY = bytes(byte for byte in range(256) if not _ODD.match(bytes([byte])))


class Numbers(dict[bytes, int]):
    """Surface form -> number of its stem; NOTHING for stop words, OTHER outside the vocabulary; bounded."""

    def __init__(self, stems: Stems, numbers: dict[str, int]) -> None:
        super().__init__({MARK.encode(): END})
        self.stems, self.numbers = stems, numbers
        self.lookup = Lookup(self.__getitem__, KNOWN, 2 * len(numbers))

    def __missing__(self, form: bytes) -> int:
        if len(self) >= KNOWN:
            self.clear()
            self[MARK.encode()] = END
        text = form.decode("utf-8", "ignore")
        words = (text,) if text.isascii() else tokens(text)
        found = [stem for word in words if (stem := self.stems[word])]
        self[form] = number = self.number(found[0]) if found else NOTHING
        return number

    def number(self, stem: str) -> int:
        return self.numbers.get(stem, OTHER)

    def of(self, text: str) -> Ints:
        """The numbers of the words of a text, in their order."""
        raw = text.encode("utf-8", "ignore")
        parted = raw.translate(_PARTED)
        if not raw.isascii() and raw.translate(None, _ORDINARY):
            parted = spelled(parted)
        return self.lookup.numbers(parted)

    def rows(self, texts: Sequence[str]) -> tuple[Ints, Ints] | None:
        """The same for many texts, where it can be done at once."""
        return self.lookup.rows(list(texts), _AT_ONCE, END)

    def sums(self, texts: Sequence[str], weights: Floats) -> Floats | None:
        """What the words of each of many texts weigh together, where it can be done at once."""
        return self.lookup.sums(list(texts), _AT_ONCE, weights)

    def read(self, title: str, links: Sequence[Link]) -> tuple[Ints, Ints] | None:
        """The same for a title, the text of the page that has these links, and their own words, where that can be done."""
        packed, numbers = _packed(links)
        return self.lookup.read([title], packed, numbers, _AT_ONCE, END) if packed else None

    def promised(self, links: Sequence[Link], weights: Floats) -> Floats | None:
        """What the contexts of links weigh, and then their own words, where that can be done at once."""
        packed, numbers = _packed(links)
        found = self.lookup.promised(packed, _AT_ONCE, weights) if packed else None
        return found if found is None or numbers is None else found.reshape(2, -1)[:, numbers].ravel()


def _packed(links: Sequence[Link]) -> tuple[bytes, list[int] | None]:
    """What the links of a page say, if it was packed, and the numbers of those that count."""
    if native.has("read") and isinstance(links, Many):
        return links.packed() or b"", links.numbers
    return b"", None


class Spelled(dict[bytes, bytes]):
    """What stands between two spaces -> its words, with spaces between them; bounded."""

    def __missing__(self, form: bytes) -> bytes:
        found = form
        if _ODD.search(form):
            found = " ".join(tokens(form.decode("utf-8", "ignore"))).encode("utf-8", "ignore")
        if len(form) <= SHORT:
            if len(self) >= SPELLED:
                self.clear()
            self[form] = found
        return found


_SPELLED = Spelled()  # the words around one link are around the next one, too


def spelled(parted: bytes) -> bytes:
    """A text that is parted already, with spaces between words where its script has none."""
    return b" ".join(map(_SPELLED.__getitem__, parted.split(b" ")))


@lru_cache(maxsize=2)
def _numbers(language: str, words: tuple[str, ...]) -> Numbers:
    """Shared by the parts of a model, also after it was loaded: what one of them has looked up the others need not."""
    return Numbers(stems(language), {word: number for number, word in enumerate(words, FIRST)})


class Vocabulary(Saved):
    """Words of one language, numbered from FIRST; arrays that go with it have a place for every number."""

    def __init__(self, language: str, words: Iterable[str]) -> None:
        self.language, self.words = language, tuple(words)
        self._numbers = _numbers(language, self.words)

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
        return bagged(self.numbers(text))

    def rows(self, texts: Sequence[str]) -> tuple[Ints, Ints]:
        """The numbers of the words of many texts in one go, and where each text starts; its first number is a mark."""
        return self._numbers.rows(texts) or self._long_rows(texts)

    def _long_rows(self, texts: Sequence[str]) -> tuple[Ints, Ints]:
        joined = f" {MARK} ".join(texts)
        if joined.count(MARK) >= len(texts):
            joined = f" {MARK} ".join(text.replace(MARK, " ") for text in texts)
        numbers = self.numbers(f"{MARK} {joined}" if texts else "")
        return numbers, (numbers == END).nonzero()[0]

    def sums(self, texts: Sequence[str], weights: Floats) -> Floats:
        """What the words of each text weigh together."""
        found = self._numbers.sums(texts, weights)
        return sums(weights, *self._long_rows(texts)) if found is None else found

    def read(self, page: Page) -> tuple[Ints, Ints]:
        """As `rows` of the title of a page, its text, and the own words of each of its links."""
        found = self._numbers.read(page.title, page.links)
        return self.rows([page.title, page.text, *column(page.links, "anchor")]) if found is None else found

    def promised(self, links: Sequence[Link], weights: Floats) -> Floats:
        """What the words of the contexts of links weigh together, and then their own."""
        found = self._numbers.promised(links, weights)
        return self.sums([*column(links, "context"), *column(links, "anchor")], weights) if found is None else found


def bagged(numbers: Ints) -> tuple[Ints, Ints]:
    """Each number once, and how often it is there; NOTHING and the mark left out."""
    if native.has("bag"):
        found, counts = native.functions.bag(numbers)
        return np.frombuffer(found, np.int64), np.frombuffer(counts, np.int64)
    return bagged_plainly(numbers)


def bagged_plainly(numbers: Ints) -> tuple[Ints, Ints]:
    """The same in Python."""
    counts = np.bincount(np.maximum(numbers, NOTHING), minlength=1)
    counts[NOTHING] = 0
    found = counts.nonzero()[0]
    return found, counts[found]


def sums(weights: Floats, numbers: Ints, starts: Ints) -> Floats:
    """The sum of the weights of each row, added up one after the other."""
    row = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(numbers)))
    return np.bincount(row, weights.take(numbers), len(starts)).astype(np.float64, copy=False)
