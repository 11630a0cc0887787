"""Runs the dashboard until somebody ends it."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from pathlib import Path

import uvicorn

from .app import application

LINGER = 1  # seconds that open streams are given when it ends


def run(folders: Sequence[Path], token: str, listening: socket.socket, host: str, states: Sequence[str] = ()) -> None:
    """Answer on the socket until Ctrl-C."""
    names = [f"[{host}]" if ":" in host else host]
    app = application(folders, token, listening.getsockname()[1], names, states)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=LINGER,
        server_header=False,
        lifespan="off",
    )
    uvicorn.Server(config).run(sockets=[listening])
