"""Who uploads what on a media-sharing site, with which tags, and who knows whom."""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt

from .mix import mix, pick, roll
from .prose import Prose

TAGS = 6  # of a group, the topic's own name first
NOISE = ("canon", "2009", "favourite", "upload", "hd", "new")
GROUPS, TAGGED, TEXT, USER = range(4)  # what a key is mixed for


@dataclass(frozen=True)
class MediaPeople:
    """Users and items in groups, one per topic: item i is of group i mod groups, and so is its uploader."""

    prose: Prose
    key: int
    groups: int
    items: int
    users: int
    rounds: int  # items of the largest group
    tags: tuple[str, ...]  # TAGS of each group in a row

    def uploader(self, item: int) -> int:
        """The user of the item's group whose stretch it lies in; stretches grow shorter and shorter."""
        place, group = divmod(item, self.groups)
        return self._rank(place) * self.groups + group

    def _members(self) -> int:
        return max(1, self.users // self.groups)

    def _rank(self, place: int) -> int:
        # rank = floor(members * (place / rounds)^2), kept in whole numbers
        return self._members() * place * place // (self.rounds * self.rounds)

    def uploads(self, user: int) -> range:
        """The items of a user."""
        rank, group = divmod(user, self.groups)
        first, last = (self._first_place(r) * self.groups + group for r in (rank, rank + 1))
        return range(first, min(last, self.items), self.groups)

    def _first_place(self, rank: int) -> int:
        place = isqrt(rank * self.rounds * self.rounds // self._members())
        while place < self.rounds and self._rank(place) < rank:
            place += 1
        return place

    def tags_of(self, item: int) -> list[str]:
        """The item's tags: the topic's, more of its group, at times one of another group, and noise."""
        dice = roll(self.key, item, TAGGED)
        group = item % self.groups
        own = self.tags[group * TAGS : (group + 1) * TAGS]
        found = [own[0]] if dice() < 0.75 else []
        found += [pick(own[1:], dice) for _ in range(1 + int(dice() * 3))]
        found += [pick(self.tags, dice)] if dice() < 0.25 else []
        found += [pick(NOISE, dice)] if dice() < 0.4 else []
        return list(dict.fromkeys(found))

    def contacts(self, user: int) -> list[int]:
        """Mostly users of the same group."""
        dice = roll(self.key, user, USER)
        groups, found = self.groups, []
        for _ in range(4 + int(dice() * 8)):
            near = int(dice() * self._members()) * groups + user % groups
            found.append(near if dice() < 0.7 else int(dice() * self.users))
        return [other for other in dict.fromkeys(found) if other != user and other < self.users]

    def user_name(self, user: int) -> str:
        return f"{self.prose.name(mix(self.key, user, USER)).lower()}{user}"
