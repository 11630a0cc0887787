"""The command `opilio`, and each process of its crawls, with small caches.

The cache of the database fills up to its 16 MB with what is written, and the log of the frontier keeps 65,536 versions that are
out of date, 4 MB, on disk and in memory: at the pace of a soak both take ten minutes or more. A leak could hide behind that, and
the filling would look like one.
"""

from __future__ import annotations

import sys

from opilio import start
from opilio.frontier.disk import row_log, tables

CACHE = 1024  # kilobytes
SLACK = 1 << 12  # versions


def small_caches() -> None:
    tables.CACHE, row_log.SLACK = CACHE, SLACK


def main() -> None:
    """The command itself."""
    from opilio.cli import main as command

    small_caches()
    start.SHARD_COMMAND = (sys.executable, "-c", "from benchmarks.soak.process import shard; shard()")
    command()


def shard() -> None:
    """One process of a crawl by several."""
    from opilio.cli.shard import main as command

    small_caches()
    command()
