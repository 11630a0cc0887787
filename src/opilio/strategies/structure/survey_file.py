"""What a later crawl starts from when a site was learned before: the part of its file that is not for people."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode

from ...codec import pack, unpack
from ...errors import UnreadableError
from ...learning.navigation import Table
from ...learning.page_types import Sitemap

FORMAT = "opilio site 1"


def saved(sitemap: Sitemap, table: Table) -> str:
    return b64encode(pack([tuple(sitemap), tuple(table)])).decode()


def read(text: str, name: str) -> tuple[Sitemap, Table]:
    """What strategy structure knows after reading the file; UnreadableError says what is wrong."""
    remedy = "make it with `opilio structure -o`"
    try:
        site = json.loads(text)
    except ValueError as error:
        raise UnreadableError(f"{name}: it cannot be read as JSON ({error}); {remedy}") from None
    if not isinstance(site, dict) or site.get("format") != FORMAT:
        raise UnreadableError(f'{name}: it is no site file ("format" must be "{FORMAT}"); {remedy}')
    try:
        sitemap, table = unpack(b64decode(site["saved"]))
        return Sitemap(*sitemap), Table(*table)
    except (KeyError, TypeError, ValueError) as error:
        raise UnreadableError(f'{name}: its part "saved" is damaged ({error!r}); {remedy}') from None
