"""The best model that the material allows, and why."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any, Self

from ...codec import HOMES
from ...model_file import Saved
from ...nouns import Material, Page, Topic
from ..folded import MOST, Weighty
from ..kept_material import Kept

ENOUGH = 5  # examples of each kind, for a model that learns the difference
# All that `Auto.load` may find in a file.
MODELS = ("bayes", "judge", "linear", "multinomial", "net", "seeds", "semantic", "svm", "vsm", "words")
HOMES.update((name, f"{__package__}.{name}") for name in MODELS)


class Auto(Saved, Topic):
    """Judges by another model: `.model`, chosen for the reason in `.why`; it keeps its material and can learn more."""

    why: str = ""

    def __init__(self, model: Any, why: str, kept: Kept, asked: bool = False) -> None:
        self.model, self.why, self.kept, self.asked = model, why, kept, asked

    @classmethod
    def learn(cls, material: Material) -> Self:
        return cls(*best(material), Kept.of(material))

    @classmethod
    def around(cls, model: Topic, material: Material) -> Self:
        """A model that was asked for by name and has learned from the material."""
        return cls(model, f"{type(model).__name__.lower()}, as asked for", Kept.of(material), asked=True)

    def again(self, material: Material) -> Self:
        """A topic that learned from this material instead, by the same model if that was asked for."""
        from threadpoolctl import threadpool_limits  # not needed by who judges by a saved one

        with threadpool_limits(1):
            return type(self)(*self._learned(material), Kept.of(material), self.asked)

    def more(self, material: Material) -> Self:
        """A topic that has learned from all that this one knows, and from more."""
        return self.again(self.kept.more(Kept.of(material)).material())

    @property
    def has_both(self) -> bool:
        """Whether it was given pages enough on the topic and off it to learn the difference."""
        return min(len(self.kept.positives), len(self.kept.negatives)) >= ENOUGH

    def bare(self) -> Self:
        """The same without its material."""
        return type(self)(self.model, self.why, Kept(), self.asked)

    def text(self, text: str) -> float:
        return float(self.model.text(text))

    def page(self, page: Page) -> float:
        return float(self.model.page(page))

    def links(self, page: Page) -> Sequence[float]:
        found: Sequence[float] = self.model.links(page)
        return found

    def decisive(self, most: int = MOST) -> list[Weighty]:
        found: list[Weighty] = self.model.decisive(most)
        return found

    def _learned(self, material: Material) -> tuple[Topic, str]:
        if not self.asked:
            return best(material)
        kind = type(self.model)
        settings = [name for name in inspect.signature(kind.learn).parameters if name != "material"]
        return kind.learn(material, **{name: getattr(self.model, name) for name in settings}), self.why


def best(material: Material) -> tuple[Topic, str]:
    """The best model that the material allows, and why."""
    yes, no = len(material.positives), len(material.negatives)
    if min(yes, no) >= ENOUGH:
        from .linear import Linear  # this and others: who judges by a saved one imports that alone

        return Linear.learn(material), f"linear, because there are {yes} examples on the topic and {no} off it"
    if yes:
        few = f"only {no}" if no else "none"
        there = "there is 1 example" if yes == 1 else f"there are {yes} examples"
        said = f"{there} on the topic and {few} off it ({ENOUGH} of each would do for linear)"
        from .seeds import Seeds

        return Seeds.learn(material), f"seeds, because {said}"
    from .words import Words

    return Words.learn(material), "words, because there are no examples on the topic"
