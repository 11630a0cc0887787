"""The page limit of a crawl, dealt out to its shards so that all of them together never store more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .protocol import Report


class Allowance:
    """What every shard may store. What one was given and cannot use is asked back when another needs it."""

    def __init__(self, pages: int, shards: int) -> None:
        self.pages = pages
        self._caps: list[int | None] = [None] * shards  # None: not known, for the shard has not reported yet
        self._reborn: set[int] = set()  # shards that died, and have not reported since
        self._asked = [0] * shards  # times that each was asked to give back

    def forget(self, index: int) -> None:
        """A shard has died: until it tells how much was committed, it counts as having used all that it was given."""
        self._reborn.add(index)
        self._asked[index] = 0

    def known(self, index: int) -> tuple[int | None, int]:
        """What a shard may have, None where that is not known yet; and how often it was asked to give back."""
        return None if index in self._reborn else self._caps[index], self._asked[index]

    def dealt(self, reports: Sequence[Report | None], turns: Sequence[int]) -> Iterator[tuple[int, int | None]]:
        """New caps for shards that may send for so many more pages; None asks one to give back what it does not use."""
        for index, report in enumerate(reports):
            if report and (self._caps[index] is None or index in self._reborn):
                self._caps[index] = report.pages
                self._reborn.discard(index)
        caps = [cap for cap in self._caps if cap is not None]
        if len(caps) < len(self._caps):
            return  # nobody knows yet how much is left
        for index, report in enumerate(reports):
            if report and report.given == self._asked[index] and report.cap < caps[index] and report.given:
                self._caps[index] = caps[index] = max(report.cap, report.pages)
        for index, report in enumerate(reports):
            if report and not report.idle and turns[index] and report.given == self._asked[index]:
                yield from self._fed(index, report, turns[index], self.pages - sum(caps), reports)
                caps = [cap or 0 for cap in self._caps]

    def _fed(
        self, index: int, report: Report, turn: int, spare: int, reports: Sequence[Report | None]
    ) -> Iterator[tuple[int, int | None]]:
        cap = self._caps[index] or 0
        left = cap - report.pages - report.in_flight
        # Ever smaller towards the end, so that the shards come to it together.
        more = min(turn - left, -(-spare // (2 * len(self._caps))))
        if 2 * left < turn and more > 0:
            self._caps[index] = cap + more
            yield index, cap + more
        elif left == 0 and spare == 0:
            yield from self._asked_back(reports)

    def _asked_back(self, reports: Sequence[Report | None]) -> Iterator[tuple[int, None]]:
        for other, report in enumerate(reports):
            unused = report and report.idle and report.pages < (self._caps[other] or 0)
            if report and unused and report.given == self._asked[other]:
                self._asked[other] += 1
                yield other, None
