"""What is known of the people who upload: ranks by their own terms and by their contacts, kept up to date one by one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ...codec import saved
from .tag_fields import Term

MOST_USERS = 200_000  # whom we keep apart; links of further ones share a lane
MOST_CONTACTS = 200  # of one user that count
BITS = 64
UNKNOWN = -1.0


def cosine(terms: Iterable[Term], topic: Mapping[str, float]) -> float:
    """inner(u) = cos(x_u, x_τ); 0 for a user without terms."""
    counts = {term.name: float(term.uses) for term in terms}
    length = sum(count * count for count in counts.values()) * sum(weight * weight for weight in topic.values())
    return sum(count * topic.get(name, 0.0) for name, count in counts.items()) / length**0.5 if length else 0.0


@saved
@dataclass(slots=True)
class Uploaders:
    """By the number of a user: a few numbers each, however much their profile says."""

    numbers: dict[str, int] = field(default_factory=dict)  # profile URL: number
    inner: list[float] = field(default_factory=list)
    near: list[float] = field(default_factory=list)  # inner ranks of their contacts that are known, added up
    ranked_contacts: list[int] = field(default_factory=list)  # how many these are
    praise: list[float] = field(default_factory=list)  # inner ranks of those who name them as a contact
    praised: list[int] = field(default_factory=list)
    seen: list[int] = field(default_factory=list)  # one bit for each of their links, by its hash: enough to count them
    promise: list[float] = field(
        default_factory=list
    )  # how many links stood on lists of the topic, by their tags' weights
    awaited: dict[int, list[int]] = field(default_factory=dict)  # who names somebody whose rank is not known yet
    known: int = 0  # users
    inner_sum: float = 0.0  # of their inner ranks

    def number(self, url: str) -> int | None:
        """The number of a user, a new one if need be; None when there are too many."""
        found = self.numbers.get(url)
        if found is None and len(self.numbers) < MOST_USERS:
            found = self.numbers[url] = len(self.numbers)
            self.inner.append(UNKNOWN)
            for sums in (self.near, self.praise, self.promise):
                sums.append(0.0)
            for counts in (self.ranked_contacts, self.praised, self.seen):
                counts.append(0)
        return found

    def is_known(self, number: int) -> bool:
        return self.inner[number] != UNKNOWN

    def saw(self, number: int, link: int, promise: float) -> None:
        """A link of a user, by its hash, and how much the page that it stands on promises."""
        bit = 1 << link % BITS
        if not self.seen[number] & bit:
            self.seen[number] |= bit
            self.promise[number] += promise

    def links(self, number: int) -> int:
        """How many links of a user were seen, as far as it matters."""
        return self.seen[number].bit_count()

    def unknowable(self, user: str) -> list[int]:
        """A profile that is gone, moved or no profile: what was thought of its user has to do."""
        return self.learn(user, self.prospect(self.number(user)), ())

    def learn(self, url: str, inner: float, contacts: Sequence[str]) -> list[int]:
        """A profile arrived: whose rank, or whose prospect, may have moved by it. The second time changes nothing."""
        number = self.number(url)
        if number is None or self.inner[number] != UNKNOWN:
            return []
        self.inner[number] = inner
        self.known += 1
        self.inner_sum += inner
        moved = [number]
        for fan in self.awaited.pop(number, ()):
            self._hear(fan, inner)
            moved.append(fan)
        for contact in dict.fromkeys(contacts[:MOST_CONTACTS]):
            other = self.number(contact)
            if other is None or other == number:
                continue
            self.praise[other] += inner
            self.praised[other] += 1
            if self.inner[other] == UNKNOWN:
                self.awaited.setdefault(other, []).append(number)
                moved.append(other)
            else:
                self._hear(number, self.inner[other])
        return moved

    def _hear(self, number: int, inner: float) -> None:
        self.near[number] += inner
        self.ranked_contacts[number] += 1

    def rank(self, number: int, alpha: float, beta: float) -> float:
        """α·inner + β·inter, inter = the mean inner rank of the contacts that are known; where none is, their own stands in."""
        inner, ranked_contacts = self.inner[number], self.ranked_contacts[number]
        return alpha * inner + beta * (self.near[number] / ranked_contacts if ranked_contacts else inner)

    def prospect(self, number: int | None) -> float:
        """What the rank of somebody unknown may be: by those who name them, and by how many of their links are on the topic."""
        mean = self.inner_sum / self.known if self.known else 0.0
        if number is None:
            return mean
        count = 1 + self.praised[number] + self.links(number)
        return (mean + self.praise[number] + self.promise[number]) / count
