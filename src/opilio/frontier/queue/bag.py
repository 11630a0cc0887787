"""Entries that come out smallest first, put in order no further than somebody looks.

A quicksort that stops when it has the first few: what is near is sorted, the rest lies in buckets, each beyond the one
before it. Entries are touched in passes and not one here, one there, so that a pile need not fit into a cache.
"""

from __future__ import annotations

import struct
from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator
from itertools import chain, starmap
from typing import Any, TypeAlias

Value: TypeAlias = Any  # float; in memory also Fraction or int
Rank: TypeAlias = tuple[Value, int]  # (-value, key): the order inside a lane, whatever the lane weighs

NEAR = 8  # entries that are kept in order while more come in
SPLIT = 1024  # entries that are put in order at a time
ENTRY = struct.Struct("dq")
MOVE = struct.Struct("qdd")


class Packed:
    """A list of ranks, 16 bytes each; their values must be floats."""

    __slots__ = ("data",)

    def __init__(self, ranks: Iterable[Rank] = ()) -> None:
        self.data = bytearray(b"".join(starmap(ENTRY.pack, ranks)))

    def __len__(self) -> int:
        return len(self.data) >> 4

    def __getitem__(self, at: int) -> Rank:
        return ENTRY.unpack_from(self.data, at << 4 if at >= 0 else len(self.data) + (at << 4))

    def __iter__(self) -> Iterator[Rank]:
        return ENTRY.iter_unpack(bytes(self.data))

    def append(self, rank: Rank) -> None:
        self.data += ENTRY.pack(*rank)

    def insert(self, at: int, rank: Rank) -> None:
        self.data[at << 4 : at << 4] = ENTRY.pack(*rank)

    def pop(self) -> Rank:
        last = self[-1]
        del self.data[-16:]
        return last

    def __delitem__(self, at: int) -> None:
        del self.data[at << 4 : (at + 1) << 4]


class Pile:
    """Entries are put in and removed in any order; the first one is always known."""

    __slots__ = ("far", "moved", "near", "ranks", "rest", "size", "void")

    def __init__(self, ranks: Any) -> None:
        self.ranks = ranks  # what holds them: Packed, or list where values are not floats
        self.size = 0
        self.near: Any = ranks()  # in order
        self.rest: Any = None  # none of these comes before the last that is near
        self.far: list[tuple[Rank, Any]] | None = None  # buckets and their lower bounds, the nearest last
        self.void: set[Rank] | None = None  # removed, and still to be found in a bucket, once
        self.moved: Any = None  # for each move: key, value where it lies, value where it belongs; packed, or in a list

    def put(self, rank: Rank) -> None:
        """Take in an entry that is not there."""
        near = self.near
        if len(near) == self.size or (near and rank < near[-1]):
            insort(near, rank)
            if len(near) > NEAR:
                self._behind(near.pop())
        else:
            self._behind(rank)
        self.size += 1

    def remove(self, rank: Rank) -> None:
        """Take out an entry that is there."""
        if self.moved:
            self.move()
        self.size -= 1
        near = self.near
        if near and near[0] == rank:
            del near[0]
            return
        at = bisect_left(near, rank)
        if at < len(near) and near[at] == rank:
            del near[at]
            return
        if self.void is None:
            self.void = set()
        self.void.add(rank)
        if len(self.void) > self.size // 8 + 16:
            self._tidy()

    def displace(self, key: int, was: Value, now: Value) -> bool:
        """Move an entry when somebody looks, with all that are moved meanwhile; whether it is the first of these."""
        first = self.moved is None
        if self.ranks is not Packed:
            self.moved = self.moved or []
            self.moved.append((key, was, now))
        else:
            self.moved = self.moved or bytearray()
            self.moved += MOVE.pack(key, was, now)
        return first

    def key(self) -> int:
        """The key of the first entry, which somebody has looked at."""
        key: int = self.near[0][1]
        return key

    def pop(self) -> None:
        """Take out the first entry, which somebody has looked at."""
        del self.near[0]
        self.size -= 1

    def head(self) -> Rank | None:
        """The first entry."""
        if not self.size:
            return None
        if self.moved:
            self.move()
        if not self.near:
            self._approach(self._nearest())
        first: Rank = self.near[0]
        return first

    def move(self) -> None:
        """Put those where they belong that were moved; when these are many, all are put in order anew."""
        moves, self.moved = self.moved, None
        if self.ranks is Packed:
            moves = list(MOVE.iter_unpack(moves))
        now = {key: value for key, _, value in moves}
        if len(now) * 4 > self.size:
            standing = [rank for rank in self if rank[1] not in now]
            self.rest = self.far = self.void = None
            self._approach(standing + [(value, key) for key, value in now.items()])
            return
        was = {key: value for key, value, _ in reversed(moves)}  # where it lies: what its first move says
        for key, value in now.items():
            self.remove((was[key], key))
            self.put((value, key))

    def __iter__(self) -> Iterator[Rank]:
        if self.moved:
            self.move()
        void = self.void or ()
        buckets = chain(self.rest or (), *(bucket for _, bucket in self.far or ()))
        return chain(self.near, (rank for rank in buckets if rank not in void))

    def unpack(self) -> None:
        """Make ready for values that are not floats."""
        if self.moved:
            self.move()
        self.ranks, self.near, self.rest = list, list(self.near), list(self.rest or ())
        self.far = [(bound, list(bucket)) for bound, bucket in self.far or ()]

    def fill(self, packed: bytes) -> None:
        """Take in many entries at once, while nothing is near."""
        self.rest = self.rest or self.ranks()
        self.rest.data += packed
        self.size = len(self.rest)

    def _behind(self, rank: Rank) -> None:
        if self.void and rank in self.void:
            self.void.discard(rank)  # its old self counts again
            return
        bucket = self.rest
        if bucket is None:
            bucket = self.rest = self.ranks()
        for bound, beyond in reversed(self.far or ()):
            if rank < bound:
                break
            bucket = beyond
        bucket.append(rank)

    def _nearest(self) -> list[Rank]:
        entries = self._standing(self.rest or ())
        while self.far and not entries:
            entries = self._standing(self.far.pop()[1])
        return entries

    def _approach(self, entries: list[Rank]) -> None:
        """Sort the nearest bucket; a large one is divided before."""
        while len(entries) > SPLIT:
            sample = sorted(entries[:: max(1, len(entries) // 32)])
            bound = sample[len(sample) // 2]
            self.far = self.far or []
            self.far.append((bound, self.ranks(rank for rank in entries if rank >= bound)))
            entries = [rank for rank in entries if rank < bound]
        entries.sort()
        self.near, self.rest = self.ranks(entries), None

    def _standing(self, bucket: Iterable[Rank]) -> list[Rank]:
        """What was not removed of a bucket that is about to go."""
        entries = list(bucket)
        if not self.void:
            return entries
        standing = [rank for rank in entries if rank not in self.void]
        self.void.difference_update(entries)
        return standing

    def _tidy(self) -> None:
        self.rest = self.ranks(self._standing(self.rest or ()))
        self.far = [(bound, self.ranks(self._standing(bucket))) for bound, bucket in self.far or ()]
        self.void = None
