"""Letters between shards on a cluster get lost, come twice, or late, after others."""

from __future__ import annotations

import asyncio
import random
from typing import Any

from opilio.config import Config
from opilio.engine.cluster.actor import RayLine
from opilio.nouns import Fetcher
from opilio.start import source

MISFORTUNE = 30  # of a hundred letters: ten are lost, ten come twice, ten come late
LATE = 1.0  # seconds at most


def unlucky_source(config: Config) -> tuple[Fetcher | None, str]:
    """Where pages come from; and in the process of a shard, which asks for that once, letters have misfortunes from now on."""
    if not isinstance(RayLine._send, Unlucky):
        RayLine._send = Unlucky(RayLine._send)  # type: ignore[method-assign, assignment]
    return source(config)


class Unlucky:
    """In place of the method that sends letters."""

    def __init__(self, send: Any) -> None:
        self._send, self._chance = send, random.Random()

    def __get__(self, line: Any, kind: type) -> Any:
        return lambda *told: self(line, *told)

    def __call__(self, line: Any, *told: Any) -> None:
        fate = self._chance.randrange(100)
        if fate < MISFORTUNE // 3:
            return
        if fate < 2 * MISFORTUNE // 3:
            self._send(line, *told)
        elif fate < MISFORTUNE:
            asyncio.get_running_loop().call_later(self._chance.random() * LATE, self._send, line, *told)
            return
        self._send(line, *told)
