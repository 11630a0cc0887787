"""What a crawl by profiles learned of a site, out of its run folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from sqlite3 import Connection

from ..errors import ConfigError
from ..frontier.look import notes
from ..learning.media_site import MediaSite
from ..learning.page_types import PROFILE
from ..learning.site_file import Known, described
from ..packing import unpack
from ..store.run import reading


def site_file(folder: Path) -> str:
    """The site and all profiles that the crawl fetched, as a file for later crawls."""
    with closing(reading(folder)) as db:
        row = db.execute("SELECT data FROM state WHERE name = 'strategy'").fetchone()
        learned = unpack(row[0]) if row else {}
        if "why_" not in learned or "uploaders_" not in learned:
            raise ConfigError(f"{folder}: its crawl did not go by profiles; crawl with --strategy profile")
        if not learned["site_"]:
            raise ConfigError(f"{folder}: {learned['why_'] or 'its crawl ended before the site was understood'}")
        return described(MediaSite.restored(learned["site_"]), _profiles(db))


def _profiles(db: Connection) -> Iterator[Known]:
    for note in notes(db):
        if note and note[0] == PROFILE:
            yield Known(*note[1:4])
