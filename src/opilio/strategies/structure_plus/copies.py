"""Pages that say what another page said: a thread has several addresses, and members-only pages are all the same form."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...codec import saved
from ...nouns import Page
from ...urls import digest

MOST = 200_000  # texts remembered
SHORT = 20  # letters: less is said by many pages that are not the same


def text_print(page: Page) -> int:
    """A number for what a page says, in whatever order, and where on its host it leads; 0 if it says next to nothing."""
    said, home = f"{page.title}\n{page.main}", page.url[: page.url.find("/", 8) + 1]
    leads = sorted({link.url for link in page.links if link.url.startswith(home)})
    return digest("\n".join([*sorted(said.split()), *leads])) if len(said) > SHORT else 0


@saved
@dataclass(slots=True)
class Copies:
    """What was said so far, and by what rule the URL of the page was made that said it first."""

    seen: dict[int, int] = field(default_factory=dict)  # text: number of the rule
    rules: dict[str, int] = field(default_factory=dict)

    def first(self, text: int, rule: str) -> str | None:
        """The rule of the page that said this before, None if there was none; it is remembered."""
        before = self.seen.get(text) if text else None
        if before is not None:
            return next(name for name, number in self.rules.items() if number == before)
        if text and len(self.seen) < MOST:
            self.seen[text] = self.rules.setdefault(rule, len(self.rules))
        return None

    def add(self, others: Copies) -> None:
        """With what these have."""
        names = {number: rule for rule, number in others.rules.items()}
        for text, number in others.seen.items():
            self.first(text, names[number])
