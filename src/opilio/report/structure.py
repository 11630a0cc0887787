"""The structure of a site for people and for later crawls: page types, navigation table, sitemap."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ..bench.results import write as write_file
from ..errors import UnreadableError
from ..learning.clusters import OUTLIER, cluster
from ..learning.paths import weights
from ..learning.survey import Survey, sizes, survey
from ..nouns import Fetcher, Offer, Page
from ..packing import pack, unpack
from ..shard import trace
from ..strategies.structure import Structure
from .sitemap_picture import picture

SHOWN = 5  # URLs of a page type
WORDS = 8  # of a page without a title
FORMAT = "opilio site 1"


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
    except json.JSONDecodeError as error:
        raise UnreadableError(f"{place}: this is not JSON ({error.msg}); {remedy}") from None
    paths = row.get("xpaths") if isinstance(row, dict) else None
    if not isinstance(paths, dict) or not isinstance(row.get("url"), str):
        raise UnreadableError(f"{place}: url or xpaths is missing; {remedy}")
    if not all(type(count) is int and count > 0 for count in paths.values()):
        raise UnreadableError(f"{place}: a count in xpaths is no whole number above 0; {remedy}")
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
    trace(Structure(seed=seed, sample=pages + 1, learn=False), recorder, seeds, pages)
    found = survey(recorder.pages)
    if not found.pages:
        raise UnreadableError(f"{seeds[0]}: no page there can be read as HTML; give another start page")
    return found


def describe(found: Survey) -> dict[str, Any]:
    """A learned site as a JSON document; `saved` is what later crawls read."""
    return {
        "format": FORMAT,
        "start": found.pages[0].url,
        "pages": len(found.pages),
        "outliers": found.names.count(OUTLIER),
        "eps": found.sitemap.eps,
        "types": [_type(found, number, name) for number, name in enumerate(found.sitemap.clusters)],
        "navigation": list(_navigation(found)),
        "saved": b64encode(pack([tuple(found.sitemap), tuple(found.table)])).decode(),
    }


def _type(found: Survey, number: int, name: int) -> dict[str, Any]:
    example = found.example(name)
    return {
        "type": name,
        "pages": sizes(found)[name],
        "example": example.url,
        "title": example.title or " ".join(example.main.split()[:WORDS]),
        "urls": [page.url for page, other in zip(found.pages, found.names, strict=True) if other == name][:SHOWN],
        "hub": float(found.ranks.hubs[number]),
        "authority": float(found.ranks.authorities[number]),
        "dsim": found.sitemap.spread[name],
        "links_to": {
            str(other): float(weight)
            for other, weight in zip(found.sitemap.clusters, found.matrix[number], strict=True)
            if weight
        },
    }


def _navigation(found: Survey) -> Iterator[dict[str, Any]]:
    for lane, links in found.table.links.most_common():
        seen = found.table.counts.get(lane, {})
        total = sum(seen.values())
        if total and int(lane[0]) != OUTLIER:
            shares = {str(kind): count / total for kind, count in sorted(seen.items())}
            yield {"from": int(lane[0]), "apath": lane[1], "links": links, "to": shares}


def write_site(path: Path, found: Survey) -> Path:
    """Write site.json and, beside it, the picture as HTML; where the picture is."""
    site = describe(found)
    write_file(path, json.dumps(site, indent=1, ensure_ascii=False) + "\n")
    page = path.with_suffix(".html")
    write_file(page, picture(site))
    return page


def load_site(path: Path) -> dict[str, Any]:
    """What a strategy structure knows after this site was learned: its attributes, ready to be restored."""
    try:
        site = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UnreadableError(f"{path}: it cannot be read as JSON ({error}); make it with `opilio structure`") from None
    if not isinstance(site, dict) or site.get("format") != FORMAT:
        raise UnreadableError(
            f'{path}: it is no site file ("format" must be "{FORMAT}"); make it with `opilio structure`'
        )
    sitemap, table = unpack(b64decode(site["saved"]))
    return {"sitemap_": sitemap, "table_": table, "sample_": None}


def site_table(site: dict[str, Any]) -> list[tuple[str, ...]]:
    """Page types as rows of text: type, pages, example, title, hub, authority, where most of its links lead."""
    header = ("type", "pages", "example", "title", "hub", "authority", "leads to")
    return [header, *(_row(kind) for kind in site["types"])]


def _row(kind: dict[str, Any]) -> tuple[str, ...]:
    total = sum(kind["links_to"].values())
    leads = sorted(kind["links_to"].items(), key=lambda pair: -pair[1])[:3]
    to = ", ".join(f"{name} ({weight / total:.0%})" for name, weight in leads)
    figures = (f"{kind['hub']:.2f}", f"{kind['authority']:.2f}")
    return (str(kind["type"]), str(kind["pages"]), kind["example"], kind["title"], *figures, to)
