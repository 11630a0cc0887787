"""What list pages of a tag are worth, and the details on them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

from ...nouns import PARK, Weight
from ..profile.lanes import TIE
from ..profile.tags import TOP

NEXT = 0.99  # of what a detail on a list is worth, the next list is


class ListWeights(NamedTuple):
    """By the tags of the topic: in stage one, which looks for them in rounds, or later."""

    topic: Mapping[str, float]  # the weight of each of its tags
    starts: Collection[str]  # the tags that it started from
    round: int  # of stage one; 0: that is over
    discover: int  # details that a round reads
    listed: bool  # whether details on lists of the start tags need no gate

    def lists(self, tag: str, other: Weight) -> Weight:
        """Lists may have no end: stage one reads some of each tag, later the next one waits for what the last ones show.

        `other` is the weight of pages that are not of the topic.
        """
        weight = self.topic.get(tag, 0.0) if tag else 1.0
        if self.round:
            return Weight(1 + weight, TIE, self._few()) if weight else PARK
        return Weight(NEXT * weight, TIE) if weight else other

    def details(self, tag: str) -> Weight:
        """Details on lists of the topic: stage one reads them; later, those on lists of the start tags need no gate."""
        starts = tag in self.starts
        if self.round:
            wanted = starts if self.round == 1 else tag in self.topic and not starts
            return Weight(0.5, TIE, self.discover if starts else self._few()) if wanted else PARK
        return Weight(1.0, TIE) if self.listed and starts else PARK

    def _few(self) -> int:
        return -(-self.discover // TOP)
