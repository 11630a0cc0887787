"""Rows as they are written: versions into the log, offers and what is kept into the texts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import starmap
from typing import Any

from ...codec import pack
from ...nouns import Offer
from ..rows import Place, Row
from . import offers as texts
from .first_offers import Firsts
from .nearest_offers import Near
from .offers import Texts, place_bytes, read_offer
from .row_log import Log, index_entry
from .row_log_records import (
    DONE,
    FETCHED,
    FIRST,
    FLOAT,
    NOTED,
    RECORD,
    START,
    TEXT,
    VOID,
    WHOLE,
    WORTH,
    Record,
    Records,
    bits_of,
    heads,
)

OPEN, KEPT = 1, 2


class RowWriter:
    """Writes rows that changed, and counts what there is: URLs that are open, places, and rows with something kept."""

    def __init__(self, log: Log, texts: Texts, near: Near, sums: bool) -> None:
        self.open = self.places = self.keeps = 0
        self.firsts = Firsts()
        self._log = log
        self._texts = texts
        self._near = near
        self._sums = sums
        self._written = 0

    def write(self, rows: Mapping[int, Row]) -> set[int]:
        """Write rows, by keys; says of which keys the texts were moved, so that what is cached is out of date."""
        moved: set[int] = set()
        records, others = richer(rows) if self._sums else (b"", rows)
        if records:
            self._log.write_cash(records)
        self._log.write(starmap(self._packed, others.items()))
        self._written += self._flush()
        while self._written >= texts.CLEAR // 2:  # twice as many are cleared as are written, so that it comes to an end
            self._written -= texts.CLEAR // 2
            if self._texts.crowded(self.places + self.keeps):
                self._texts.clear(lambda old: moved.update(self._move(old)))
                self._flush()
                self.firsts.forget(self._texts.first)
        return moved

    def count(self, records: Records, leased: Collection[int]) -> None:
        """Count what was written before, as the log has it."""
        from .row_log_columns import but

        first = heads(records)
        self.firsts.fill(first[first["flags"] & FIRST != 0])
        self.places += int((records["lane"] >= 0).sum())
        self.keeps += int(((first["kept"] != 0) & (first["flags"] & NOTED == 0)).sum())
        self.open += int((but(first, leased)["lane"] >= 0).sum())

    def offer(self, place: Place) -> Offer:
        """The offer of a place, wherever it is."""
        if not isinstance(place.offer, Offer):
            data = place.offer or self._texts.read(place.number)
            place.offer = read_offer(data, place.value, place.queue.name)
        return place.offer

    def _flush(self) -> int:
        self._log.flush(self.places + len(self._log.index))
        return self._texts.flush()

    def _packed(self, key: int, row: Row) -> tuple[int, bytes, int]:
        if row.kept and not row.number and not _is_number(row.kept):
            row.number = self._texts.add(key, pack(row.kept))
        if row.written != (now := figures(row)):
            self._count(row, now)
        if row.places:
            return self._standing(key, row)
        self._near.drop(key)
        return _alone(key, row)

    def _count(self, row: Row, now: int) -> None:
        was, row.written = row.written, now
        self.open += (now & OPEN) - (was & OPEN)
        self.keeps += (now >> 1 & 1) - (was >> 1 & 1)
        self.places += (now >> 2) - (was >> 2)

    def _standing(self, key: int, row: Row) -> tuple[int, bytes, int]:
        """A row that stands in lanes; if it is there for the first offer, what is written of that will be enough to read."""
        place, *others = row.places
        value, number, cash, host = place.value, place.number, row.cash, row.host
        (kept, flags), worth, tag = _noted(row), cash if self._sums else value, WHOLE
        if not number:
            number = self._number(key, place)
            if flags == START and not others and not kept and worth == value:
                flags, tag = START | FIRST, number << 2 | TEXT
                self.firsts.set(number, value, place.queue.number)
        data = RECORD.pack(key, host, worth, value, number, kept, place.queue.number, flags)
        if not others and tag == WHOLE and self._sums:
            row.record = data
        for other in others:
            value, number = other.value, other.number or self._number(key, other)
            worth = cash if self._sums else value
            data += RECORD.pack(key, host, worth, value, number, kept, other.queue.number, flags & ~START)
        return key, data, tag

    def _number(self, key: int, place: Place) -> int:
        """Write its offer; packed it stays in memory, since one string is less to the collector than an offer and its link."""
        place.offer = place_bytes(self.offer(place), place.value, place.queue.number)
        place.number = self._texts.add(key, place.offer)
        self._near.put(key, place, place.offer)
        return place.number

    def _move(self, old: Iterable[tuple[int, int, bytes]]) -> Iterable[int]:
        """Add those texts again that a row needs; the keys of these rows."""
        found = self._log.read({key for _, key, _ in old})
        moved: dict[int, list[Record]] = {}
        for number, key, data in old:
            records = found.get(key, [])
            if any(number in _texts_of(record) for record in records):
                new = self._texts.add(key, data)
                found[key] = moved[key] = [_renumbered(record, number, new) for record in records]
                if records[0].flags & FIRST:
                    self.firsts.set(new, records[0].best, records[0].lane)
        self._log.write(
            (key, b"".join(starmap(RECORD.pack, records)), index_entry(records)) for key, records in moved.items()
        )
        return moved


def richer(rows: Mapping[int, Row]) -> tuple[bytes, Mapping[int, Row]]:
    """The records, with the cash that they have now, of rows of which no more than that changed; and the other rows."""
    some = [row for row in rows.values() if row.record]
    if not some:
        return b"", rows
    records = bytearray().join([row.record for row in some])
    for place, row in enumerate(some):
        FLOAT.pack_into(records, place * RECORD.size + WORTH, row.cash)
    return bytes(records), {key: row for key, row in rows.items() if not row.record}


def _alone(key: int, row: Row) -> tuple[int, bytes, int]:
    """A row that stands in no lane."""
    cash, (kept, flags) = row.cash, _noted(row)
    tag = WHOLE if cash or kept or flags & NOTED else DONE if flags & FETCHED else VOID
    return key, RECORD.pack(key, 0, cash, 0.0, 0, kept, -1, flags), tag


def _is_number(kept: tuple[Any, ...]) -> bool:
    """Whether there is room in the record for what is kept."""
    return len(kept) == 1 and type(kept[0]) is float


def _noted(row: Row) -> tuple[int, int]:
    """What a record says of what is kept, and its flags."""
    flags = FETCHED | START if row.fetched else START
    return (row.number, flags) if row.number or not row.kept else (bits_of(row.kept[0]), flags | NOTED)


def _texts_of(record: Record) -> tuple[int, ...]:
    """The numbers of the texts that a record needs."""
    return (record.offer,) if record.flags & NOTED else (record.offer, record.kept)


def _renumbered(record: Record, was: int, now: int) -> Record:
    """A record that needs a text which has another number now."""
    if record.offer == was:
        return record._replace(offer=now)
    return record._replace(kept=now) if was in _texts_of(record) else record


def figures(row: Row) -> int:
    """What a row counts for, in one number: whether it is open, whether something is kept, and how many places it has."""
    places = len(row.places)
    return places << 2 | (KEPT if row.number else 0) | (OPEN if places and not row.leased else 0)
