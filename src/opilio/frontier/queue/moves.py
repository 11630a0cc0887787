"""Entries that belong elsewhere in their bags, since their values changed."""

from __future__ import annotations

from .bag import Rank, Value
from .lane import Bag

MOST = 1 << 14  # entries at most that wait to be moved


class Moves:
    """A bag moves its entries when somebody looks into it, with all that were noted meanwhile; or when there are many."""

    def __init__(self) -> None:
        self._bags: list[Bag] = []  # that have entries to move
        self._bounds: list[tuple[Bag, Rank]] = []
        self._count = 0

    def note(self, bag: Bag, rank: Rank, was: Value) -> None:
        """An entry that was at another value has this rank now."""
        now, key = rank
        self._count += 1
        if bag.displace(key, was, now):
            self._bags.append(bag)
        if bag.sleeper is not None or not bag.queue.heads.values[bag.number] < now:
            self._bounds.append((bag, rank))

    def bounds(self) -> list[tuple[Bag, Rank]]:
        """Entries noted since this was last asked that their bags may have to be shown for; if too many wait, they are moved."""
        if self._count > MOST:
            self._carry_out()
        bounds, self._bounds = self._bounds, []
        return bounds

    def _carry_out(self) -> None:
        bags, self._bags, self._count = self._bags, [], 0
        for bag in bags:
            if bag.moved:
                bag.move()
