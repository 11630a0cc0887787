"""The templates of a site, on their own: files in, files out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from ..bench.corpus import Corpus
from ..config_file import load, setting
from ..errors import ConfigError, UnreadableError
from ..report.structure import cluster_features, learn_live, learn_site, site_table, write_site
from ..strategies.structure.survey import Survey
from ..strategies.structure.survey_file import describe
from ..system.files import read_text
from ..urls import canonical
from .terminal import draw, printable, progress

app = typer.Typer()


@app.command()
def structure(
    features: Annotated[
        Path | None,
        typer.Option(help='lines {"url", "xpaths": {path: count}} in, lines {"url", "cluster"} out, -1 = outlier'),
    ] = None,
    corpus: Annotated[
        Path | None, typer.Option(help="a corpus folder: samples its site and shows the page types")
    ] = None,
    url: Annotated[str | None, typer.Option(help="the start page of a site on the web: the same, over HTTP")] = None,
    pages: Annotated[int, typer.Option(min=1, help="how many pages to sample")] = 200,
    seed: Annotated[int, typer.Option(help="decides which links are sampled")] = 0,
    into: Annotated[
        Path | None, typer.Option("-o", help="write the learned site here, and a picture of it next to it")
    ] = None,
    config: Annotated[Path | None, typer.Option(help="settings for --url, one TOML file")] = None,
    settings: Annotated[list[str] | None, typer.Option("-s", metavar="KEY=VALUE", help="a setting for --url")] = None,
) -> None:
    """Learn the templates of a site: its page types, how they link, a sitemap."""
    if [features, corpus, url].count(None) != 2:
        raise ConfigError("give either --features FILE.jsonl, --corpus DIR or --url URL, and only one of them")
    if url is None and (config or settings):
        raise ConfigError("--config and -s are settings for the web; use them with --url")
    if features is not None:
        for row in cluster_features(_lines(features), str(features)):
            print(json.dumps(row, ensure_ascii=False))
    else:
        _show(_recorded(corpus, pages, seed) if corpus else _live(url or "", pages, seed, config, settings or []), into)


def _recorded(folder: Path, pages: int, seed: int) -> Survey:
    stored = Corpus.open(folder)
    if not stored.home:
        raise ConfigError(f"{folder / 'corpus.toml'}: it has no home page to start from; add home = URL")
    return learn_site(stored.fetcher(), [stored.home], pages, seed)


def _live(url: str, pages: int, seed: int, config: Path | None, settings: list[str]) -> Survey:
    home = canonical(url)
    if not home:
        raise ConfigError(f"--url {url}: this is not an http(s) URL; write it in full, as in https://host/")
    understood = load(config, {"seed": seed, "seeds": [home], **dict(map(setting, settings))})
    with progress("pages") as step:
        return learn_live(understood, home, pages, lambda done: step(min(done, pages), pages, ""))


def _show(found: Survey, into: Path | None) -> None:
    header, *rows = site_table(describe(found))
    grid = Table(*header, box=None)
    for cells in rows:
        grid.add_row(*map(escape, map(printable, cells)))
    draw(grid)
    if into:
        print(write_site(into, found))


def _lines(path: Path) -> list[str]:
    text = read_text(path, "give a file of JSON lines")
    if not text.strip():
        raise UnreadableError(f"{path}: there is nothing in it; give a file of JSON lines")
    return text.splitlines()
