"""How high a number in [0, 1] stands among those seen so far."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..codec import saved

BINS = 64


@saved
@dataclass(slots=True)
class Percentiles:
    """A histogram of numbers in [0, 1]."""

    counts: list[int] = field(default_factory=lambda: [0] * BINS)
    total: int = 0

    def add(self, value: float) -> None:
        self.counts[_bin(value)] += 1
        self.total += 1

    def of(self, value: float) -> float:
        """The share of what was seen that is below; of what falls into the same bin, half. 0.5 when nothing was seen."""
        if not self.total:
            return 0.5
        place = _bin(value)
        return (sum(self.counts[:place]) + self.counts[place] / 2) / self.total


def _bin(value: float) -> int:
    return min(BINS - 1, max(0, int(value * BINS)))
