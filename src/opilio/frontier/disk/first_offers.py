"""Value and lane of offers by the numbers of their texts, in memory: of a URL that had one offer, there is no more to know."""

from __future__ import annotations

from struct import Struct

from .row_log_records import Records

PLACE = Struct("<di")
COLUMNS = [("best", "<f8"), ("lane", "<i4")]
PART = 16  # bits of a number, inside its part


class Firsts:
    """12 bytes an offer, in parts that come when they are needed and go when all of their texts have gone."""

    def __init__(self) -> None:
        self.parts: dict[int, bytearray] = {}

    def set(self, number: int, value: float, lane: int) -> None:
        PLACE.pack_into(self._part(number >> PART), (number & (1 << PART) - 1) * PLACE.size, value, lane)

    def get(self, number: int) -> tuple[float, int]:
        """Value and lane of an offer that was set."""
        value, lane = PLACE.unpack_from(self.parts[number >> PART], (number & (1 << PART) - 1) * PLACE.size)
        return value, lane

    def fill(self, records: Records) -> None:
        """Set those of many records."""
        import numpy as np  # where there are records, it is there already

        parts, places = np.divmod(records["offer"], 1 << PART)
        for part in np.unique(parts).tolist():
            here = parts == part
            columns = np.frombuffer(self._part(part), dtype=COLUMNS)
            columns["best"][places[here]] = records["best"][here]
            columns["lane"][places[here]] = records["lane"][here]

    def forget(self, before: int) -> None:
        """Texts with smaller numbers have gone."""
        for part in [part for part in self.parts if part + 1 << PART <= before]:
            del self.parts[part]

    def _part(self, part: int) -> bytearray:
        if part not in self.parts:
            self.parts[part] = bytearray(PLACE.size << PART)
        return self.parts[part]
