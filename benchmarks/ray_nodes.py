"""A Ray cluster of several nodes on this machine, for tests and benchmarks: all of it on 127.0.0.1, and gone in the end."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

LOOPBACK = "127.0.0.1"
# Read when Ray is first imported: it takes the address of a network card for that of this machine otherwise.
os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
os.environ["RAY_BACKEND_LOG_LEVEL"] = "fatal"
# A node that does not answer for two seconds is dead; on a real cluster Ray waits for longer.
IMPATIENT = {
    "health_check_initial_delay_ms": 0,
    "health_check_period_ms": 500,
    "health_check_timeout_ms": 500,
    "health_check_failure_threshold": 4,
}


class Nodes:
    """The nodes; the first one has what Ray needs once, and is never killed."""

    def __init__(self, count: int) -> None:
        from ray.cluster_utils import Cluster

        head = {"num_cpus": 1, "include_dashboard": False, "node_ip_address": LOOPBACK, "_system_config": IMPATIENT}
        self._cluster = Cluster(initialize_head=True, head_node_args=head)
        self.others: list[Any] = []
        for _ in range(count - 1):
            self.add()

    @property
    def address(self) -> str:
        return str(self._cluster.address)

    def add(self) -> None:
        """One more node; only from the main thread."""
        self.others.append(self._cluster.add_node(num_cpus=1, node_ip_address=LOOPBACK))

    def kill(self) -> None:
        """Kill a node, all of its processes, and delete its disk."""
        node = self.others.pop(0)
        workers = children(raylet(node))
        for pid in (raylet(node), *workers):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for pid in workers:
            for folder in disks(pid):
                shutil.rmtree(folder, ignore_errors=True)
        self._cluster.remove_node(node, allow_graceful=False)

    def close(self) -> None:
        self._cluster.shutdown()  # type: ignore[no-untyped-call]


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


def disks(pid: int | str = "*") -> list[Path]:
    """The folders of shards in a process, or of all."""
    return sorted(Path(tempfile.gettempdir(), f"opilio-{os.getuid()}").glob(f"*/shard-*-*-{pid}"))


def shard_pids() -> list[int]:
    """The processes of all shards that are alive."""
    pids = (int(path.name.split("-")[-1]) for path in disks())
    return [pid for pid in pids if Path("/proc", str(pid)).exists()]


@contextmanager
def nodes(count: int) -> Iterator[Nodes]:
    """A cluster of so many nodes, which ends with the block, whatever happens."""
    made = Nodes(count)
    try:
        yield made
    finally:
        import ray

        ray.shutdown()
        made.close()
