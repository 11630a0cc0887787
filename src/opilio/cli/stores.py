"""Run folders in object stores."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..engine import stored_folder
from ..object_store import is_url
from .terminal import RunFolder, progress, say

app = typer.Typer()


@app.command()
def push(
    folder: RunFolder,
    url: Annotated[str, typer.Argument(metavar="URL", help="where to: s3://BUCKET/PATH, gs://... or az://...")],
) -> None:
    """Put a run folder into an object store, or what has changed of it since the last time, and print where."""
    with progress("files") as step:
        count = stored_folder.push(folder, url, step)
    say(f"{url}: {count:,} files were sent")
    print(url)


@app.command()
def pull(
    url: Annotated[
        str,
        typer.Argument(
            metavar="URL", help="where `opilio push` put it, or what was given as --state to a crawl on a cluster"
        ),
    ],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="the run folder to make")],
) -> None:
    """Make an ordinary run folder of one that was pushed, or of a crawl on a cluster, and print where it is."""
    if is_url(url) and stored_folder.is_pushed(url):
        with progress("files") as step:
            print(stored_folder.pull(url, folder, step))
        return
    from ..engine.cluster.pull import pull as pulled

    with progress("shards") as step:
        print(pulled(url, folder, step))
