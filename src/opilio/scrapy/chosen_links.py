"""A page with the links that a spider asked for, and no others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property

from ..html import Document
from ..html.announced import Announced
from ..nouns import Link


class Chosen(Document):
    """Links that the page's own reading has not found, as those made by a spider, have a URL alone."""

    def __init__(self, body: bytes, url: str, content_type: str, announced: Announced, keys: Sequence[str]) -> None:
        super().__init__(body, url, content_type, announced)
        self._keys, self._page = keys, url

    @classmethod
    def of(cls, keys: Sequence[str]) -> Callable[[bytes, str, str, Announced], Chosen]:
        """What reads a page so."""
        return lambda body, url, content_type, announced: cls(body, url, content_type, announced, keys)

    @property
    def links(self) -> Sequence[Link]:
        return self._chosen

    @cached_property
    def _chosen(self) -> list[Link]:
        wanted = set(self._keys)
        links = super().links
        found = [link for link in links if link.url in wanted]
        first = {link.url: link for link in reversed(links)}
        missing = wanted - {link.url for link in found}
        made = (
            replace(first.get(key.partition("#")[0], Link(key, self._page)), url=key)
            for key in self._keys
            if key in missing
        )
        return [*found, *made]
