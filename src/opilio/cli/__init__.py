"""The command line. stdout carries results, stderr progress and messages. One file for each group of commands."""

from __future__ import annotations

from typing import NoReturn

from ..garbage import rarely_collecting


def main() -> NoReturn:
    """Run the command; the process ends with it."""
    with rarely_collecting():  # what is imported from here on is counted in
        from .front import run
        from .screen import leave

        leave(run())
