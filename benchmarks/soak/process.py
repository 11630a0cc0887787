"""The command `opilio`, and each process of its crawls, with a database that has a small cache.

The cache fills up to its 16 MB with what is written, which takes ten minutes of a soak or more. A leak could hide behind that,
and the filling would look like one.
"""

from __future__ import annotations

import sys

from opilio import start
from opilio.frontier.disk import tables

CACHE = 1024  # kilobytes


def small_cache() -> None:
    tables.CACHE = CACHE


def main() -> None:
    """The command itself."""
    from opilio.cli import main as command

    small_cache()
    start.SHARD_COMMAND = (sys.executable, "-c", "from benchmarks.soak.process import shard; shard()")
    command()


def shard() -> None:
    """One process of a crawl by several."""
    from opilio.cli.shard import main as command

    small_cache()
    command()
