"""What the shards of one crawl and their coordinator say to each other, however it is carried.

Nothing is safe because it was sent: a letter stays with its sender until the receiver has committed it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple, TypeAlias

Message: TypeAlias = list[Any]  # its kind, and what belongs to it

# From the parent: what a worker is to do.
CAP = "cap"  # pages that you may have stored, all in all
GIVE_BACK = "give back"  # what you may still fetch: others need it; how often that was asked
RECEIVED = "received"  # by this shard, up to this number of your letters: forget them
AGAIN = "again"  # this shard has died; it has heard so much, send the rest again
DRY = "dry"  # nothing is left anywhere: end the stage of this number
STOP = "stop"
LABELS = "labels"  # all that people have said of pages by now, as the file has it
# Both ways: from this shard, or to it, these bundles.
LETTERS = "letters"
SKIP = "skip"  # letters up to this number, which its sender has no more
# From a worker.
REPORT = "report"
FAILED = "failed"  # kind of error, sentence for the user
ENDED = "ended"  # everything is committed, and kept where that has to be


class Report(NamedTuple):
    """How a shard stands."""

    pages: int
    bytes: int
    seconds: float
    cap: int  # pages that it may have, as it knows
    given: int  # times that it gave back what it may still fetch
    waiting: int  # URLs
    prices: list[float]  # of the offers that it would take next, highest first
    in_flight: int  # pages
    idle: bool  # nothing to fetch, now or later, unless a letter comes
    dried: int  # the last stage that it ended
    more: bool  # whether that brought something to do
    posted: dict[int, int]  # the last letter to each shard
    received: dict[int, int]  # the last letter of each shard that is committed
    brought: list[bool]  # of each page since the last report: was it relevant
    fallen: str
    failing: str = ""  # why the crawl has to stop, because too many pages failed
    relevant: int = 0  # pages
    behind: float = 0.0  # seconds: the oldest commit that is not where commits are kept


class Line(ABC):
    """How a worker reaches its coordinator and the other shards."""

    loses = False  # whether a message may get lost: then letters that nobody confirms are sent again

    @property
    @abstractmethod
    def gone(self) -> bool:
        """Whether nobody is there any more."""

    @abstractmethod
    def say(self, *message: Any) -> None:
        """Send a message; whether it arrives is not known."""

    @abstractmethod
    def close(self) -> None:
        """Send what was said, and no more."""
