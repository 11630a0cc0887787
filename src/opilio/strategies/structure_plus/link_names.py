"""What links call the pages that they lead to: a thread by its title, a person by theirs, but every print view "print".

What users wrote goes by a name of its own; what a site makes of it (print views, histories, searches, forms) has one for all.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ...codec import saved
from ...urls import digest

MOST = 100  # URLs of a rule that are looked at
MOST_RULES = 2_000
NAMELESS = 0
MOSTLY = 0.5  # of the URLs of a rule have names: it is one for pages that have
WORTH = 0.1  # of a page with a name of its own is one that has none


def name_in(anchor: str) -> int:
    """A number for the words of a link; numbers and dates are no names."""
    words = [word for word in anchor.lower().split() if word[0].isalpha()]
    return digest(" ".join(words)) if words else NAMELESS


@saved
@dataclass(slots=True)
class Names:
    """The first URLs of each rule, and what each was called by the first link that had a word to say."""

    rules: dict[int, dict[int, int]] = field(default_factory=dict)  # by digests of rules and of URLs
    tell: bool = False  # names tell pages apart: there are many pages that have some

    def hear(self, rule: str, url: str, name: int) -> None:
        """A link called that URL so."""
        of = digest(rule)
        if of not in self.rules and len(self.rules) >= MOST_RULES:
            return
        called, key = self.rules.setdefault(of, {}), digest(url)
        if called.get(key) or (len(called) >= MOST and key not in called):
            return
        called[key] = name

    def compare(self) -> None:
        """Whether any rule of as many URLs as usual is one for pages with names: else the site has none for any page."""
        usual = sum(map(len, self.rules.values())) / max(1, len(self.rules))
        self.tell = any(_share(called) > MOSTLY for called in self.rules.values() if len(called) >= usual)

    def share(self, rule: str) -> float:
        """Names for each URL of a rule: 1 where each has one of its own, or nothing is known."""
        return _share(self.rules.get(digest(rule), {})) if self.tell else 1.0

    def worth(self, rule: str) -> float:
        """What is left of the worth of a page for being called so."""
        return WORTH + (1 - WORTH) * self.share(rule)


def _share(called: dict[int, int]) -> float:
    return (len(set(called.values()) - {NAMELESS}) + 1) / (len(called) + 1)
