"""What a crawl learned of a site, out of its run folder."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from .. import registry
from ..engine.run_folder import configured
from ..errors import ConfigError, UnreadableError
from ..frontier.inspect import notes
from ..store.reader import reading
from .learned_strategies import strategies


def site_file(folder: Path) -> str:
    """The site and all profiles that the crawl fetched or started from, as a file for later crawls."""
    with closing(reading(folder)) as db:
        saved = strategies(configured(folder), db)
        before = _before(folder)
        found = next(
            filter(None, (one.site_text(notes(db), before) for one in saved)), ""
        )  # a site belongs to one shard
    if not found:
        why = next(filter(None, (one.why() for one in saved)), "its crawl went by another method, or ended too early")
        raise ConfigError(f"{folder}: {why}; `opilio site` needs a crawl with --strategy profile or profile-plus")
    return found


def _before(folder: Path) -> tuple[str, str] | None:
    """Text and name of the site file that the crawl started from."""
    path = registry.site_file(configured(folder).strategy)
    if not path:
        return None
    try:
        return Path(path).read_text(encoding="utf-8"), path
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableError(
            f"{path}: {folder} started from it, and it cannot be read ({error}); put it back, its profiles belong here too"
        ) from None
