"""A media-sharing site as a file that people can read and correct, and that later crawls start from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from ...errors import ConfigError
from .media_site import MediaSite
from .page_types import DETAIL, MEDIA_TYPES, PROFILE, PageTypes
from .tag_fields import Field
from .thumbnails import Beside

FORMAT = "opilio media site 1"
MOST_PROFILES = 200_000
Profiled: TypeAlias = tuple[str, list[Any], list[str]]  # URL, terms, contacts
KEYS = (*MediaSite._fields, "profiles")


class Known(NamedTuple):
    """A stored profile."""

    url: str
    terms: Sequence[tuple[str, int]]
    contacts: Sequence[str]


def described(site: MediaSite, profiles: Iterable[Known]) -> str:
    """The file: one line for each thing that may have to be corrected, one for each profile."""
    parts: dict[str, Any] = {"format": FORMAT, "types": site.types._asdict(), "leads": site.leads}
    parts |= {"beside": [pair._asdict() for pair in site.beside], "headings": site.headings}
    parts |= {"tags": {kind: [field._asdict() for field in found] for kind, found in site.tags.items()}}
    parts |= {"owners": site.owners, "own": site.own}
    text = json.dumps(parts, indent=1, ensure_ascii=False)
    lines = ",\n  ".join(f"{_line(known.url)}: {_line(_profile(known))}" for known in profiles)
    return f'{text[:-2]},\n "profiles": {{\n  {lines}\n }}\n}}\n'


def _profile(known: Known) -> dict[str, Any]:
    return {"terms": dict(known.terms), "contacts": list(known.contacts)}


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def read(text: str, name: str) -> tuple[MediaSite, list[Profiled]]:
    """The site and the profiles that the file holds; ConfigError says what is wrong in it."""
    try:
        parts = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{name}: it cannot be read as JSON ({error}); fix that line") from None
    if not isinstance(parts, dict) or parts.get("format") != FORMAT:
        raise ConfigError(f'{name}: it is not a site file ("format" must be "{FORMAT}"); make it with `opilio site`')
    for key in KEYS:
        if key not in parts:
            raise ConfigError(f'{name}: "{key}" is missing; make the file anew with `opilio site`')
    try:
        site = _site(parts)
        profiles = [(url, list(known["terms"].items()), known["contacts"]) for url, known in parts["profiles"].items()]
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ConfigError(
            f"{name}: a part of it does not have the form it should have ({error!r}); restore that part"
        ) from None
    return site, profiles[:MOST_PROFILES]


def _site(parts: Mapping[str, Any]) -> MediaSite:
    beside = [Beside(pair["thumb"], pair["name"], pair["first"]) for pair in parts["beside"]]
    tags = {
        kind: [Field(field["container"], field["label"]) for field in parts["tags"][kind]] for kind in (DETAIL, PROFILE)
    }
    headings = {kind: [(path, text) for path, text in parts["headings"][kind]] for kind in MEDIA_TYPES}
    types = PageTypes(parts["types"]["core"], parts["types"]["apart"], bool(parts["types"].get("whole")))
    return MediaSite(types, parts["leads"], beside, headings, tags, parts["owners"], bool(parts["own"]))
