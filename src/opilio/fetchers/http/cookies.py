"""Cookies: what a site set, sent back to that site alone (RFC 6265), for as long as the transport lives."""

from __future__ import annotations

import re
import time
from collections import OrderedDict
from collections.abc import Iterable
from email.utils import parsedate_to_datetime
from typing import NamedTuple

from ...urls import host, site

MOST_SITES = 1000
MOST_EACH = 50  # cookies of one site
LONGEST = 4096  # bytes of one cookie
MOST_SENT = 8192  # bytes of all that go with one request
CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


class Cookie(NamedTuple):
    name: str
    value: str
    domain: str  # the host itself, or with a dot in front: the hosts below it too
    path: str
    secure: bool
    until: float

    def fits(self, url: str) -> bool:
        """Whether it goes with a request for a canonical URL."""
        name, path = host(url), _path(url)
        near = name == self.domain or (self.domain[0] == "." and f".{name}".endswith(self.domain))
        below = path == self.path or path.startswith(self.path.removesuffix("/") + "/")
        return near and below and (not self.secure or url.startswith("https:")) and time.time() < self.until


class Cookies:
    """Apart for every registrable domain, and bounded in all ways; the site that set none for longest is forgotten first."""

    def __init__(self) -> None:
        self._sites: OrderedDict[str, dict[tuple[str, str, str], Cookie]] = OrderedDict()

    def take(self, url: str, lines: Iterable[str]) -> None:
        """What an answer from a canonical URL said in its Set-Cookie headers."""
        for cookie in filter(None, (_read(url, text) for text in lines)):
            kept = self._sites.setdefault(site(url), {})
            self._sites.move_to_end(site(url))
            kept.pop((cookie.name, cookie.domain, cookie.path), None)
            if time.time() < cookie.until:
                kept[cookie.name, cookie.domain, cookie.path] = cookie
            if len(kept) > MOST_EACH:
                del kept[next(iter(kept))]
        while len(self._sites) > MOST_SITES:
            self._sites.popitem(last=False)

    def header(self, url: str) -> str:
        """The Cookie header for a canonical URL, longer paths first; "" when there is nothing to send."""
        fitting = [cookie for cookie in self._sites.get(site(url), {}).values() if cookie.fits(url)]
        sent, size = [], 0
        for cookie in sorted(fitting, key=lambda cookie: -len(cookie.path)):
            size += len(cookie.name) + len(cookie.value) + 3
            if size <= MOST_SENT:
                sent.append(f"{cookie.name}={cookie.value}")
        return "; ".join(sent)


def _read(url: str, text: str) -> Cookie | None:
    """A cookie that this URL may set."""
    pair, *attributes = text.split(";")
    name, sign, value = (part.strip() for part in pair.partition("="))
    if not sign or not name or len(pair) > LONGEST or CONTROL.search(pair):
        return None
    fields = {key.strip().lower(): held.strip() for key, _, held in (part.partition("=") for part in attributes)}
    domain = _domain(url, fields.get("domain", "").lower().lstrip("."))
    path = fields["path"] if fields.get("path", "").startswith("/") else _path(url).rpartition("/")[0] or "/"
    secure = "secure" in fields
    if not domain or (secure and not url.startswith("https:")):
        return None
    return Cookie(name, value, domain, path, secure, _until(fields))


def _domain(url: str, asked: str) -> str:
    """Where it is to be sent; "" for one that would reach beyond the site."""
    if not asked:
        return host(url)
    inside = f".{asked}".endswith("." + site(url))
    return f".{asked}" if inside and f".{host(url)}".endswith("." + asked) else ""


def _until(fields: dict[str, str]) -> float:
    if re.fullmatch(r"-?[0-9]{1,10}", fields.get("max-age", "")):
        return time.time() + int(fields["max-age"])
    try:
        return parsedate_to_datetime(fields["expires"]).timestamp()
    except (KeyError, ValueError, OverflowError):
        return float("inf")


def _path(url: str) -> str:
    return "/" + url.partition("://")[2].partition("?")[0].partition("/")[2]
