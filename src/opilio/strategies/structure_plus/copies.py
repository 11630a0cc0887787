"""Pages that say what another page said: a thread has several addresses, and members-only pages are all the same form."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ...codec import saved
from ...nouns import Page
from ...urls import digest

MOST = 200_000  # texts remembered
SHORT = 20  # letters: less is said by many pages that are not the same


def text_print(page: Page) -> int:
    """A number for what a page says and where on its host it leads, itself included; 0 if it says next to nothing."""
    said, home = f"{page.title}\n{page.main}", page.url[: page.url.find("/", 8) + 1]
    leads = sorted({link.url for link in page.links if link.url.startswith(home)})
    return digest("\n".join([said, *leads])) if len(said) > SHORT else 0


@saved
@dataclass(slots=True)
class Copies:
    """What was said so far. Pages with addresses like the example's are no copies: theirs is the address asked for."""

    seen: set[int] = field(default_factory=set)

    def repeats(self, text: int, asked_for: bool) -> bool:
        """Whether a page says what one before it has said; it is remembered."""
        if not text:
            return False
        known = text in self.seen
        if len(self.seen) < MOST:
            self.seen.add(text)
        return known and not asked_for

    def anew(self, texts: Iterable[int], asked_for: Iterable[bool]) -> list[bool]:
        """The same for the pages of a sample whose texts are known, from the beginning."""
        self.seen.clear()
        return [self.repeats(text, asked) for text, asked in zip(texts, asked_for, strict=False)]
