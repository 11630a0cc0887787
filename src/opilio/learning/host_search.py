"""Looking around among a few hosts: a draw to those of which little was fetched.

The draw of a host with n of the N pages fetched is an upper confidence bound, 2·(√(ln(1+N)/(1+n)) - √(ln(1+N)/(1+N))), times
min(1, N/K²), K being the hosts that links led to so far. With one host it is nothing; with many it stays small until there
were as many pages a host as there are hosts, since a few pages of each would take the whole crawl.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import log, sqrt

import numpy as np

from ..codec import saved
from ..text.vocabulary import Floats
from ..urls import digest, host
from .evidence_kinds import address_kinds
from .track_record import TrackRecord

DRAW = 2.0  # log odds
MOST = 1000  # hosts counted: with so many there is no draw for long
AUTHORITY = len("https://")  # where that of a URL has begun at the latest
TOLD = 0.1  # log odds from which a draw is told


@saved
@dataclass(slots=True)
class HostSearch:
    """The hosts that links led to, by digest."""

    hosts: dict[int, bool] = field(default_factory=dict)

    def see(self, urls: Iterable[str]) -> None:
        """Links to these were seen."""
        if len(self.hosts) >= MOST:
            return
        for name in {host(origin) for origin in {url[: url.find("/", AUTHORITY)] for url in urls}}:
            if len(self.hosts) < MOST:
                self.hosts[digest(name)] = True

    def draws(self, record: TrackRecord, urls: Sequence[str]) -> Floats:
        """How much is added to the log odds that fetching each URL pays."""
        pages, known = record.pages, len(self.hosts)
        if known < 2:
            return np.zeros(len(urls))
        hosts = np.array([address_kinds(url)[0] for url in urls], np.int64)
        seen = record.rows[record.numbers(hosts), 0]
        spread, there = sqrt(log(1 + pages)), np.minimum(pages, seen)
        found: Floats = DRAW * min(1.0, pages / known**2) * spread * (1 / np.sqrt(1 + there) - 1 / sqrt(1 + pages))
        return found

    def reasons(self, record: TrackRecord, url: str) -> list[str]:
        """The draw in words, where there is one to speak of."""
        more = float(self.draws(record, [url])[0])
        if more < TOLD:
            return []
        there = record.seen(address_kinds(url)[0])[0]
        return [f"{there:.0f} of {record.pages:.0f} pages were of its host, so it counts {more:.1f} more: exploration"]
