"""Standard streams that are there and take any text, whatever the process was started with."""

from __future__ import annotations

import io
import os
import sys


def make_sound() -> None:
    """Open what is closed as /dev/null, and let letters that an encoding lacks pass as others.

    A file that is opened while 0, 1 or 2 is closed gets that number, and what is printed would end up in it.
    """
    _fill()
    if not sys.stdin:
        sys.stdin = open(0, encoding="utf-8")  # noqa: SIM115 for as long as the process
    if not sys.stdout:
        sys.stdout = open(1, "w", encoding="utf-8")  # noqa: SIM115
    if not sys.stderr:
        sys.stderr = open(2, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _fill() -> None:
    """The lowest free numbers, until all three are taken."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(number, True)  # for processes that are started later
    os.close(number)
