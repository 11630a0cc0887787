"""A crawl on a Ray cluster: the driver learns the topic, places the shards, deals out the budget, and crawls nothing.

It holds no state: what a crash of any machine, or of all, could take is in the logs of the shards.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

from ... import __version__
from ...config import Config
from ...errors import ConfigError
from ...nouns import INTERNAL, Fetcher
from ...system.signals import Stop
from ..labels import FILE as LABELS_FILE
from ..parallel import protocol
from ..parallel.coordinator import Coordinator
from ..parallel.members import Member
from ..parallel.processes import learned
from ..parallel.protocol import Message
from ..run import limited, seeds_of, strategy_of
from ..run_folder import NOTHING, now
from ..topic import FILE as TOPIC
from ..topic import keep
from .actor import Part, Source, shards_of
from .objects import CONFIG, Objects, place
from .rays import Rays

if TYPE_CHECKING:
    from ...topics.adaptive import Growing

REPEAT = 5.0  # seconds after which members are told again what they may have missed
PATIENCE = 60.0  # seconds that shards may take to commit and to end
PAUSE = 0.3  # seconds after which a shard that could not be reached is asked again
MOST_DEATHS = 5  # of one shard in a row, by an error of our own, without a page in between
MANIFEST = "crawl/manifest.json"
LABELS = f"crawl/{LABELS_FILE}"


class Standing(NamedTuple):
    """How a crawl on a cluster stands."""

    pages: int
    relevant: int
    waiting: int  # URLs
    shards: int
    at_work: int  # shards that have reported in this life
    nodes: int
    letters: int  # on their way
    restarts: int
    behind: float  # seconds: the oldest commit that is not in its log yet


class ShardStanding(NamedTuple):
    """How one shard stands."""

    shard: int
    node: str
    life: int
    at_work: bool  # it has reported in this life
    pages: int
    relevant: int
    waiting: int  # URLs
    behind: float  # seconds


class RayMember(Member):
    """A shard as the driver knows it."""

    def __init__(self, index: int, actor: Any) -> None:
        super().__init__(index)
        self.actor = actor
        self.life = self.restarts = 0
        self.node = ""
        self.ended = False
        self._outgoing: list[Message] = []

    def say(self, *message: Any) -> None:
        self._outgoing.append(list(message))

    def send(self) -> None:
        """Send all that was said, together."""
        if self._outgoing:
            self.actor.tell.remote(self.life, self._outgoing)
            self._outgoing = []

    @property
    def gone(self) -> bool:
        return self.report is None

    def reborn(self, life: int, node: str) -> bool:
        """Whether this is another life than the one that was known."""
        if life == self.life:
            return False
        self.restarts += self.life > 0
        self.life, self.node, self.report, self.stage = life, node, None, 0
        self._outgoing = []
        return True


class Cluster:
    """A crawl whose shards run on a cluster. It has the face of Run."""

    def __init__(self, config: Config, source: Source, *, resumed: bool = False) -> None:
        self.config, self._source = config, source
        fetcher, home = source(config)
        seeds_of(config, home)
        with ExitStack() as undo:
            self._rays = Rays(config.address)
            undo.callback(self._rays.close)
            self._rays.check_state(config)
            self.objects = place(config.state)
            if not resumed and self.objects.get(CONFIG):
                raise taken(config.state)
            self.topic = _topic(config, fetcher, self.objects)
            strategy_of(config, self.topic)  # whatever it misses is said before anything starts
            if not resumed:
                _begin(self.objects, config)
            self.driver = _next_start(self.objects)
            self._members = self._placed()
            self._coordinator = Coordinator(limited(config, self.topic), self._members)
            undo.pop_all()
        self._repeated = time.monotonic()
        self._labels = self.objects.get(LABELS)  # that the shards know

    def _placed(self) -> list[RayMember]:
        count = shards_of(self.config)
        names = f"opilio-{self.driver}-"
        parts = [Part(self.config.state, index, count, self.driver, names) for index in range(count)]
        return [RayMember(part.index, self._rays.actor(part, self._source)) for part in parts]

    def go(self, watch: Callable[[], None] = lambda: None, stop: Stop | None = None) -> str:
        """Crawl until something ends it; why, in a few words. A stop ends it after the current batches."""
        note(self.objects, version=__version__, seed=self.config.seed, started=now(), stopped=None, why=None)
        why = asyncio.run(self._crawl(stop or Stop(), watch))
        if not self._coordinator.pages and why != "interrupted" and not why.startswith(INTERNAL):
            why = f"{NOTHING} ({why})"
        note(self.objects, stopped=now(), why=why, pages=self._coordinator.pages)
        return why

    def waiting(self) -> int:
        """How many URLs wait."""
        return self._coordinator.open_urls

    @property
    def fallen(self) -> str:
        """Why the strategy does not go by its own method; "" when it does."""
        return self._coordinator.fallen

    def standing(self) -> Standing:
        """How it stands."""
        reports, coordinator = self._coordinator.reports, self._coordinator
        posted = sum(sum(report.posted.values()) for report in reports)
        received = sum(sum(report.received.values()) for report in reports)
        return Standing(
            coordinator.pages, sum(report.relevant for report in reports), coordinator.open_urls,
            len(self._members), len(reports),
            len({member.node for member in self._members if member.report}), max(0, posted - received),
            sum(member.restarts for member in self._members), max((report.behind for report in reports), default=0.0),
        )  # fmt: skip

    def shards(self) -> list[ShardStanding]:
        """How every shard stands; one that has not reported yet has nothing to show."""
        return [_standing(member) for member in self._members]

    def close(self) -> None:
        self._rays.close()

    async def _crawl(self, stopped: Stop, watch: Callable[[], None]) -> str:
        listening = [asyncio.create_task(self._listen(member)) for member in self._members]
        try:
            while not (why := "interrupted" if stopped() else await self._turn(listening)):
                watch()
        finally:
            await self._stop(stopped)
            for task in listening:
                task.cancel()
            await asyncio.gather(*listening, return_exceptions=True)
        return why

    async def _turn(self, listening: list[asyncio.Task[None]]) -> str:
        for task in listening:
            if task.done():
                task.result()
        self._coordinator.check()
        why = await self._coordinator.turn()
        if time.monotonic() - self._repeated > REPEAT:
            self._repeated = time.monotonic()
            self._coordinator.repeat()
            await self._tell_labels()
        for member in self._members:
            member.send()
        return why

    async def _tell_labels(self) -> None:
        """Let all shards know what people say of pages, when that has changed."""
        labels = await asyncio.to_thread(self.objects.get, LABELS)
        if labels is not None and labels != self._labels:
            self._labels = labels
            for member in self._members:
                member.say(protocol.LABELS, labels)

    async def _listen(self, member: RayMember) -> None:
        """Hear what a shard says, through all of its lives."""
        while not member.ended:
            try:
                life, node, messages = await member.actor.listen.remote()
            except self._rays.unreachable:  # it has died, or its machine has: Ray starts it again
                await asyncio.sleep(PAUSE)
                continue
            except self._rays.failed as error:
                self._failed(member, error)
                await asyncio.sleep(PAUSE)
                continue
            if life and member.reborn(life, node):
                self._coordinator.allowance.forget(member.index)
                if self._labels:  # they may have changed while nobody was there to be told
                    member.say(protocol.LABELS, self._labels)
            for message in messages:
                member.ended |= message[0] == protocol.ENDED
                self._coordinator.hear(member, message)

    def _failed(self, member: RayMember, error: Exception) -> None:
        """An error of our own ended a life of a shard: another one may do better, a few times."""
        member.deaths += 1
        if member.deaths > MOST_DEATHS:
            raise RuntimeError(f"shard {member.index} failed {member.deaths} times in a row") from error
        self._rays.restart(member.actor)

    async def _stop(self, stopped: Stop) -> None:
        """Ask all shards to commit and end; who does not in time, or before the user asks again, is killed: that is safe."""
        deadline, asked = time.monotonic() + PATIENCE, 0.0
        while not all(member.ended or member.gone for member in self._members):
            if time.monotonic() > deadline or stopped.urgent:
                break
            if time.monotonic() - asked > 1.0:  # a message may get lost
                asked = time.monotonic()
                for member in self._members:
                    member.say(protocol.STOP)
                    member.send()
            await self._coordinator.wait()


def _standing(member: RayMember) -> ShardStanding:
    report = member.report
    figures = (report.pages, report.relevant, report.waiting, report.behind) if report else (0, 0, 0, 0.0)
    return ShardStanding(member.index, member.node, member.life, report is not None, *figures)


def _topic(config: Config, fetcher: Fetcher | None, objects: Objects) -> Growing | None:
    """The topic of the crawl, learned once; every shard loads it."""
    with TemporaryDirectory(prefix="opilio-") as scratch:
        if saved := objects.get(f"crawl/{TOPIC}"):
            Path(scratch, TOPIC).write_bytes(saved)
        topic = asyncio.run(learned(Path(scratch), config, fetcher))
        keep(topic, Path(scratch))
        if topic and not saved:
            objects.put(f"crawl/{TOPIC}", Path(scratch, TOPIC).read_bytes())
    return topic


def _begin(objects: Objects, config: Config) -> None:
    """Write down what the crawl is told; only one crawl can begin at a place."""
    if not objects.create(CONFIG, config.toml().encode()):
        raise taken(objects.url)


def taken(url: str) -> ConfigError:
    return ConfigError(
        f"{url}: there is a crawl already; `opilio resume {url}` continues it, --state names another place"
    )


def _next_start(objects: Objects) -> int:
    """The number of this start of the crawl: shards of an earlier one are kept out by it."""
    while True:
        number = len(objects.names("crawl/starts")) + 1
        if objects.create(f"crawl/starts/{number:08}", now().encode() + str(time.time_ns()).encode()):
            return number


def note(objects: Objects, **facts: Any) -> None:
    """Put facts into the manifest."""
    known = json.loads(objects.get(MANIFEST) or b"{}")
    objects.put(MANIFEST, (json.dumps({**known, **facts}, indent=2) + "\n").encode())
