"""SC(D,T): how near a page is to a topic, by the vector space model as printed (formulas 1 and 2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import log10, sqrt

from ...codec import saved
from ...nouns import Page
from ...text.tokens import words

ON_TOPIC = 0.7  # a page is on the topic when its SC(D,T) is higher
PROMISING = 0.6  # a link is when its Score(url) is
KNOWN = 50_000  # words whose document frequency is kept, the commonest

Vector = Mapping[str, float]


@saved
class Similarity:
    """SC(D,T) = θ·cos(D_T, T_T) + (1-θ)·cos(D_C, T_C), of titles and of contents.

    A word weighs (lg tf + 1)·lg(d/df), where d are the pages crawled so far and df those of them that have it; the divisor
    of formula 1 is the same for all words of a text, so the cosine does not see it.
    """

    def __init__(
        self,
        theta: float = 0.5,
        title: Counter[str] | None = None,
        content: Counter[str] | None = None,
        pages: int = 0,
        seen: Counter[str] | None = None,
    ) -> None:
        self.theta = theta
        self.title: Counter[str] = Counter(title or ())  # T_T, as counts of words
        self.content: Counter[str] = Counter(content or ())  # T_C
        self.pages = pages  # d
        self.seen: Counter[str] = Counter(seen or ())  # df

    def teach(self, title: str, content: str) -> None:
        """Add a text to what the topic is."""
        self.title.update(words(title))
        self.content.update(words(content))

    def see(self, page: Page) -> None:
        """Count a page that was crawled."""
        self.pages += 1
        self.seen.update({*words(page.title), *words(page.text)})
        if len(self.seen) > 2 * KNOWN:
            self.seen = Counter(dict(sorted(self.seen.items(), key=lambda item: (-item[1], item[0]))[:KNOWN]))

    def page(self, page: Page) -> float:
        """SC(D,T) of a page."""
        title, content = (self._vector(Counter(words(text))) for text in (page.title, page.text))
        return self._mixed(title, content, *self._topic())

    def texts(self, texts: Sequence[str]) -> list[float]:
        """SC(anchor,T) of each of some texts: one text is both title and content."""
        topic = self._topic()
        vectors = {text: self._vector(Counter(words(text))) for text in dict.fromkeys(texts)}
        known = {text: self._mixed(vector, vector, *topic) for text, vector in vectors.items()}
        return [known[text] for text in texts]

    def _mixed(self, title: Vector, content: Vector, topic_title: Vector, topic_content: Vector) -> float:
        return self.theta * cosine(title, topic_title) + (1 - self.theta) * cosine(content, topic_content)

    def _topic(self) -> tuple[Vector, Vector]:
        return self._vector(self.title), self._vector(self.content)

    def _vector(self, counts: Counter[str]) -> Vector:
        """Of length 1; a word that no page had so far counts as if one had."""
        most = log10(self.pages) if self.pages else 0.0
        weights = {word: (log10(n) + 1.0) * (most - log10(self.seen[word] or 1)) for word, n in counts.items()}
        length = sqrt(sum(weight * weight for weight in weights.values()))
        return {word: weight / length for word, weight in weights.items()} if length else {}


def cosine(one: Vector, other: Vector) -> float:
    """Of two vectors of length 1, or 0 where one has no length."""
    few, many = (one, other) if len(one) < len(other) else (other, one)
    return sum(weight * many[word] for word, weight in few.items() if word in many)
