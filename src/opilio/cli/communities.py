"""Communities of sites, on their own: files in, files out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..bench.results import write as write_file
from ..errors import ConfigError
from ..report.communities import communities as find_communities
from ..report.communities import run_edges
from ..report.community_picture import picture
from .terminal import say

app = typer.Typer()


@app.command()
def communities(
    graph: Annotated[Path | None, typer.Option(help='edges as lines "source,target"')] = None,
    seed: Annotated[str | None, typer.Option(help="the site to grow the community from")] = None,
    run: Annotated[
        Path | None, typer.Option(help="a run folder: print the site graph that its crawl found, as such edges")
    ] = None,
    phi: Annotated[
        float | None, typer.Option(help="how much of the community a member must be linked with; chosen if left out")
    ] = None,
    into: Annotated[
        Path | None, typer.Option("-o", help="draw the graph with the community marked here, as SVG")
    ] = None,
) -> None:
    """Find the community of sites around one: its members, one a line."""
    if run:
        print(run_edges(run), end="")
        return
    if not graph or not seed:
        raise ConfigError("give --graph EDGES.csv and --seed SITE, or --run DIR for the graph of a crawl")
    found = find_communities(graph, seed, phi)
    for remark in found.remarks:
        say(remark)
    if into:
        write_file(into, picture(found.graph, found.seed, found.group))
    for member in found.members:
        print(member)
