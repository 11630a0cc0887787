"""The dashboard."""

from __future__ import annotations

import os
import secrets
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated
from urllib.parse import quote

import typer

from ..engine.cluster.objects import is_state, place
from ..errors import ConfigError
from .terminal import say

NEEDED = ("fastapi", "jinja2", "prometheus_client", "uvicorn")
TOKEN = "OPILIO_TOKEN"

app = typer.Typer()


@app.command()
def serve(
    folders: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[DIR]...",
            help="run folders, benchmarks, or folders of them, and states of crawls on clusters; runs/ if none is given",
        ),
    ] = None,
    port: Annotated[int, typer.Option(help="0 picks a free one")] = 8765,
    host: Annotated[str, typer.Option(help="the address to listen on")] = "127.0.0.1",
) -> None:
    """Show runs and benchmarks in a browser, with a REST API; on this machine only, and only with the token.

    The address that is printed has the token in it. OPILIO_TOKEN in the environment sets it, else each start makes a new one.
    """
    if missing := [name for name in NEEDED if find_spec(name) is None]:
        raise ConfigError(f'the dashboard needs {", ".join(missing)}; install it with: pip install "opilio[web]"')
    from ..web.listening import bound
    from ..web.server import run  # an extra

    states = [folder for folder in folders or () if is_state(folder)]
    for state in states:
        place(state)  # a sentence where its store cannot be reached from here at all
    named = [Path(folder) for folder in folders or () if folder not in states]
    for folder in named:
        if not folder.is_dir():
            what = "this is a file, not a folder" if folder.exists() else "there is no such folder"
            raise ConfigError(f"{folder}: {what}; name one with runs or benchmarks in it")
    token = os.environ.get(TOKEN) or secrets.token_urlsafe(24)
    with bound(host, port) as socket:
        say(
            f"the dashboard, Ctrl-C ends it: http://{_shown(host)}:{socket.getsockname()[1]}/login#{quote(token, safe='')}"
        )
        run(named or [Path("runs")], token, socket, host, states)


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host
