"""What a crawl by profiles learned of a site, out of its run folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path

from ..codec import unpack
from ..engine.run import configured
from ..errors import ConfigError, UnreadableError
from ..frontier.inspect import notes
from ..store.reader import Reading, reading
from ..strategies.profile.media_site import MediaSite
from ..strategies.profile.page_types import PROFILE
from ..strategies.profile.site_file import Known, described, read


def site_file(folder: Path) -> str:
    """The site and all profiles that the crawl fetched or started from, as a file for later crawls."""
    with closing(reading(folder)) as db:
        rows = [shard.execute("SELECT data FROM state WHERE name = 'strategy'").fetchone() for shard in db.shards]
        saved = [unpack(row[0]) for row in rows if row] or [{}]
        learned = next((one for one in saved if one.get("site_")), saved[0])  # a site belongs to one shard
        if "why_" not in learned or "uploaders_" not in learned:
            raise ConfigError(f"{folder}: its crawl did not use the strategy profile; crawl with --strategy profile")
        if not learned["site_"]:
            raise ConfigError(f"{folder}: {learned['why_'] or 'its crawl ended before the site was understood'}")
        early = (Known(*profile) for profile in learned.get("early_", ()))
        found = {known.url: known for known in chain(_before(folder), early, _profiles(db))}
        return described(MediaSite.restored(learned["site_"]), found.values())


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
