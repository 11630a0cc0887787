"""Words of a text found in a table all at once: by hashes that numpy computes for the whole text in a few steps.

The hash of a word is Σ byte·r^place modulo 2^64, with r odd: differences of one running sum, divided by a power of r, are the
hashes of all words of a text. Words that are not in the table yet are looked up one by one, and of one text not without end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from .. import native
from ..secret import SECRET

if TYPE_CHECKING:
    import numpy.typing as npt

Ints: TypeAlias = "npt.NDArray[np.int64]"
Floats: TypeAlias = "npt.NDArray[np.float64]"
Hashes: TypeAlias = "npt.NDArray[np.uint64]"
Missing: TypeAlias = dict[int, bytes]  # words by their hashes
Found = TypeVar("Found", bound=tuple[Any, ...])  # what was found, and last what is missing

SPACE = 32
PIECE = 1 << 16  # bytes of a text that are hashed in one go
FIRST_BITS = 10  # of the address in the table, at least
FULL = 0.25  # it doubles when more of it is taken
MOST_NEW = 1 << 15  # words that one text may add, twice those of a long novel; the rest counts as stop words


class Lookup:
    """Word -> number, for words in bytes that are parted by spaces; `look` is asked for each, and again after `most`."""

    def __init__(self, look: Callable[[bytes], int], most: int, expected: int = 0) -> None:
        self.look, self.most = look, most
        self.bits = max(FIRST_BITS, int(expected / FULL).bit_length())
        self._last = b"", b"", b""  # of the page that was read last: as it was packed, numbers, and where they are
        self._empty(self.bits)

    def numbers(self, text: bytes) -> Ints:
        """The numbers of the words of a text, in their order."""
        found, room = list[Ints](), self._room()
        for piece in pieces(text):
            some, room = self._learned(partial(self._find, piece), room)
            found.extend(some[:1] if some else ())
        return found[0] if len(found) == 1 else np.concatenate([np.zeros(0, dtype=np.int64), *found])

    def rows(self, texts: list[str], parted: bytes, mark: int) -> tuple[Ints, Ints] | None:
        """The same for many texts at once, with a mark before each, and where these are; None where it takes the long way.

        `parted` says what becomes of each byte: a space, another letter, or 0 for those that need the long way.
        """
        if not native.has("rows") or sum(map(len, texts)) > PIECE:
            return None
        look = partial(native.functions.rows, texts, parted, mark)
        found, _ = self._learned(lambda: look(self.table, self.shift), self._room())
        return (np.frombuffer(found[0], np.int64), np.frombuffer(found[1], np.int64)) if found else None

    def sums(self, texts: list[str], parted: bytes, weights: Floats) -> Floats | None:
        """What the words of each text weigh together, where `rows` need not take the long way."""
        if not native.has("sums") or sum(map(len, texts)) > PIECE:
            return None
        look = partial(native.functions.sums, texts, parted)
        found, _ = self._learned(lambda: look(self.table, self.shift, weights), self._room())
        return np.frombuffer(found[0]) if found else None

    def read(
        self, texts: list[str], packed: bytes, wanted: list[int] | None, parted: bytes, mark: int
    ) -> tuple[Ints, Ints] | None:
        """As `rows` of some texts, of a page's text, and of what its links say, all or those wanted, as these were packed."""
        look = partial(native.functions.read, texts, packed, wanted, parted, mark)
        found, _ = self._learned(lambda: look(self.table, self.shift), self._room())
        if not found:
            return None
        numbers, starts, runs, _ = found
        self._last = packed, numbers, runs
        return np.frombuffer(numbers, np.int64), np.frombuffer(starts, np.int64)

    def promised(self, packed: bytes, parted: bytes, weights: Floats) -> Floats | None:
        """What the contexts of a page's links weigh, and then their own words; mostly the page was read just before."""
        read = self._last[1:] if self._last[0] is packed else (b"", b"")
        look = partial(native.functions.promised, packed, parted)
        found, _ = self._learned(lambda: look(self.table, self.shift, weights, *read), self._room())
        return np.frombuffer(found[0]) if found else None

    def _room(self) -> int:
        """How many words a text may add. A full table starts afresh, but never amid a text: its words would go missing again."""
        if self.taken > self.most:
            self._empty(self.bits)
        return MOST_NEW

    def _learned(self, look: Callable[[], Found | None], room: int) -> tuple[Found | None, int]:
        """What is found once the words are learned that were missing, as far as there is room, and how much is left of that."""
        while (found := look()) and found[-1] and room > 0:
            fresh = dict(islice(found[-1].items(), room))
            self._learn(fresh)
            room -= len(fresh)
        return found, room

    def _find(self, text: bytes) -> tuple[Ints, Missing]:
        """The numbers of the words that are in the table; and those that are not, by their hashes."""
        if not native.has("find"):
            return self._find_plainly(text)
        found, missing = native.functions.find(text, self.table, self.shift)
        return np.frombuffer(found, np.int64), {key: text[start:end] for _, key, start, end in missing}

    def _find_plainly(self, text: bytes) -> tuple[Ints, Missing]:
        hashes, starts, ends = hashed(text)
        places, missing = self._places(hashes)
        return self.values.take(places), {int(hashes[n]): text[starts[n] : ends[n]] for n in missing}

    def _places(self, hashes: Hashes) -> tuple[Ints, Ints]:
        """Where each hash is in the table, or would be; and which ones are not there."""
        places = (hashes >> np.uint64(self.shift)).view(np.int64)
        wrong = (self.keys.take(places) != hashes).nonzero()[0]
        missing = []
        while len(wrong):
            free = self.keys.take(places[wrong]) == 0
            missing.append(wrong[free])
            wrong = wrong[~free]
            places[wrong] = (places[wrong] + 1) & (len(self.keys) - 1)
            wrong = wrong[self.keys.take(places[wrong]) != hashes[wrong]]
        return places, np.sort(np.concatenate(missing)) if missing else wrong

    def _learn(self, fresh: Missing) -> None:
        while self.taken + len(fresh) > FULL * len(self.keys):
            self._double()
        for key, word in fresh.items():
            self._put(key, self.look(word))

    def _put(self, key: int, number: int) -> None:
        place = key >> self.shift
        while self.keys[place]:
            place = (place + 1) & (len(self.keys) - 1)
        self.keys[place], self.values[place] = key, number
        self.taken += 1

    def _double(self) -> None:
        taken = np.flatnonzero(self.keys)
        known = zip(self.keys[taken].tolist(), self.values[taken].tolist(), strict=True)
        self._empty(len(self.keys).bit_length())
        for key, number in known:
            self._put(key, number)

    def _empty(self, bits: int) -> None:
        self.table: Hashes = np.zeros((1 << bits, 2), dtype=np.uint64)  # side by side: what is looked at is near
        self.keys, self.values = self.table[:, 0], self.table.view(np.int64)[:, 1]
        self.shift, self.taken = 64 - bits, 0


def hashed(text: bytes, ratio: int = SECRET) -> tuple[Hashes, Ints, Ints]:
    """The hashes of the words of a piece of text, and where each begins and ends."""
    letters = np.frombuffer(b" %b " % text, dtype=np.uint8)
    spaces = letters == SPACE
    edges = (spaces[1:] != spaces[:-1]).nonzero()[0]
    before, last = edges[0::2], edges[1::2]  # the space before a word, and its last letter
    sums = (letters * _powers(ratio)[: len(letters)]).cumsum()
    inverse = _powers(pow(ratio, -1, 1 << 64))
    return (sums.take(last) - sums.take(before)) * inverse.take(before), before, last


@cache
def _powers(number: int) -> Hashes:
    return np.multiply.accumulate(np.full(PIECE + 2, number, dtype=np.uint64))


def pieces(text: bytes) -> Iterator[bytes]:
    """Parts of a text that end where a word ends, unless the word is longer than a part."""
    while len(text) > PIECE:
        cut = text.rfind(b" ", 0, PIECE)
        cut = cut if cut > 0 else PIECE
        yield text[:cut]
        text = text[cut:]
    yield text
