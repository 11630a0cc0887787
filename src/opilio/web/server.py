"""Runs the dashboard until somebody ends it."""

from __future__ import annotations

import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import uvicorn

from ..errors import ConfigError
from .app import application

LINGER = 1  # seconds that open streams are given when it ends


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
                f"{host}:{port} cannot be listened on ({error}); choose another with --port or --host"
            ) from None
        made.listen(64)
        yield made


def run(folders: Sequence[Path], token: str, listening: socket.socket, host: str) -> None:
    """Answer on the socket until Ctrl-C."""
    names = [f"[{host}]" if ":" in host else host]
    app = application(folders, token, listening.getsockname()[1], names)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=LINGER,
        server_header=False,
        lifespan="off",
    )
    uvicorn.Server(config).run(sockets=[listening])
