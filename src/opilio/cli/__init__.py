"""The command line. stdout carries results, stderr progress and messages. One file for each group of commands."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def main() -> NoReturn:
    """Run the command; the process ends with it. Nothing is imported before Ctrl-C is a sentence."""
    try:
        from ..system.signals import leave_at_once, on_stop

        on_stop(leave_at_once)
    except KeyboardInterrupt:
        raise SystemExit(_interrupted()) from None
    from ..system.gc_pause import rarely_collecting
    from ..system.standard_streams import make_sound

    make_sound()
    with rarely_collecting():  # what is imported from here on is counted in
        from .commands import run
        from .terminal import leave

        leave(run())


def _interrupted() -> int:
    import sys

    print("opilio: interrupted", file=sys.stderr)
    return 130
