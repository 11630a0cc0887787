"""A media-sharing site out of the pages that any crawl stored, its page types told by a few examples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path

from ..engine.stored_pages import copy, rows
from ..errors import ConfigError, unknown
from ..html.leaves import leaves
from ..store.reader import Reading, reading
from ..strategies.profile.media_site import MediaSite
from ..strategies.profile.page_types import MEDIA_TYPES, PROFILE
from ..strategies.profile.roles import Seen
from ..strategies.profile.site_file import Known, described
from ..strategies.profile.site_learning import learn_site

LOOK = 500  # pages that tell where links lead
EXAMPLES = "give one of each type at least: --example list=URL --example detail=URL --example profile=URL"


def site_by_examples(folder: Path, named: Sequence[str]) -> str:
    """The site file with all profiles among the stored pages; `named` are texts such as detail=URL."""
    examples = _by_type(named)
    with closing(reading(folder)) as db:
        site = learn_site(list(islice(_seen(db, folder), LOOK)), _pages(db, folder, examples), 1.0)
        if isinstance(site, str):
            raise ConfigError(f"{folder}: {site}; other examples may show more")
        return described(site, _profiles(site, _seen(db, folder)))


def _by_type(named: Sequence[str]) -> dict[str, list[str]]:
    examples: dict[str, list[str]] = {kind: [] for kind in MEDIA_TYPES}
    for text in named:
        kind, _, url = text.partition("=")
        if kind not in examples:
            raise ConfigError(f"--example {text}: {unknown('page type', kind, MEDIA_TYPES)}; {EXAMPLES}")
        examples[kind].append(url)
    if missing := [kind for kind, urls in examples.items() if not urls]:
        raise ConfigError(f"--example: there is none of type {' and '.join(missing)}; {EXAMPLES}")
    return examples


def _pages(db: Reading, folder: Path, examples: Mapping[str, Sequence[str]]) -> dict[str, list[Seen]]:
    wanted = {url for urls in examples.values() for url in urls}
    found = {seen.url: seen for seen in _seen(db, folder) if seen.url in wanted}
    for url in sorted(wanted - found.keys()):
        raise ConfigError(f"--example {url}: {folder} has no readable page with that URL; take one that it fetched")
    return {kind: [found[url] for url in urls] for kind, urls in examples.items()}


def _seen(db: Reading, folder: Path) -> Iterator[Seen]:
    for row in rows(db, "SELECT * FROM pages WHERE status = 200"):
        page = copy(folder, row)
        if page and (found := leaves(page)):
            yield Seen(page.url, found)


def _profiles(site: MediaSite, pages: Iterator[Seen]) -> Iterator[Known]:
    for seen in pages:
        if site.classify(seen.leaves) == PROFILE:
            yield Known(seen.url, *site.profile(seen.leaves, seen.url))
