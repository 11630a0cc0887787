"""Where a server listens."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager

from ..errors import ConfigError


@contextmanager
def bound(host: str, port: int) -> Iterator[socket.socket]:
    """A socket that listens there; port 0 is any free one."""
    kind = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(kind, socket.SOCK_STREAM, socket.IPPROTO_TCP) as made:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            made.bind((host, port))
        except (OSError, OverflowError) as error:
            raise ConfigError(
                f"cannot listen on {host}:{port} ({error}); choose another with --port or --host"
            ) from None
        made.listen(64)
        yield made
