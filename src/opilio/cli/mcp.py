"""The server of the Model Context Protocol."""

from __future__ import annotations

import os
import secrets
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from ..config_file import load, setting
from ..errors import ConfigError
from .serve import TOKEN
from .terminal import say

NEEDED = ("mcp", "trafilatura")
HOST = "127.0.0.1"

app = typer.Typer()


@app.command()
def mcp(
    folder: Annotated[Path, typer.Argument(metavar="[DIR]", help="where the runs are, and new ones go")] = Path("runs"),
    http: Annotated[bool, typer.Option("--http", help="by HTTP on this machine instead of stdin and stdout")] = False,
    port: Annotated[int, typer.Option(help="with --http; 0 picks a free one")] = 8766,
    max_pages: Annotated[int, typer.Option(min=1, help="most pages of one crawl")] = 1000,
    max_seconds: Annotated[float, typer.Option(min=1, help="most seconds of one crawl")] = 3600,
    max_crawls: Annotated[int, typer.Option(min=1, help="most crawls at the same time")] = 2,
    settings: Annotated[
        list[str] | None, typer.Option("-s", metavar="KEY=VALUE", help="a setting of all crawls, as contact=ADDRESS")
    ] = None,
) -> None:
    """Let programs with a language model crawl, search and read, by the Model Context Protocol.

    With --http, the token that is printed is asked for; OPILIO_TOKEN in the environment sets it, else each start makes a new one.
    """
    if missing := [name for name in NEEDED if find_spec(name) is None]:
        raise ConfigError(f'the MCP server needs {", ".join(missing)}; install it with: pip install "opilio[mcp]"')
    from ..mcp.server import over_http, over_stdio  # an extra
    from ..mcp.tools import Allowed, Tools
    from ..web.listening import bound

    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"{folder}: this is a file, not a folder; name one for runs")
    given = dict(map(setting, settings or []))
    load(None, given, starts=False)  # whatever is wrong is said before anything starts
    tools = Tools([folder], Allowed(max_pages, max_seconds, max_crawls), given)
    if not http:
        over_stdio(tools)
        return
    token = os.environ.get(TOKEN) or secrets.token_urlsafe(24)
    with bound(HOST, port) as socket:
        say(f"the MCP server, Ctrl-C ends it: http://{HOST}:{socket.getsockname()[1]}/mcp")
        say(f"clients send the header: Authorization: Bearer {token}")
        over_http(tools, token, socket, HOST)
