"""Rows as they are read: the newest version in the log, or what is known of the only offer that a URL had."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..queue.lane import Queue
from ..rows import Place, Row
from .first_offers import Firsts
from .row_log import Log
from .row_log_records import FETCHED, NOTED, RECORD, float_of
from .row_writer import figures


class RowReader:
    """Makes rows of records; the lanes are given by number, leases by the keys of their URLs."""

    def __init__(
        self, log: Log, firsts: Firsts, queues: Sequence[Queue], leased: Mapping[int, int], sums: bool
    ) -> None:
        self._log = log
        self._firsts = firsts
        self._queues = queues
        self._leased = leased
        self._sums = sums

    def read(self, keys: Sequence[int]) -> Iterator[tuple[int, Row]]:
        """Those that are known, with their keys."""
        texts, others = self._log.apart(keys)
        for key, data in self._log.versions(others).items():
            yield key, self._row(key, data)
        for number, key in texts.items():
            yield key, self._first(key, number)

    def _first(self, key: int, number: int) -> Row:
        """A row as it was when its first offer had been written."""
        value, lane = self._firsts.get(number)
        row = Row(cash=value if self._sums else 0)
        row.places = (Place(self._queues[lane], value, None, number),)
        row.leased = self._leased.get(key, 0)
        row.written = figures(row)
        return row

    def _row(self, key: int, data: bytes) -> Row:
        _, _, worth, best, offer, kept, lane, flags = RECORD.unpack_from(data)
        row = Row(bool(flags & FETCHED), worth if self._sums else 0)
        if flags & NOTED:
            row.kept = (float_of(kept),)
        else:
            row.number = kept
        if len(data) > RECORD.size:
            row.places = tuple(Place(self._queues[r[6]], r[3], None, r[4]) for r in RECORD.iter_unpack(data))
        elif lane >= 0:
            row.places = (Place(self._queues[lane], best, None, offer),)
            row.record = data if self._sums else b""
        row.leased = self._leased.get(key, 0)
        row.written = figures(row)
        return row
