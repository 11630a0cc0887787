"""One shard of a crawl on a cluster: the worker of engine/parallel, in a process that Ray places and starts again.

It opens its log, which keeps an earlier owner out, brings its database back from there, and works as a shard on one machine
does. Its disk is a cache that nobody looks into again.
"""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias
from zlib import crc32

from ...config import Config
from ...errors import OpilioError
from ...fetchers.manners.may_send import Gate
from ...nouns import Fetcher
from ...store.reader import state_file
from ..parallel import protocol
from ..parallel.protocol import Line, Message, Report
from ..parallel.worker import Worker
from ..run import SHARED, AsyncRun, Place
from ..run_folder import configured
from .objects import Objects, place
from .restore import restore
from .shard_log import FencedError, ShardLog
from .shipping import LEASE, Shipper

log = logging.getLogger(__name__)
Source: TypeAlias = Callable[[Config], tuple[Fetcher | None, str]]
SILENCE = 30.0  # seconds without a word from the driver after which a shard commits and ends
LISTEN = 0.5  # seconds after which a driver that listens hears that there is nothing new
LAST_ENTRY = 60.0  # seconds that the last commit may take to get where it is kept
REPLACED = 3  # exit code of an owner that was replaced
FILES = ("config.toml", "topic.model", "labels.csv")


@dataclass(frozen=True)
class Part:
    """Which shard of which crawl this is."""

    state: str
    index: int
    shards: int
    driver: int  # start of the crawl: the first, or a resume
    names: str  # of the actors, up to their index


class ShardActor:
    """What Ray runs. Its methods are called by the driver, `deliver` by other shards."""

    def __init__(self, part: Part, source: Source) -> None:
        self._part, self._source = part, source
        self._node, self._heard_from_driver = _node(), time.monotonic()
        self._line = RayLine(part)
        self._early: list[Message] = []  # messages that came before the worker was there
        self._worker: Worker | None = None
        self._life = 0
        self._task: asyncio.Task[None] | None = None

    async def listen(self) -> tuple[int, str, list[Message]]:
        """Its life, where it runs, and what it has to say; waits a moment for that."""
        self._heard_from_driver = time.monotonic()
        if not self._task:
            self._task = asyncio.create_task(self._live())
        await self._line.news(LISTEN)
        if self._task.done() and not self._line.ended:
            self._task.result()  # an error of our own, for the driver to hear
        return self._life, self._node, self._line.taken()

    async def tell(self, life: int, messages: list[Message]) -> None:
        """What the driver says to this life; Ray also brings what was said to an earlier one, and that no longer holds."""
        self._heard_from_driver = time.monotonic()
        for message in messages if life == self._life else ():
            self._hear(message)

    async def deliver(self, message: Message) -> None:
        """What another shard says."""
        self._hear(message)

    def _hear(self, message: Message) -> None:
        if self._worker:
            self._worker.hear(message)
        else:
            self._early.append(message)

    async def _live(self) -> None:
        """The life of this shard from opening its log to the last commit."""
        try:
            await self._owned()
        except FencedError as error:
            log.warning("%s", error)
            os._exit(REPLACED)
        except OpilioError as error:
            self._line.say(protocol.FAILED, type(error).__name__, str(error))
        self._line.end()

    async def _owned(self) -> None:
        objects = place(self._part.state)
        kept = ShardLog(objects, self._part.index)
        self._life = await asyncio.to_thread(kept.open, self._part.driver, {"node": self._node})
        opened, folder = time.monotonic(), _folder(self._part, self._life)
        try:
            config = await asyncio.to_thread(_prepared, objects, self._part.index, folder)
            fetcher, home = self._source(config)
            if not fetcher and self._life > 1:  # whoever had it may still send requests
                await asyncio.sleep(max(0.0, opened + LEASE - time.monotonic()))
            await self._crawl(kept, folder, config, fetcher, home)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    async def _crawl(self, kept: ShardLog, folder: Path, config: Config, fetcher: Fetcher | None, home: str) -> None:
        loop, own = asyncio.get_running_loop(), self._part.index if self._part.shards > 1 else 0

        def wake() -> None:
            loop.call_soon_threadsafe(self._wake)

        shipper = Shipper(kept, state_file(folder, own), folder / "archive", wake)
        where = Place(folder.parent / SHARED, shipper, LeaseGate(shipper))
        run = AsyncRun(folder, config, fetcher, home, (self._part.index, self._part.shards), where)
        try:
            await run.begin()
            self._worker = Worker(run)
            shipper.facts = lambda: _facts(run, self._line.last, self._node)
            while self._early:
                self._worker.hear(self._early.pop(0))
            watch = asyncio.create_task(self._watch_driver(self._worker))
            await self._worker.work(self._line)
            watch.cancel()
            await asyncio.to_thread(shipper.flush, LAST_ENTRY)
        finally:
            shipper.close()
            await run.end()

    def _wake(self) -> None:
        if self._worker:
            self._worker.wake()

    async def _watch_driver(self, worker: Worker) -> None:
        while time.monotonic() - self._heard_from_driver < SILENCE:
            await asyncio.sleep(1.0)
        worker.hang_up()


