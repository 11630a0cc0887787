"""What is asked of Ray: a place for each shard, and another one when that is gone. Its own log does not reach the user."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from ...config import Config
from ...errors import ConfigError
from .actor import Part, ShardActor, Source
from .objects import EXTRA

if TYPE_CHECKING:
    from types import ModuleType

LOCAL = "local"  # an address: start Ray on this machine, for this crawl alone
LOOPBACK = ("127.", "localhost", "[::1]")
RESOURCE = "shard"  # where machines offer it, it says how many shards each takes
FOREVER = -1
STATE = "name a place that all machines reach: --state s3://BUCKET/PATH, or a directory that they share"
# Ray's driver prints what died, whatever the level of its log is; here deaths are restarts. A line that matches is not printed.
QUIET = {
    "RAY_BACKEND_LOG_LEVEL": "fatal", "RAY_DEDUP_LOGS": "1", "RAY_DEDUP_LOGS_SKIP_REGEX": "^", "RAY_SCHEDULER_EVENTS": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
}  # fmt: skip


class Rays:
    """The connection to a cluster, for one crawl."""

    def __init__(self, address: str) -> None:
        self._ray = _imported(address)
        exceptions = self._ray.exceptions
        self.unreachable: tuple[type[Exception], ...] = (
            exceptions.RayActorError,
            exceptions.ActorUnavailableError,
            exceptions.OwnerDiedError,
        )
        self.failed: type[Exception] = exceptions.RayTaskError
        self._connect(address)
        self._class = self._ray.remote(ShardActor)
        self._resources = {RESOURCE: 1} if self._ray.cluster_resources().get(RESOURCE) else {}

    def _connect(self, address: str) -> None:
        with _hushed():
            self._join(address)

    def _join(self, address: str) -> None:
        options = {"log_to_driver": False, "logging_level": logging.CRITICAL, "namespace": "opilio"}
        if address == LOCAL:
            self._ray.init(address=LOCAL, include_dashboard=False, _node_ip_address="127.0.0.1", **options)
            return
        try:
            self._ray.init(address=address, **options)
        except (ConnectionError, ValueError, RuntimeError) as error:
            reason = " ".join(str(error).split())[:200]
            raise ConfigError(
                f"--address {address}: there is no Ray cluster to reach ({reason}); start one with `ray start --head`, and give "
                "HOST:PORT as it says, or auto on one of its machines"
            ) from None

    def check_state(self, config: Config) -> None:
        """What several machines share must be where all of them reach it."""
        nodes = sum(node["Alive"] for node in self._ray.nodes())
        if nodes > 1 and not config.state:
            raise ConfigError(f"the cluster has {nodes} machines and no state is given; {STATE}")
        if not config.state:
            raise ConfigError(f"engine ray: no state is given; {STATE}")

    def actor(self, part: Part, source: Source) -> Any:
        """A shard, somewhere on the cluster; it is started again wherever there is room, for ever."""
        options = {
            "name": f"{part.names}{part.index}", "num_cpus": 0, "resources": self._resources, "max_restarts": FOREVER,
            "scheduling_strategy": "SPREAD", "max_concurrency": 100,
        }  # fmt: skip
        return self._class.options(**options).remote(part, source)

    def restart(self, actor: Any) -> None:
        """Let a shard begin another life."""
        self._ray.kill(actor, no_restart=False)

    def close(self) -> None:
        """Let go of the cluster: shards that are still there end."""
        self._ray.shutdown()


@contextmanager
def _hushed() -> Iterator[None]:
    """Ray's compiled part writes to stderr while it starts; what matters comes as an exception."""
    sys.stderr.flush()
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def _imported(address: str) -> ModuleType:
    if not find_spec("ray"):
        raise ConfigError(f"engine ray: this needs another package: {EXTRA}")
    for name, value in QUIET.items():
        os.environ.setdefault(name, value)
    if address == LOCAL or address.startswith(LOOPBACK):
        # else Ray takes the address of a network card for that of this machine
        os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    if address == LOCAL:  # else shards get only the time that all other programs leave
        os.environ.setdefault("RAY_worker_niceness", "0")
    import ray  # most crawls need none

    ray_module: ModuleType = ray
    return ray_module
