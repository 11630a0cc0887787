"""What can be asked of a synthetic web: the corpus.toml that goes with its pages."""

from __future__ import annotations

from typing import TypeAlias

from .. import __version__
from ..corpus_folder import corpus_toml
from .forum import Forum
from .media import MediaSite
from .media_people import TAGS
from .site import Place
from .web import Web

Value: TypeAlias = str | int | list[str]


def described(web: Web) -> str:
    """The whole corpus.toml."""
    head: dict[str, Value] = {
        "name": f"synth-{web.pages}-{web.seed}",
        "about": f"A synthetic web of {web.pages} pages on {len(web.atlas.sites)} sites (seed {web.seed})",
        "home": Place(web.atlas.sites[0], 0).url,
        "source": f"opilio {__version__}, synth",
        "licence": "CC0-1.0",
        "language": "en,de,fr,es,ja,zh,vi",
    }
    return corpus_toml(head, tasks(web))


def tasks(web: Web) -> list[dict[str, Value]]:
    """The [[task]] tables."""
    return [_topics(web), *_forums(web), *_tags(web), *_sorting()]


def _topics(web: Web) -> dict[str, Value]:
    # 10 seeds and 30 examples of each topic where the web is large enough; always most pages stay targets.
    return {
        "name": "topics",
        "kind": "topic",
        "column": "topic",
        "min_pages": web.pages // 100,
        "max_pages": web.pages // 25,
        "seeds": max(2, min(10, web.pages // 500)),
        "train": max(4, min(30, web.pages // 160)),
    }


def _forums(web: Web) -> list[dict[str, Value]]:
    """Two tasks for each make of forum; the largest forum of the web comes first."""
    found: list[dict[str, Value]] = []
    for turn, site in enumerate([site for site in web.atlas.sites if isinstance(site, Forum)][:3]):
        suffix = f"-{turn + 1}" if turn else ""
        start: dict[str, Value] = {"column": "page_type", "start": [Place(site, 0).url]}
        wanted: list[str] = [f"{site.kind}-thread", f"{site.kind}-profile"]
        found.append({"name": f"threads{suffix}", "kind": "type", "target": wanted[0], **start})
        found.append({"name": f"user-content{suffix}", "kind": "user-content", "user_content": wanted, **start})
    return found


def _tags(web: Web) -> list[dict[str, Value]]:
    found: list[dict[str, Value]] = []
    for turn, site in enumerate(site for site in web.atlas.sites if isinstance(site, MediaSite)):
        names: dict[str, Value] = {"name": f"tags-{turn + 1}" if turn else "tags", "kind": "tag", "column": "tags"}
        found.append(
            names | {"types": "page_type", "topics": list(site.tags[::TAGS][:6]), "start": [Place(site, 0).url]}
        )
    return found


def _sorting() -> list[dict[str, Value]]:
    return [
        {"name": "genres", "kind": "genre", "column": "genre"},
        {"name": "communities", "kind": "community", "column": "community"},
    ]
