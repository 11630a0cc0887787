"""What a crawl by profiles learned of a site, out of its run folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path

from ..engine.run import configured
from ..errors import ConfigError, UnreadableError
from ..frontier.inspect import notes
from ..store.reader import Reading, reading
from ..strategies.profile.media_strategy import MediaStrategy
from ..strategies.profile.page_types import PROFILE
from ..strategies.profile.site_file import Known, described, read
from .learned import strategies


def site_file(folder: Path) -> str:
    """The site and all profiles that the crawl fetched or started from, as a file for later crawls."""
    with closing(reading(folder)) as db:
        saved = [one for one in strategies(configured(folder), db) if isinstance(one, MediaStrategy)]
        if not saved:
            raise ConfigError(
                f"{folder}: its crawl did not use the strategy profile or profile-plus; crawl with --strategy profile"
            )
        profile = next((one for one in saved if one.site_), saved[0])  # a site belongs to one shard
        if not profile.site_:
            raise ConfigError(f"{folder}: {profile.why() or 'its crawl ended before the site was understood'}")
        early = (Known(*known) for known in profile.early_)
        found = {known.url: known for known in chain(_before(folder), early, _profiles(db))}
        return described(profile.site_, found.values())


def _before(folder: Path) -> list[Known]:
    """The profiles of the site file that the crawl started from."""
    path = configured(folder).site
    if not path:
        return []
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableError(
            f"{path}: {folder} started from it, and it cannot be read ({error}); put it back, its profiles belong here too"
        ) from None
    return [Known(*profile) for profile in read(text, path)[1]]


def _profiles(db: Reading) -> Iterator[Known]:
    for note in notes(db):
        if note and note[0] == PROFILE:
            yield Known(*note[1:4])
