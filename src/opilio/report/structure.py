"""The structure of a site for people and for later crawls: page types, navigation table, sitemap."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ..bench.results import write as write_file
from ..config import Config
from ..engine.live_crawl import live
from ..errors import PageError, UnreadableError
from ..frontier.memory import MemoryFrontier
from ..learning.clusters import cluster
from ..learning.paths import weights
from ..loop import crawl, trace
from ..nouns import Fetcher, Offer, Page
from ..page_errors import PageErrors
from ..scope import Scope
from ..shard import Shard
from ..shard.answers import joining, weighing
from ..store.memory import MemoryStore
from ..strategies.structure import Structure
from ..strategies.structure.survey import Survey, survey
from ..strategies.structure.survey_file import describe
from .page_type_map import picture


def cluster_features(lines: Iterable[str], name: str) -> Iterator[dict[str, Any]]:
    """For each line {"url", "xpaths": {path: count}} its {"url", "cluster"}; outliers are -1."""
    rows = [_features(line, f"{name}, line {number}") for number, line in enumerate(lines, 1) if line.strip()]
    bags = [row["xpaths"] for row in rows]
    labels = cluster(weights(bags).rows(bags)).labels
    for row, label in zip(rows, labels, strict=True):
        yield {"url": row["url"], "cluster": int(label)}


def _features(line: str, place: str) -> dict[str, Any]:
    remedy = 'write {"url": ..., "xpaths": {path: count}} on each line'
    try:
        row: dict[str, Any] = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UnreadableError(f"{place}: this is not JSON ({error}); {remedy}") from None
    paths = row.get("xpaths") if isinstance(row, dict) else None
    if not isinstance(paths, dict) or not isinstance(row.get("url"), str):
        raise UnreadableError(f"{place}: url or xpaths is missing; {remedy}")
    if not all(type(count) is int and count > 0 for count in paths.values()):
        raise UnreadableError(f"{place}: a count in xpaths is not a whole number above 0; {remedy}")
    return row


class Recorder(Fetcher):
    """Passes pages on and keeps them."""

    def __init__(self, fetcher: Fetcher) -> None:
        self.fetcher = fetcher
        self.pages: list[Page] = []

    async def fetch(self, offer: Offer) -> Page:
        page = await self.fetcher.fetch(offer)
        self.pages.append(page)
        return page


def learn_site(fetcher: Fetcher, seeds: Sequence[str], pages: int, seed: int = 0) -> Survey:
    """Sample a site as strategy structure does, and learn it; UnreadableError when nothing could be read."""
    recorder = Recorder(fetcher)
    trace(_sampler(pages, seed), recorder, seeds, pages)
    return _learned(recorder, seeds[0])


def learn_live(config: Config, home: str, pages: int, tick: Callable[[int], None] = lambda done: None) -> Survey:
    """The same with a site of the web, as politely as the configuration has it; `tick` is told how many pages came."""
    return asyncio.run(_sampled(config, home, pages, tick))


async def _sampled(config: Config, home: str, pages: int, tick: Callable[[int], None]) -> Survey:
    fetcher = live(config)
    recorder, strategy = Recorder(fetcher), _sampler(pages, config.seed)
    errors = PageErrors(None)
    frontier = MemoryFrontier(
        weighing(strategy, errors),
        strategy.merge,
        config.delay,
        config.fetch_per_host == 1,
        joining(strategy, errors),
    )
    shard = Shard(
        strategy,
        frontier,
        recorder,
        MemoryStore(),
        batch=config.batch,
        scope=Scope(config.bounds()),
        page_errors=errors,
    )
    shard.start([home])
    try:
        await crawl(
            [shard], config.limits()._replace(pages=pages, saturation=0.0), watch=lambda: tick(len(recorder.pages))
        )
    finally:
        await fetcher.close()
    if errors.rule:
        raise PageError(errors.rule)
    return _learned(recorder, home)


def _sampler(pages: int, seed: int) -> Structure:
    return Structure(seed=seed, sample=pages + 1)


def _learned(recorder: Recorder, home: str) -> Survey:
    found = survey(recorder.pages)
    if not found.pages:
        why = next((f" ({page.error})" for page in recorder.pages if page.error), "")
        raise UnreadableError(f"{home}: no page there can be read as HTML{why}; give another start page")
    return found


def write_site(path: Path, found: Survey) -> Path:
    """Write site.json and, beside it, the picture as HTML; where the picture is."""
    site = describe(found)
    write_file(path, json.dumps(site, indent=1, ensure_ascii=False) + "\n")
    page = path.with_suffix(".html")
    write_file(page, picture(site))
    return page


def site_table(site: dict[str, Any]) -> list[tuple[str, ...]]:
    """Page types as rows of text: type, name, pages, example, title, hub, authority, where most of its links lead."""
    header = ("type", "name", "pages", "example", "title", "hub", "authority", "leads to")
    names = {str(kind["type"]): kind["name"] for kind in site["types"]}
    return [header, *(_row(kind, names) for kind in site["types"])]


def _row(kind: dict[str, Any], names: dict[str, str]) -> tuple[str, ...]:
    total = sum(kind["links_to"].values())
    leads = sorted(kind["links_to"].items(), key=lambda pair: -pair[1])[:3]
    to = ", ".join(f"{names[name]} ({weight / total:.0%})" for name, weight in leads)
    figures = (f"{kind['hub']:.2f}", f"{kind['authority']:.2f}")
    return (str(kind["type"]), kind["name"], str(kind["pages"]), kind["example"], kind["title"], *figures, to)
