"""What the C library does with memory that large pages have used."""

from __future__ import annotations

import sys

LARGE = 1 << 20  # bytes; few pages are as large
MMAP_THRESHOLD, TRIM_THRESHOLD, ARENA_MAX = -3, -1, -8  # as malloc.h of glibc has them


def return_large() -> None:
    """From now on, what is large goes back to the system when it is freed.

    Left to itself, glibc learns from the first large page that such come again, and takes the next ones from the heap, where they
    leave holes between what stays: a crawl holds twice of what it needs then. Other C libraries have no such setting.
    """
    if sys.platform != "linux":
        return
    import ctypes  # most commands do without

    mallopt = getattr(ctypes.CDLL(None), "mallopt", lambda setting, value: 0)
    for setting, value in ((MMAP_THRESHOLD, LARGE), (TRIM_THRESHOLD, 4 * LARGE), (ARENA_MAX, 1)):
        mallopt(setting, value)
