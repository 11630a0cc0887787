"""The model that is taken unless another is asked for, with all that it learned from, so that it can learn again."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Self

from ...codec import HOMES
from ...model_file import Saved
from ...nouns import Material, Page, Topic
from ..folded import MOST, Weighty
from ..kept_material import Kept

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

# All that `Auto.load` may find in a file.
MODELS = ("bayes", "contrast", "judge", "linear", "multinomial", "net", "seeds", "semantic", "svm", "vsm", "words")
HOMES.update((name, f"{__package__}.{name}") for name in MODELS)


class Auto(Saved, Topic):
    """Judges by another model, `.model`, which is a contrast unless another was asked for; `.why` says what it rests on."""

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
        """A topic that learned from this material instead, by the same model if that was asked for; it does not keep it."""
        with threads().limit(limits=1):
            return type(self)(*self._learned(material), Kept(), self.asked)

    def more(self, material: Material) -> Self:
        """A topic that has learned from all that this one knows, and from more."""
        kept = self.kept.more(Kept.of(material))
        learned = self.again(kept.material())
        return type(self)(learned.model, learned.why, kept, self.asked)

    def without(self, url: str) -> Self:
        """The same without a page in its material; it has not learned anew."""
        return type(self)(self.model, self.why, self.kept.without(url), self.asked)

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


@cache
def threads() -> ThreadpoolController:
    """Of what computes matrices: looking for it takes longer than learning from a few pages."""
    from threadpoolctl import ThreadpoolController  # not needed by who judges by a saved model

    return ThreadpoolController()


def best(material: Material) -> tuple[Topic, str]:
    """The contrast of what there is with the pages around, and what that is."""
    from .contrast import Contrast  # who judges by a saved model imports that alone

    return Contrast.learn(material), f"contrast of {given(material)} with {around(material)}"


def given(material: Material) -> str:
    """What people said, in words."""
    parts = ["the words"] if material.words.strip() else []
    if yes := len(material.positives):
        parts.append(f"{yes} example{'s' * (yes > 1)}")
    if no := len(material.negatives):
        parts.append(f"{no} page{'s' * (no > 1)} off the topic")
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1]))) if parts else "nothing"


def around(material: Material) -> str:
    if not (count := len(material.around)):
        return "the web at large"
    return f"{count} page{'s' * (count > 1)} around"
