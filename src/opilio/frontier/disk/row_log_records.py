"""What the log is made of: records of 56 bytes, one or more for each version of a row."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Flags: the first record of a version has START; of FIRST, its text says all there is; of NOTED, what is kept is one number,
# and stands in the record instead of the number of a text.
FETCHED, START, FIRST, NOTED = 1, 2, 4, 8
# What the index says of a version: read it; only that it was fetched; nothing at all; read the text that it has the number of.
WHOLE, DONE, VOID, TEXT = 0, 1, 2, 3


class Record(NamedTuple):
    """One URL in one lane; or, when it stands in none, the URL alone, with lane -1."""

    key: int
    host: int
    worth: float  # the value that counts for the price; the credit of a URL in no lane
    best: float  # the value of the offer
    offer: int  # numbers in frontier_texts, 0 for none
    kept: int  # or, if it is NOTED, the bits of a float
    lane: int
    flags: int


Records: TypeAlias = "NDArray[Any]"
RECORD = struct.Struct("<qqddqqii")
FLAGS, WORTH = 52, 16  # where a record has them
BITS, FLOAT = struct.Struct("<q"), struct.Struct("<d")


def bits_of(value: float) -> int:
    """A float as a number that has its bits."""
    bits: int = BITS.unpack(FLOAT.pack(value))[0]
    return bits


def float_of(bits: int) -> float:
    """The float again."""
    value: float = FLOAT.unpack(BITS.pack(bits))[0]
    return value


def version_at(data: bytes, at: int) -> bytes:
    """The records of a version that starts there."""
    start, size = at * RECORD.size, RECORD.size
    end = start + size
    while end < len(data) and not data[end + FLAGS] & START:
        end += size
    return data[start:end]


def heads(records: Records) -> Records:
    """One record of each version."""
    found: Records = records[records["flags"] & START != 0]
    return found
