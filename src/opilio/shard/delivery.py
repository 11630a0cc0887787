"""Where what was said goes: into the shard's own frontier, or as a letter to the shard that owns the site."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING

from ..batch import Many, column
from ..nouns import Frontier, Lesson, News, Offer, Reweigh, Say, TopicNews
from ..scope import Scope
from ..store.run import RunStore
from ..urls import digest, site

if TYPE_CHECKING:
    from ..store.memory import MemoryStore

TAUGHT = 10_000  # pages of a crawl from which all shards learn; from one that comes later another shard learns, each in its turn

site_key = lru_cache(maxsize=65536)(digest)  # every link asks for the shard of its site


class Delivery:
    """Hands on what a strategy said, as far as the scope lets it through."""

    def __init__(
        self, frontier: Frontier, store: MemoryStore | RunStore, scope: Scope, index: int, shards: int
    ) -> None:
        self._frontier, self._store, self._scope, self._index, self._shards = frontier, store, scope, index, shards

    def apply(self, says: Iterable[Say | Many[Offer]]) -> None:
        mine: list[Offer] = []
        alone = self._shards == 1
        for say in self._scope.keep(says):
            if type(say) is Offer and alone:  # nearly all of them
                mine.append(say)
                continue
            match say:
                case Many():
                    self._offer(mine)
                    self._frontier.offer(say if alone else self._own(say))
                case Offer():
                    if self.owns(say.link.url):
                        mine.append(say)
                    else:
                        self._post(say)
                case News():
                    self.tell_all(say)
                case Lesson():
                    self._teach(say)
                case Reweigh(lane):
                    self._offer(mine)
                    self._frontier.reweigh(lane)
        self._offer(mine)

    def _teach(self, lesson: Lesson) -> None:
        """Post this to all other shards while the crawl is young; then to one, so that none hears more than it fetches."""
        if self._store.pages * self._shards < TAUGHT:
            self.tell_all(lesson)
        elif self._shards > 1:
            step = 1 + self._store.pages % (self._shards - 1)
            self._store.mail.post((self._index + step) % self._shards, lesson)

    def tell_all(self, say: News | Lesson | TopicNews) -> None:
        """Post this to every other shard."""
        for other in range(self._shards):
            if other != self._index:
                self._store.mail.post(other, say)

    def owns(self, url: str) -> bool:
        """Whether a URL is one of this shard's."""
        return self._owner(url) == self._index

    def _owner(self, url: str) -> int:
        return shard_of(url, self._shards)

    def _offer(self, offers: list[Offer]) -> None:
        """Offer what has gathered, if anything has."""
        if offers:
            self._frontier.offer(offers)
            offers.clear()

    def _own(self, offers: Many[Offer]) -> Many[Offer]:
        """Those that stay here; the others are posted."""
        owns = [self.owns(url) for url in column(offers.column("link"), "url")]
        for offer in offers.picked([number for number, own in enumerate(owns) if not own]):
            self._post(offer)
        return offers.some([number for number, own in enumerate(owns) if own])

    def _post(self, offer: Offer) -> None:
        self._store.mail.post(self._owner(offer.link.url), self._scope.placed(offer))


def shard_of(url: str, shards: int) -> int:
    """Which shard, of this many, owns the site of a URL."""
    return site_key(site(url)) % shards if shards > 1 else 0
