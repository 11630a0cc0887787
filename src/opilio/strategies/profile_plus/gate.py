"""Whom a crawl by profiles follows, whom it asks for a profile, and whom it leaves alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ...codec import saved
from ...nouns import DROP, PARK, Lane, Reweigh, Weight
from ..profile.lanes import ELSE, OUTSIDE, TIE, USER, WHO
from ..profile.uploaders import Uploaders

LAST = 200  # details of ranked users that tell whether their ranks are still worth anything
MOVED = 0.01  # a price that moved by less is left as it is


class Rules(NamedTuple):
    """What a user sets."""

    alpha: float
    beta: float
    threshold: float
    least: float
    enough: int
    wait: bool


@saved
class Bar(NamedTuple):
    """How high the gate stands; it can be saved."""

    floor: float = 0.0  # users of this rank brought too little
    open: bool = False  # all that is left is taken


class Gate(NamedTuple):
    """`prices` (of users, when they were last weighed) and `recent` (of their last details: has it a start tag) change."""

    rules: Rules
    bar: Bar
    people: Uploaders
    prices: dict[int, float]
    recent: list[bool]

    def user(self, number: int) -> Weight:
        """What the details of an uploader are worth: they wait while the rank is unknown or too low."""
        if not self.people.is_known(number) and self.rules.wait and not self.bar.open:
            return PARK
        self.prices[number] = price = self._price(number)
        passes = price > max(self.rules.threshold, self.bar.floor) or self.bar.open
        return Weight(price, TIE) if passes else PARK

    def profile(self, number: int) -> Weight:
        """What the profile of an uploader is worth: it waits until enough links to their details do."""
        if self.people.is_known(number):
            return DROP
        prospect = self.people.prospect(number)
        asked = self._awaited(number) and prospect > self.bar.floor
        return Weight(prospect, TIE) if asked or self.bar.open else PARK

    def other(self) -> Weight:
        """All else has its OPIC score, which is below the threshold but for the first few pages."""
        return Weight(0.0, 1.0) if self.bar.open else PARK

    def lane(self, lane: Lane) -> Weight:
        """What a lane of the crawl is worth that is not of lists."""
        if lane[0] == USER:
            return self.user(int(lane[1]))
        if lane[0] == WHO:
            return self.profile(int(lane[1]))
        if lane in (ELSE, OUTSIDE):
            return self.other() if lane == ELSE else DROP
        return Weight(self.people.prospect(None), TIE)

    def _price(self, number: int) -> float:
        known = self.people.is_known(number)
        return self.people.rank(number, *self.rules[:2]) if known else self.people.prospect(number)

    def _awaited(self, number: int) -> bool:
        return self.people.links(number) >= self.rules.enough

    def asked(self, numbers: Iterable[int]) -> Iterator[Reweigh]:
        """Links of these were seen: profiles for which enough wait now."""
        for number in sorted(set(numbers)):
            if not self.people.is_known(number) and self._awaited(number):
                yield Reweigh((WHO, str(number)))

    def moved(self, numbers: Iterable[int]) -> Iterator[Reweigh]:
        """A profile arrived that may have changed what these are worth."""
        for number in dict.fromkeys(numbers):
            before = self.prices.get(number, -1.0)
            if self.people.is_known(number) and abs(self._price(number) - before) > MOVED * abs(before):
                yield Reweigh((USER, str(number)))
            yield from self.asked([number])

    def judged(self, number: int, good: bool) -> Bar:
        """When the last details of ranked users brought too little, users of that rank or a lower one are left alone."""
        if self.bar.open:
            return self.bar
        self.recent.append(good)
        if len(self.recent) < LAST:
            return self.bar
        low = sum(self.recent) < self.rules.least * len(self.recent)
        del self.recent[: len(self.recent) - LAST // 2]
        return self.bar._replace(floor=max(self.bar.floor, self.prices.get(number, 0.0))) if low else self.bar
