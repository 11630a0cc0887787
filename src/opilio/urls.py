"""URLs in canonical form, and what can be read off them: host, site, words, a 64-bit key. The rules: docs/urls.md."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from hashlib import blake2b
from string import ascii_letters, digits
from urllib.parse import unquote

from ada_url import join_url, normalize_url
from publicsuffixlist import PublicSuffixList

LONGEST = 4096  # characters; servers refuse more, and a trap that nests its own URL grows without end
LONGEST_WRITTEN = 4 * LONGEST  # on a page, where a fragment or percent signs may lengthen it
SHORT = 256  # characters; longer URLs are few, and not remembered
REMEMBERED = 1 << 15  # links as they are written
UNRESERVED = frozenset(ascii_letters + digits + "-._~")


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Whatever their value: nobody names content like this. First sessions, then clicks and campaigns.
JUNK = _names(
    "cfid cftoken jsessionid oscsid phpsessid phpsessionid xtcsid zenid "
    "_branch_match_id _ga _gl _hsenc _hsmi _openstat __hsfp __hssc __hstc dclid epik fbclid gad_source gbraid gclid "
    "gclsrc hsctatracking igsh igshid irclickid li_fat_id mc_cid mc_eid mkt_tok ml_subscriber ml_subscriber_hash "
    "msclkid oly_anon_id oly_enc_id pk_campaign pk_cid pk_content pk_keyword pk_kwd pk_medium pk_source rb_clickid "
    "s_kwcid srsltid ttclid twclid vero_conv vero_id wbraid wickedid wt.mc_id yclid ysclid zanpid"
)
JUNK_PREFIXES = ("utm_", "mtm_", "piwik_", "matomo_", "hsa_", "aspsessionid")

# These may name content too ("session_id=12" of a conference), so they go only when the value looks like a session key.
SESSION_NAMES = _names("s sid sess sessid session session_id session-id sessionid sessionkey")
SESSION_KEY = re.compile(
    r"(?=.*[0-9])(?=.*[a-z])(?:[0-9a-f]{16,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-z]{24,})", re.IGNORECASE
)

SESSION_IN_PATH = re.compile(
    r";(?:jsessionid|phpsessid|sessionid)=[^;/]*"  # servlets and PHP
    r"|/\([A-Z]\([0-9a-zA-Z_-]{20,}\)\)(?=/)",  # ASP.NET: /(S(lit3py55t21z5v55vlm25s55))/
    re.IGNORECASE,
)

# Anything here, and the URL has to be looked at closely; most have nothing of it.
SUSPECT = re.compile(r"[%?@]|\.[/:]|;[jps]|/\([A-Z]\(", re.IGNORECASE)

# Nothing in such a path can change, nor in such an origin if it stands parsing alone: most links need not be parsed.
PLAIN = re.compile(r"(https?://[a-z0-9.:-]+)?(?=/)(?:/[\w-]*(?:\.[\w-]+)*)+", re.ASCII)
ORIGIN = re.compile(r"https?://[a-z0-9.:-]+(?=/|$)")

# A triplet right after a stray "%" or "%4" stays: decoding it would make up a new one, and the form would change again.
TRIPLET = re.compile(r"(?<!%)(?<!%[0-9A-Fa-f])%([0-9A-Fa-f]{2})")


# Name and password, as a browser finds them in a URL as it is written: all up to the last "@" before the path.
USER = re.compile(r"(\s*[a-z][a-z0-9+.-]*:[/\\]*)[^/\\?#]*@", re.IGNORECASE)


def without_user(url: str) -> str:
    """A URL as it is written, but without name and password."""
    return USER.sub(r"\1", url, count=1) if USER.match(url) else url


def parse(url: str, base: str | None = None) -> str:
    """The URL, joined to the base, as the WHATWG standard serialises it; ValueError if it cannot be parsed."""
    return normalize_url(url) if base is None else join_url(base, url)


def canonical(url: str, base: str = "") -> str:
    """The one form of an http(s) URL under which we know it, or "" when it is none; twice is the same as once."""
    plain = PLAIN.fullmatch(url) if len(url) <= SHORT else None
    if plain and plain[1]:
        if _stable(plain[1]) and (not base or _origin(base)):
            return url
    elif plain and base and url[1:2] != "/" and (origin := _origin(base)):
        return origin + url
    return _parsed(url, base)


class Joins:
    """Canonical forms of links that were joined recently, by what was written, and by the origin where that matters."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        self.size = 0
        self._by_origin: dict[str, dict[str, str]] = {}  # "" for what means the same on every page

    def recall(self, targets: Sequence[str], origin: str) -> list[str | None]:
        own, anywhere = self._by_origin.get(origin, {}), self._by_origin.get("", {})
        return list(map(anywhere.get, targets, map(own.get, targets)))

    def remember(self, target: str, origin: str, url: str) -> str:
        if url and len(target) <= SHORT:
            if self.size >= REMEMBERED:
                self.forget()
            self._by_origin.setdefault(origin, {})[target] = url
            self.size += 1
        return url


JOINS = Joins()


def joined(targets: Sequence[str], base: str) -> list[str]:
    """The canonical forms of links as they are written on a page; a manual links to many places of the same page."""
    origin = _origin(base)
    written = [_without_fragment(target) if "#" in target else target for target in targets]
    distinct = list(dict.fromkeys(written))
    known = zip(distinct, JOINS.recall(distinct, origin), strict=True)
    found = {target: _join(target, base, origin) if url is None else url for target, url in known}
    return [found[target] for target in written]


