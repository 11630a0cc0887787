"""A Ray cluster of several nodes on this machine, for tests and benchmarks: all of it on 127.0.0.1, and gone in the end."""

from __future__ import annotations

import os
import shutil
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from opilio.engine.cluster.actor import local_folder

LOOPBACK = "127.0.0.1"
# Read when Ray is first imported: it takes the address of a network card for that of this machine otherwise.
os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
os.environ["RAY_BACKEND_LOG_LEVEL"] = "fatal"
os.environ["RAY_DEDUP_LOGS_SKIP_REGEX"] = "^"  # what dies here is meant to
# A node that does not answer for two seconds is dead; on a real cluster Ray waits for longer.
IMPATIENT = {
    "health_check_initial_delay_ms": 0,
    "health_check_period_ms": 500,
    "health_check_timeout_ms": 500,
    "health_check_failure_threshold": 4,
}
TRIES = 4


class Nodes:
    """The nodes; the first one has what Ray needs once, and is killed only with all the others."""

    def __init__(self, count: int) -> None:
        from ray.cluster_utils import Cluster

        head = {"include_dashboard": False, "_system_config": IMPATIENT, **_told()}
        self._cluster = _insist(lambda: Cluster(initialize_head=True, head_node_args=head))
        self.others: list[Any] = []
        for _ in range(count - 1):
            self.add()

    @property
    def address(self) -> str:
        return str(self._cluster.address)

    def add(self) -> None:
        """One more node; only from the main thread."""
        self.others.append(_insist(lambda: self._cluster.add_node(**_told())))

    def kill(self) -> None:
        """Kill a node, all of its processes, and delete its disk."""
        self._kill(self.others.pop(0))

    def kill_all(self) -> None:
        """Kill every node at once, also the first, and delete all of their disks."""
        for node in (*self.others, self._cluster.head_node):
            self._kill(node)
        self.others = []

    def _kill(self, node: Any) -> None:
        workers = children(raylet(node))
        for pid in (raylet(node), *workers):
            signalled(pid, signal.SIGKILL)
        for pid in workers:
            for folder in disks(pid):
                shutil.rmtree(folder, ignore_errors=True)
        self._cluster.remove_node(node, allow_graceful=False)

    def close(self) -> None:
        self._cluster.shutdown()


def _told() -> dict[str, Any]:
    """Of every node."""
    return {"num_cpus": 1, "node_ip_address": LOOPBACK}


def _insist(start: Callable[[], Any]) -> Any:
    """Start something of Ray's: it gives up when its helpers take longer than 15 s, which on a busy machine they may."""
    for _ in range(TRIES - 1):
        with suppress(Exception):
            return start()
    return start()


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with closing(socket.socket()) as found:
        found.bind((LOOPBACK, 0))
        return int(found.getsockname()[1])


def signalled(pid: int, number: signal.Signals) -> None:
    """Send a signal to a process, if it is still there."""
    with suppress(ProcessLookupError):
        os.kill(pid, number)


def raylet(node: Any) -> int:
    """The process that stands for a node."""
    return int(node.all_processes["raylet"][0].process.pid)


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if int((path / "stat").read_text().rpartition(")")[2].split()[1]) == pid:
                found.append(int(path.name))
    return found


def disks(pid: int | str = "*", state: str = "") -> list[Path]:
    """The folders of shards in a process, of a crawl, or of all; their names end with shard, life and process."""
    above = local_folder(state)
    return sorted(above.parent.glob(f"{above.name if state else '*'}/shard-*-*-{pid}"))


def shard_pids(state: str) -> dict[int, int]:
    """The process of every shard of a crawl that is alive, by the number of the shard; of several owners the last one."""
    found: dict[int, tuple[int, int]] = {}
    for path in disks(state=state):
        shard, life, pid = map(int, path.name.split("-")[1:])
        if Path("/proc", str(pid)).exists():
            found[shard] = max(found.get(shard, (0, 0)), (life, pid))
    return {shard: pid for shard, (_, pid) in sorted(found.items())}


@contextmanager
def nodes(count: int) -> Iterator[Nodes]:
    """A cluster of this many nodes, which ends with the block, whatever happens."""
    made = Nodes(count)
    try:
        yield made
    finally:
        import ray

        ray.shutdown()
        made.close()
