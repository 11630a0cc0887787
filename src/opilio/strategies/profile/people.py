"""Uploaders as the paper has them: terms gathered from all of their profile pages, contacts, and ranks over all of these."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ...codec import saved
from .tag_fields import Term
from .uploaders import MOST_USERS, cosine


@saved
@dataclass(slots=True)
class People:
    """By the number of a user."""

    numbers: dict[str, int] = field(default_factory=dict)  # profile URL: number
    terms: dict[int, Counter[str]] = field(default_factory=dict)
    contacts: dict[int, set[int]] = field(default_factory=dict)
    fans: dict[int, set[int]] = field(default_factory=dict)  # who names a user as a contact
    inner: dict[int, float] = field(default_factory=dict)

    def number(self, url: str) -> int | None:
        """The number of a user, a new one if need be; None when there are too many."""
        if url not in self.numbers and len(self.numbers) < MOST_USERS:
            self.numbers[url] = len(self.numbers)
        return self.numbers.get(url)

    def saw(self, number: int, link: int, promise: float) -> None:
        """Links tell nothing of a user here."""

    def is_known(self, number: int) -> bool:
        return number in self.inner

    def learn(self, url: str, terms: Iterable[Term], contacts: Iterable[str], topic: Mapping[str, float]) -> list[int]:
        """A profile page of a user: it adds to what the others said. Whose rank may have moved by it."""
        number = self.number(url)
        if number is None:
            return []
        known = self.terms.setdefault(number, Counter())
        known.update({term.name: term.uses for term in terms})
        named = {other for contact in contacts if (other := self.number(contact)) not in (None, number)}
        self.contacts.setdefault(number, set()).update(one for one in named if one is not None)
        for other in self.contacts[number]:
            self.fans.setdefault(other, set()).add(number)
        self.inner[number] = cosine((Term(name, uses) for name, uses in known.items()), topic)
        return [number, *sorted(self.fans.get(number, ()))]

    def rank(self, number: int, alpha: float, beta: float) -> float:
        """α·inner + β·inter, inter = (1/N) Σ inner over all N contacts (eq. 1, 2, 5); one that is not known adds nothing."""
        contacts = self.contacts.get(number, ())
        near = sum(self.inner.get(contact, 0.0) for contact in contacts) / len(contacts) if contacts else 0.0
        return alpha * self.inner[number] + beta * near
