"""What was understood of a topic, before a crawl begins: the words that count, the examples, and what seeds are for."""

from __future__ import annotations

from ..nouns import Material
from ..text.tokens import stems, tokens
from .ground import SHORT, query_words
from .material import language

TITLES, LETTERS = 5, 60  # examples that are named, and letters of a title
WORDS = 20  # that are named


def understood(material: Material) -> list[str]:
    """Lines for people."""
    lines = [_words(material)] if material.words.strip() else []
    if material.positives:
        named = [(page.title or page.url)[:LETTERS] for page in material.positives[:TITLES]]
        more = f" and {len(material.positives) - TITLES} more" if len(material.positives) > TITLES else ""
        lines.append(f"pages like {'; '.join(named)}{more}")
    if material.negatives:
        lines.append(f"not pages like {len(material.negatives):,} that are off the topic")
    return lines


def _words(material: Material) -> str:
    spoken = language(material)
    known, counting = stems(spoken), query_words(material.words, spoken)
    asked = dict.fromkeys(tokens(material.words))
    if len(asked) > SHORT:
        return f"pages like the text about it, of {len(asked):,} words"
    count = [word for word in asked if known[word] in counting]
    left = [word for word in asked if known[word] not in counting]
    aside = f" ({', '.join(left[:WORDS])} {'do' if len(left) > 1 else 'does'} not count)" if left else ""
    return f"pages with the words {', '.join(count[:WORDS])}{aside}"
