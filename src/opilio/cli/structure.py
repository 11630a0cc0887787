"""The templates of a site, on their own: files in, files out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from ..bench.corpus import Corpus
from ..errors import ConfigError, UnreadableError
from ..report.structure import cluster_features, describe, learn_site, site_table, write_site
from .screen import out

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
    pages: Annotated[int, typer.Option(min=1, help="how many pages to sample")] = 200,
    seed: Annotated[int, typer.Option(help="decides which links are sampled")] = 0,
    into: Annotated[
        Path | None, typer.Option("-o", help="write the learned site here, and its picture beside it")
    ] = None,
) -> None:
    """Know a site by its templates: page types, how they link, a sitemap."""
    if (features is None) == (corpus is None):
        raise ConfigError("give either --features FILE.jsonl or --corpus DIR")
    if features is not None:
        for row in cluster_features(_lines(features), str(features)):
            print(json.dumps(row, ensure_ascii=False))
    elif corpus is not None:
        stored = Corpus.open(corpus)
        if not stored.home:
            raise ConfigError(f"{corpus / 'corpus.toml'}: it names no home page to start from; add home = URL")
        found = learn_site(stored.fetcher(), [stored.home], pages, seed)
        header, *rows = site_table(describe(found))
        grid = Table(*header, box=None)
        for cells in rows:
            grid.add_row(*map(escape, cells))
        out.print(grid)
        if into:
            print(write_site(into, found))


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableError(f"{path}: cannot be read ({error}); give a file of JSON lines") from None
