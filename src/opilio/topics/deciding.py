"""The words that decide what is on the topic, as people write them, and how many pages around have each."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from ..text.tokens import stems, tokens
from .adaptive import Growing
from .folded import MOST
from .material import example, language


class Deciding(NamedTuple):
    """A word, how much it speaks for the topic (below 0: against it), and the share of the pages around that have it."""

    word: str
    weight: float
    share: float


def deciding(topic: Growing, most: int = MOST) -> list[Deciding]:
    """The words with the largest weights, the first of all first; none where the model goes by something else."""
    weighty = topic.now.decisive(most)
    if not weighty:
        return []
    material = topic.material()
    around = [example(page).text for page in material.around]
    named = [material.words, *(example(page).text for page in (*material.positives, *material.negatives))]
    forms, seen = _forms([*named, *around], {word for word, _ in weighty}, language(material), len(named))
    return [
        Deciding(forms[word].most_common(1)[0][0] if forms[word] else word, weight, seen[word] / max(1, len(around)))
        for word, weight in weighty
    ]


def _forms(
    texts: Sequence[str], wanted: set[str], spoken: str, first: int
) -> tuple[dict[str, Counter[str]], Counter[str]]:
    """How often each stem is written in which way, and in how many texts it is, from the text of number `first` on."""
    known = stems(spoken)
    forms: dict[str, Counter[str]] = defaultdict(Counter)
    seen = Counter[str]()
    for number, text in enumerate(texts):
        written = Counter(form for form in tokens(text) if known[form] in wanted)
        for form, count in written.items():
            forms[known[form]][form] += count
        seen.update({known[form] for form in written} if number >= first else ())
    return forms, seen
