"""How high numbers in [0, 1] stand among those seen so far."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..codec import saved
from ..text.vocabulary import Floats

BINS = 64


@saved
@dataclass(slots=True)
class Percentiles:
    """A histogram of numbers in [0, 1]."""

    counts: list[int] = field(default_factory=lambda: [0] * BINS)
    total: int = 0

    def add(self, value: float) -> None:
        self.counts[min(BINS - 1, max(0, int(value * BINS)))] += 1
        self.total += 1

    def of(self, values: Floats) -> Floats:
        """The share of what was seen that is below; of what falls into the same bin, half. 0.5 when nothing was seen."""
        if not self.total:
            return np.full(len(values), 0.5)
        counts = np.array(self.counts)
        found: Floats = (np.cumsum(counts) - counts / 2) / self.total
        return found[np.minimum(BINS - 1, np.maximum(0, (values * BINS).astype(np.intp)))]
