"""A clock that never jumps: the time of day when the program started, and what has passed since.

Everything that waits or counts seconds goes by it, so that a clock on the wall that is set back or forward stops no crawl.
The time of day itself is for what is written down for people: dates of records, rows, the manifest.
"""

from __future__ import annotations

import time

_STARTED = time.time() - time.monotonic()


def now() -> float:
    """Seconds since 1970, as long as nobody has set the clock since the program started."""
    return _STARTED + time.monotonic()
