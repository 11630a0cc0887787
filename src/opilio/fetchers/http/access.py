"""How the web is got at: a proxy, certificates, cookies that are kept; and what single hosts are given that no other host ever
sees: cookies, headers, a login, a proxy. Read from a file of its own.

A request is matched by its own URL, and no redirect is followed here: so nothing goes along to where a redirect leads.
"""

from __future__ import annotations

import re
import ssl
import time
import tomllib
from base64 import b64encode
from collections.abc import Mapping
from http.cookiejar import Cookie, LoadError, MozillaCookieJar
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import ConfigError, unknown
from ...urls import host
from .address_guard import origin_of

KEYS = ("host", "cookies", "headers", "user", "password", "authentication", "proxy")
AUTHENTICATIONS = ("basic", "digest")
PROXY = re.compile(r"(https?|socks5h?)://[^\s/]+/?")
FOR_ALL = {"proxy": str, "certificates": str, "keep_cookies": bool}  # keys beside the [[site]] tables


class Login(NamedTuple):
    """For HTTP digest authentication: what is sent depends on what the host answers first."""

    user: str
    password: str


class SiteAccess(NamedTuple):
    """What one host is given."""

    host: str  # a name, or an origin such as https://host:8443
    headers: Mapping[str, str] = {}
    cookies: tuple[Cookie, ...] = ()
    proxy: str = ""
    login: Login | None = None  # where headers do not have it

    def meant(self, url: str) -> bool:
        """Whether a canonical URL is of this host."""
        return origin_of(url) == self.host if "://" in self.host else host(url) == self.host

    def sent(self, url: str) -> dict[str, str]:
        """The headers of a request for a URL of this host."""
        cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in self.cookies if _fits(cookie, url))
        return {**self.headers, "Cookie": cookies} if cookies else dict(self.headers)


class Access(NamedTuple):
    sites: tuple[SiteAccess, ...] = ()
    proxy: str = ""  # http://host:port for all hosts; it is trusted: what it connects to, it alone sees
    certificates: str = ""  # file of PEM certificates to trust instead of the usual ones
    keep_cookies: bool = False  # send cookies back to the site that set them, while the crawl runs

    def of(self, url: str) -> SiteAccess | None:
        """What the host of a canonical URL is given; the first entry that fits counts."""
        return next((site for site in self.sites if site.meant(url)), None)


def read_access(path: Path) -> Access:
    """The file that says who is given what; ConfigError with the place of a mistake."""
    try:
        settings = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(
            f"access = {path}: cannot be read ({_why(error)}); name a TOML file as in access.md"
        ) from None
    sites = settings.pop("site", [])
    if not isinstance(sites, list):
        raise ConfigError(f"{path}: site is not a list of tables; write [[site]] above what is for one host")
    for key, value in settings.items():
        _check_for_all(path, key, value)
    certificates = str(path.parent.absolute() / settings["certificates"]) if "certificates" in settings else ""
    if certificates and not _has_certificates(certificates):
        raise ConfigError(f'{path}: certificates = "{settings["certificates"]}" is not a file with PEM certificates')
    made = tuple(_site(path, number, table) for number, table in enumerate(sites, 1))
    return Access(made, settings.get("proxy", ""), certificates, settings.get("keep_cookies", False))


def _check_for_all(path: Path, key: str, value: Any) -> None:
    if key not in FOR_ALL:
        raise ConfigError(f"{path}: {unknown('key', key, (*FOR_ALL, 'site'))}")
    if type(value) is not FOR_ALL[key]:
        raise ConfigError(f"{path}: {key} must be {'text in quotes' if FOR_ALL[key] is str else 'true or false'}")
    if key == "proxy":
        _check_proxy(str(path), str(value))


def _check_proxy(where: str, proxy: str) -> None:
    if proxy and not PROXY.fullmatch(proxy):
        raise ConfigError(
            f'{where}: proxy = "{proxy}" is not a proxy; write http://host:3128 (https, socks5 and socks5h, too)'
        )


def _has_certificates(path: str) -> bool:
    try:
        ssl.create_default_context(cafile=path)
    except OSError:  # of which ssl.SSLError is one
        return False
    return True


def _site(path: Path, number: int, table: Mapping[str, Any]) -> SiteAccess:
    where = f"{path}, [[site]] number {number}"
    for key, value in table.items():
        if key not in KEYS:
            raise ConfigError(f"{where}: {unknown('key', key, KEYS)}")
        if not (_is_texts(value) if key == "headers" else isinstance(value, str)):
            raise ConfigError(f"{where}: {key} must be {'a table of texts' if key == 'headers' else 'text in quotes'}")
    name = table.get("host", "").lower()
    if not name or "/" in name.rpartition("://")[2] or not host(name if "://" in name else f"http://{name}/"):
        raise ConfigError(
            f'{where}: host = "{name}" is not a host; write host = "example.org" or "https://example.org:8443"'
        )
    _check_proxy(where, table.get("proxy", ""))
    _check_login(where, table)
    digest = table.get("authentication") == "digest"
    headers = dict(table.get("headers", {})) | ({} if digest else _basic(table))
    cookies = _cookies(path.parent / table["cookies"]) if "cookies" in table else ()
    login = Login(table["user"], table.get("password", "")) if digest else None
    return SiteAccess(name, headers, cookies, table.get("proxy", ""), login)


def _check_login(where: str, table: Mapping[str, Any]) -> None:
    for key in ("password", "authentication"):
        if key in table and "user" not in table:
            raise ConfigError(f"{where}: there is {key} and no user; add user")
    if (how := table.get("authentication", "basic")) not in AUTHENTICATIONS:
        raise ConfigError(f"{where}: {unknown('authentication', how, AUTHENTICATIONS)}")


def _is_texts(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(text, str) for text in value.values())


def _basic(table: Mapping[str, Any]) -> dict[str, str]:
    """HTTP basic authentication, where there is a user."""
    if "user" not in table:
        return {}
    return {"Authorization": "Basic " + b64encode(f"{table['user']}:{table.get('password', '')}".encode()).decode()}


def _cookies(path: Path) -> tuple[Cookie, ...]:
    jar = MozillaCookieJar(str(path))
    try:
        jar.load(ignore_discard=True, ignore_expires=True)
    except (OSError, LoadError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"{path}: cannot be read as cookies.txt ({_why(error)}); export it in Netscape format"
        ) from None
    return tuple(jar)


def _fits(cookie: Cookie, url: str) -> bool:
    """Whether a cookie is for a URL: its domain, its path, a safe connection if it needs one, and its time."""
    name, path = host(url), "/" + url.split("/", 3)[3].partition("?")[0]
    domain = cookie.domain.lower()
    of_host = name == domain.lstrip(".") or (domain.startswith(".") and name.endswith(domain))
    base = cookie.path.rstrip("/")
    below = path == base or path.startswith(f"{base}/")
    fresh = not cookie.expires or cookie.expires > time.time()
    return of_host and below and fresh and (not cookie.secure or url.startswith("https:"))


def _why(error: Exception) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)
