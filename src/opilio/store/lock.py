"""One process at a time works on a run folder. The system lets go of its lock when it ends, in whatever way it ends."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path
from typing import IO

from ..errors import ConfigError

TRIES, PAUSE = 10, 0.02  # whoever only looks holds the lock for a moment


def lock(folder: Path, name: str = "lock") -> IO[str]:
    """Keep others from working on a run folder, or on one shard in it, until this is closed; the file says who does."""
    file = (folder / name).open("a")
    if not _taken(file, fcntl.LOCK_EX, TRIES):
        file.close()
        raise ConfigError(f"{folder}: another process is crawling into this folder; wait for it or stop it")
    file.truncate(0)
    file.write(f"{os.getpid()}\n")
    file.flush()
    return file


def is_running(folder: Path) -> bool:
    """Whether a process works on the folder now. Nothing is written, so a folder that may only be read can be asked about."""
    try:
        with (folder / "lock").open() as file:
            return not _taken(file, fcntl.LOCK_SH, 1)
    except FileNotFoundError:
        return False


def _taken(file: IO[str], kind: int, tries: int) -> bool:
    for left in range(tries - 1, -1, -1):
        try:
            fcntl.flock(file, kind | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if left:
                time.sleep(PAUSE)
    return False
