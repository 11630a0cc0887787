"""What was seen before, in little memory: a few bits for each, so that now and then something new is taken for known."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ...codec import saved

FIRST, LAST = 1 << 10, 1 << 15  # bytes of the first and of the largest parts
FILLED = 8  # a part is full with one number for so many of its bits
SHIFTS = (0, 16, 32)  # a number sets three bits: one for each of these parts of it
PARTS = 7  # the oldest of them is forgotten


@saved
@dataclass(slots=True)
class Remembered:
    """Parts that become larger; a third of the bits of each is set at most. They are bytes that can be changed, or were
    restored and cannot yet."""

    parts: list[Any] = field(default_factory=list)
    left: int = 0  # that the last one can take

    def is_new(self, key: int) -> bool:
        """Whether a number was not seen before; it is remembered."""
        keys = [key >> shift for shift in SHIFTS]
        for part in self.parts:
            size = 8 * len(part)
            if all(part[(place % size) >> 3] >> (place & 7) & 1 for place in keys):
                return False
        last = self._last()
        for place in keys:
            last[(place >> 3) % len(last)] |= 1 << (place & 7)
        self.left -= 1
        return True

    def _last(self) -> bytearray:
        if not self.left:
            size = min(2 * len(self.parts[-1]), LAST) if self.parts else FIRST
            self.parts, self.left = [*self.parts[1 - PARTS :], bytearray(size)], 8 * size // FILLED
        if not isinstance(self.parts[-1], bytearray):
            self.parts[-1] = bytearray(self.parts[-1])
        last: bytearray = self.parts[-1]
        return last
