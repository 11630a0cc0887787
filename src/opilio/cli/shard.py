"""One process of a crawl by several: what starts it. People do not call it."""

from __future__ import annotations

import socket
import sys
from pathlib import Path
from typing import NoReturn

from ..engine.run_folder import configured
from ..start import source
from ..system.gc_pause import rarely_collecting
from ..system.heap import return_large
from .terminal import leave


def main() -> NoReturn:
    """Be the shard that the parent wants: run folder, index, and the number of a socket are on the command line."""
    from ..engine.parallel.worker import serve  # a crawl in one process starts sooner without

    return_large()
    folder, index, handle = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    with socket.socket(fileno=handle) as end, rarely_collecting():
        config = configured(folder)
        serve(folder, config, index, end, *source(config))
    leave(0)
