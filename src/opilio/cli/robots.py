"""What the web allows: a robots.txt on its own, and whether a crawl would fetch a URL."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Annotated

import typer

from ..config import Config
from ..config_file import load, setting
from ..engine.live_crawl import live
from ..errors import ConfigError, UnreadableError
from ..fetchers.live import Live
from ..fetchers.manners.robots import MOST_BYTES, Robots
from ..urls import canonical
from .environment import from_environment
from .terminal import say

app = typer.Typer()

Urls = Annotated[list[str], typer.Argument(metavar="URL...", help="in full, as in https://host/path")]


@app.command()
def robots(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="a robots.txt")],
    urls: Urls,
    agent: Annotated[str, typer.Option(help="the name of the robot that asks")] = "opilio",
) -> None:
    """Say what a robots.txt allows: a line of JSON for each URL, with the rule that decides."""
    for url in urls:
        if not canonical(url):
            raise ConfigError(f'"{url}" is not an http(s) URL; write it in full, as in https://host/path')
    try:
        with file.open("rb") as opened:
            rules = Robots(opened.read(MOST_BYTES + 1))  # as much as a crawl reads of it
    except OSError as error:
        raise UnreadableError(f"{file}: cannot be read ({error.strerror}); name a robots.txt") from None
    for url in urls:
        verdict = rules.check(url, agent)
        _line({"url": url, "allowed": verdict.allowed, "rule": str(verdict.rule) if verdict.rule else ""})


@app.command()
def may(
    urls: Urls,
    config: Annotated[Path | None, typer.Option(help="settings, one TOML file")] = None,
    settings: Annotated[list[str] | None, typer.Option("-s", metavar="KEY=VALUE", help="any setting")] = None,
) -> None:
    """Say whether a crawl would fetch URLs: a line of JSON for each, with the reason if not. Asks for robots.txt."""
    given, environment = dict(map(setting, settings or [])), from_environment(os.environ, say)
    understood = load(config, given, starts=False, environment=environment)
    asyncio.run(_ask(understood, urls))


async def _ask(config: Config, urls: list[str]) -> None:
    fetcher = live(config)
    try:
        for url in urls:
            reason = await _reason(fetcher, config, url)
            _line({"url": url, "may": not reason, "reason": reason})
    finally:
        await fetcher.close()


async def _reason(fetcher: Live, config: Config, url: str) -> str:
    """The first thing that stands in the way: scheme, port, address, scope, robots.txt."""
    address = canonical(url)
    if not address:
        other = "://" in url and not url.lower().startswith(("http://", "https://"))
        return fetcher.transport.guard.url(url if other else "")
    return fetcher.transport.guard.url(address) or config.bounds().reason(address) or await fetcher.may(address)


def _line(facts: dict[str, object]) -> None:
    print(json.dumps(facts, ensure_ascii=False))
