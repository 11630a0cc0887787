"""What the log is made of: records of 56 bytes, one or more for each version of a row."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

# Flags: the first record of a version has START; of FIRST, its text says all there is; of NOTED, what is kept is one number,
# and stands in the record instead of the number of a text.
FETCHED, START, FIRST, NOTED = 1, 2, 4, 8


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


Records = NDArray[Any]
RECORD = struct.Struct("<qqddqqii")
FLAGS = 52  # where a record has them
COLUMNS = np.dtype(list(zip(Record._fields, ["<i8", "<i8", "<f8", "<f8", "<i8", "<i8", "<i4", "<i4"], strict=True)))


BITS, FLOAT = struct.Struct("<q"), struct.Struct("<d")


def bits_of(value: float) -> int:
    """A float as a number that has its bits."""
    bits: int = BITS.unpack(FLOAT.pack(value))[0]
    return bits


def float_of(bits: int) -> float:
    """The float again."""
    value: float = FLOAT.unpack(BITS.pack(bits))[0]
    return value


def versions(records: Records) -> Iterator[tuple[int, bytes]]:
    """Keys and records, packed, of one after the other."""
    starts, data, size = np.flatnonzero(records["flags"] & START), records.tobytes(), RECORD.size
    for key, (start, end) in zip(
        records["key"][starts].tolist(), pairwise([*starts.tolist(), len(records)]), strict=True
    ):
        yield key, data[start * size : end * size]


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


def by_bag(records: Records) -> Iterator[tuple[tuple[int, int], bytes]]:
    """Lane and host, with the ranks that stand there, packed."""
    records = records[np.lexsort((records["host"], records["lane"]))]
    ranks = np.empty(len(records), dtype=[("value", "<f8"), ("key", "<i8")])
    ranks["value"], ranks["key"] = -records["worth"], records["key"]
    packed, size = ranks.tobytes(), ranks.itemsize
    changes = (np.diff(records["host"]) != 0) | (np.diff(records["lane"]) != 0)
    edges = [0, *(np.flatnonzero(changes) + 1).tolist(), len(records)] if len(records) else [0]
    lanes, hosts = records["lane"].tolist(), records["host"].tolist()
    for start, end in pairwise(edges):
        yield (lanes[start], hosts[start]), packed[start * size : end * size]
