"""Genre plus: genre with templates as further kinds of pages, found without labels."""

from __future__ import annotations

from ..errors import ConfigError
from ..nouns import Page, Topic
from ..urls import site
from .genre import Genre
from .genre.model import Guess
from .genre.templates import Leaders, template

FURTHER = ("template", "site")


class GenrePlus(Genre):
    """price = R + (C·D·(P[I,G] - P[I] + hope) + Σ D·(P[I,K] - P[I] + hope))/slope over the further kinds K that a page is of.

    A template is what pages share that have most of their element paths in common; a site can be a kind too.
    """

    def __init__(self, topic: Topic, further: str = "template", sample: int = 0, model: str = "") -> None:
        super().__init__(topic, None, sample, True, model)
        self.further = further
        if set(further.split("+")) - set(FURTHER):
            raise ConfigError(f"strategy genre-plus: further={further} must be made of {' + '.join(FURTHER)}")
        self.leaders_: Leaders = []

    def kinds(self, page: Page, found: Guess) -> tuple[str, ...]:
        names = {
            "template": lambda: f"template {template(self.leaders_, page.paths)}",
            "site": lambda: f"site {site(page.url)}",
        }
        return (found.genre, *(names[name]() for name in self.further.split("+")))