def _without_fragment(target: str) -> str:
    """What leads to the same page; a place on the page itself stays, and so does what a parser would take white space off."""
    page = target.partition("#")[0]
    return page if page[-1:] > " " else target


def _join(target: str, base: str, origin: str) -> str:
    """The canonical form of what is written on a page; "" for a place on the page itself."""
    if target[:1] == "#":
        return ""
    if target[:1] == "/" and origin:  # menus are on every page of a site
        return JOINS.remember(target, origin, canonical(target, f"{origin}/"))
    if target.startswith(("http://", "https://")):  # whatever page they are on, they lead to the same place
        return JOINS.remember(target, "", canonical(target))
    return canonical(target, base)


@lru_cache(maxsize=65536)
def _stable(origin: str) -> bool:
    """Whether the origin of a URL, as it is written, is in canonical form."""
    return _parsed(f"{origin}/") == f"{origin}/"


def _origin(base: str) -> str:
    """The origin of a base where it can be put before a path as it is written; "" where it cannot."""
    end = base.find("/", 8)
    return _fit(base[:end] if end > 0 else base)


@lru_cache(maxsize=1024)
def _fit(start: str) -> str:
    found = ORIGIN.match(start)
    return found[0] if found and len(found[0]) < LONGEST // 2 and _stable(found[0]) else ""


def _parsed(url: str, base: str = "") -> str:
    if len(url) > LONGEST_WRITTEN:
        return ""
    try:
        href = join_url(base, url) if base else normalize_url(url)
    except ValueError:
        return ""
    if not href.startswith(("http://", "https://")):
        return ""
    if "#" in href:
        href = href[: href.index("#")]
    if SUSPECT.search(href, 8):
        return _cleaned(href)
    return href if len(href) <= LONGEST else ""


def _cleaned(href: str) -> str:
    if "%" in href:
        href = TRIPLET.sub(_decoded, href)
    start, query_mark, query = href.partition("?")
    scheme, _, rest = start.partition("://")
    authority, _, path = rest.partition("/")
    kept_path = SESSION_IN_PATH.sub("", "/" + path)
    kept_authority = _without_user_and_dot(authority)
    kept_query = "&".join(part for part in query.split("&") if not _junk(part)) if query_mark else ""
    clean = f"{scheme}://{kept_authority}{kept_path}" + ("?" + kept_query if kept_query else "")
    # A path or host that lost something may have come to mean something else ("/..;jsessionid=1/"): parse it again.
    changed = kept_path != "/" + path or kept_authority != authority
    if changed:
        return _parsed(clean)
    return clean if len(clean) <= LONGEST else ""


def _decoded(match: re.Match[str]) -> str:
    character = chr(int(match[1], 16))
    return character if character in UNRESERVED else "%" + match[1].upper()


def _without_user_and_dot(authority: str) -> str:
    address = authority.rpartition("@")[2]
    if "." not in address[-1:] and ".:" not in address:
        return address
    name, colon, port = address.partition(":")
    return name.rstrip(".") + colon + port


def _junk(parameter: str) -> bool:
    name, _, value = parameter.partition("=")
    name = name.lower().removeprefix("amp;")  # "&amp;" that was escaped twice
    if name in JUNK or name.startswith(JUNK_PREFIXES):
        return True
    return name in SESSION_NAMES and SESSION_KEY.fullmatch(value) is not None


def host(url: str) -> str:
    """The host name of a canonical URL, without the port; "" when there is none."""
    authority = url.partition("://")[2].partition("/")[0]
    if authority.endswith("]"):  # an IPv6 address without port
        return authority
    name, colon, _ = authority.rpartition(":")
    return name if colon else authority


def site(url: str) -> str:
    """The registrable domain of a canonical URL; addresses, localhost and bare public suffixes are their own site."""
    return _site(host(url))


@lru_cache(maxsize=65536)
def _site(name: str) -> str:
    if name.endswith("]") or name.rpartition(".")[2].isdigit():
        return name
    return _suffixes().privatesuffix(name) or name


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()  # 40 ms, so not before somebody asks


EXTENSION = re.compile(r"\.(?:[dps]?html?|xhtml|php\d?|phtml|aspx?|jspx?|cgi|cfm|pl|do|xml|txt|md)$", re.IGNORECASE)
# Everything but letters, where a letter is whatever is no ASCII or Latin-1 sign, digit, space or punctuation block:
# \W would cut Hindi or Thai words at every vowel sign.
BETWEEN_WORDS = re.compile(r"[\x00-@\[-`{-¿×÷\d\s\u2000-\u206F\u3000-\u303F\uFF00-\uFF20\uFFFD]+")
CAMEL_HUMP = re.compile(r"(?<=[a-zß-öø-ÿ])(?=[A-ZÀ-ÖØ-Þ])|(?<=[A-ZÀ-ÖØ-Þ])(?=[A-ZÀ-ÖØ-Þ][a-zß-öø-ÿ])")


def words(url: str) -> list[str]:
    """The words of path and query in lower case, without the host, digits and the file extension."""
    path, _, query = url.partition("://")[2].partition("/")[2].partition("?")
    text = unquote(f"{EXTENSION.sub('', path)}/{query.replace('+', ' ')}")
    return [word.lower() for word in BETWEEN_WORDS.split(CAMEL_HUMP.sub(" ", text)) if word]


def digest(url: str) -> int:
    """A number of 64 bits that is the same for a URL on every machine and in every run."""
    return int.from_bytes(blake2b(url.encode(errors="surrogatepass"), digest_size=8).digest(), "big")