class RayLine(Line):
    """Letters go to other shards directly; the driver comes and asks for the rest."""

    loses = True
    gone = False

    def __init__(self, part: Part) -> None:
        self._part = part
        self._peers: dict[int, Any] = {}
        self._waiting: list[Message] = []
        self._news = asyncio.Event()
        self.last: Report | None = None
        self.ended = False

    def say(self, *message: Any) -> None:
        kind, *parts = message
        if kind in (protocol.LETTERS, protocol.SKIP):
            self._send(parts[0], [kind, self._part.index, parts[1]])
            return
        if kind == protocol.REPORT:
            self._report(Report(*parts))
        else:
            self._waiting.append(list(message))
        self._news.set()

    def _report(self, report: Report) -> None:
        """One report is enough, with what the ones before it said of single pages."""
        self.last = report
        if self._waiting and self._waiting[-1][0] == protocol.REPORT:
            before = Report(*self._waiting.pop()[1:])
            report = report._replace(brought=[*before.brought, *report.brought])
        self._waiting.append([protocol.REPORT, *report])

    def _send(self, index: int, message: Message) -> None:
        import ray  # only a shard on a cluster needs it

        with suppress(ValueError):  # it is not there now: letters are sent again
            if index not in self._peers:
                self._peers[index] = ray.get_actor(f"{self._part.names}{index}")
            self._peers[index].deliver.remote(message)

    async def news(self, seconds: float) -> None:
        """Wait until there is something to say."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._news.wait(), seconds)

    def taken(self) -> list[Message]:
        """What there is to say; that it has ended is said as often as somebody listens."""
        messages, self._waiting = self._waiting, []
        if not self.ended:
            self._news.clear()
        return [*messages, [protocol.ENDED]] if self.ended else messages

    def close(self) -> None:
        """The driver hears of the end when everything is where it is kept."""

    def end(self) -> None:
        self.ended = True
        self._news.set()


class LeaseGate(Gate):
    """Requests go out while nobody else can own the shard."""

    def __init__(self, shipper: Shipper) -> None:
        self._shipper = shipper

    async def passed(self) -> None:
        self._shipper.renew()
        while not self.is_open():
            await asyncio.sleep(0.05)
            self._shipper.renew()

    def is_open(self) -> bool:
        return self._shipper.may_send()


def _node() -> str:
    """The machine, as Ray knows it."""
    import ray

    return str(ray.get_runtime_context().get_node_id())


def _facts(run: AsyncRun, report: Report | None, node: str) -> Mapping[str, Any]:
    """How the shard stands, for whoever looks at the log."""
    store = run.store
    return {
        "pages": store.pages,
        "relevant": report.relevant if report else 0,
        "bytes": store.bytes,
        "seconds": round(store.seconds, 2),
        "waiting": run.waiting(),
        "posted": sum(store.mail.posted.values()),
        "received": sum(store.mail.received(other) for other in range(store.shards)),
        "node": node,
        "time": time.time(),
    }


def _prepared(objects: Objects, index: int, folder: Path) -> Config:
    """Have the files of the crawl and the database of the shard in a new folder."""
    folder.mkdir(parents=True)
    for name in FILES:
        if data := objects.get(f"crawl/{name}"):
            (folder / name).write_bytes(data)
    config = configured(folder)
    shards = shards_of(config)
    if restored := restore(objects, index, state_file(folder, index if shards > 1 else 0)):
        log.info("shard %d: restored up to entry %d", index, restored.number)
    return config.model_copy(update={"fetch_connections": max(1, config.fetch_connections // shards)})


def shards_of(config: Config) -> int:
    """How many shards a crawl on a cluster has."""
    return config.shards or SHARDS


SHARDS = 16  # of a crawl on a cluster, unless told: each has a process of its own, and writes a log


def local_folder(state: str) -> Path:
    """Where the shards of a crawl have their folders on the disk of a machine."""
    return Path(tempfile.gettempdir()) / f"opilio-{os.getuid()}" / f"{crc32(state.encode()):08x}"


def _folder(part: Part, life: int) -> Path:
    """A new folder on this machine's disk; those that dead processes left behind are removed."""
    above = local_folder(part.state)
    for path in above.glob("shard-*"):
        with suppress(ValueError):
            if not Path("/proc", str(int(path.name.split("-")[-1]))).exists():
                shutil.rmtree(path, ignore_errors=True)
    return above / f"shard-{part.index}-{life}-{os.getpid()}"
