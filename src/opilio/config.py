"""What a crawl is told: every setting with its default, its meaning and its limits. `config_file` reads it."""

import json
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from . import __version__
from .fetchers.http.access import Access, read_access
from .fetchers.http.address_guard import port as port_of
from .fetchers.http.dns import fixed
from .fetchers.http.settings import PORTS, TransportSettings
from .fetchers.live import Manners
from .fetchers.manners.pace import paced
from .fetchers.rendering import Render
from .loop import Limits
from .saturation import SHARE
from .scope.bounds import LONGEST_URL, MOST_PATH_PARTS, MOST_REPEATS, Bounds
from .urls import canonical, site, without_user

LISTS = ("seeds", "hosts", "examples", "like", "patterns", "exclude", "languages", "obey", "allow_networks")
LOOPBACK = "loopback"  # the range of addresses that is this machine


class Config(BaseModel):  # annotations are no strings in this module: pydantic would have to evaluate each
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, coerce_numbers_to_str=True)

    topic: str = Field("", description="what the pages should be about, in a few words")
    seeds: list[str] = Field([], description="URLs to start from; empty: the corpus's home page")
    strategy: str = Field(
        "blend",
        description="how the next page is chosen: NAME or NAME(setting=value,...); one of your own: path/to/file.py:Class",
    )
    max_pages: int = Field(1000, ge=1, description="stop after this many fetches")
    max_seconds: float = Field(0, ge=0, description="stop after this many seconds; 0: never")
    hosts: list[str] = Field([], description="fetch from these hosts and their subdomains only; empty: from all")
    delay: float = Field(1.0, ge=0, description="seconds between two requests to a host; recordings need none")
    contact: str = Field("", description="a page or mail address where site owners can reach you; sent to them")
    examples: list[str] = Field([], description="URLs or files of pages that are about the topic")
    corpus: str = Field(
        "",
        description="folder with recorded pages to crawl in (corpora.md); synth:PAGES or synth:PAGES:SEED: a synthetic web",
    )

    like: list[str] = Field(
        [],
        description="URLs of pages of the type that is wanted, whatever they are about (like.md); each on its own site",
    )
    topic_file: str = Field("", description="a text that says what the pages should be about")
    labels: str = Field(
        "",
        description="judged pages: a CSV file or a corpus folder; FILE:LABEL or FILE:COLUMN=LABEL names the label that is wanted",
    )
    model: str = Field(
        "",
        description="how relevance is judged: NAME or NAME(setting=value,...), or a file that `opilio topic train` made; "
        "empty: as the strategy's method does, which is auto for most",
    )
    adapt: bool = Field(
        True, description="learn the topic from fetched pages too, unless enough pages off it are known (topics.md)"
    )

    patterns: list[str] = Field([], description="fetch only URLs like one of these, * for any characters; empty: all")
    exclude: list[str] = Field(
        [], description="never fetch from these hosts and their subdomains, nor URLs like these, * for any characters"
    )
    languages: list[str] = Field([], description="ignore links on pages in other languages than these; empty: none")
    max_per_site: int = Field(0, ge=0, description="most fetches on one site (registrable domain); 0: no limit")
    max_depth: int = Field(0, ge=0, description="most links on the way from a seed to a page; 0: no limit")
    max_barren: int = Field(
        200, ge=0, description="similar pages that may bring nothing new before they are a trap; 0: no limit"
    )
    max_bytes: int = Field(0, ge=0, description="stop after this many bytes of bodies; 0: never")
    saturation: float = Field(
        SHARE,
        ge=0,
        le=1,
        description="stop a crawl for a topic when a smaller share of its newer pages was relevant (unattended.md); 0: never",
    )

    shared_delay: float = Field(
        -1, ge=-1, description="seconds between two requests to one address or registrable domain; -1: as delay"
    )
    obey: list[Literal["robots", "nofollow", "noarchive", "tdm", "noai"]] = Field(
        ["robots", "nofollow", "noarchive"], description="directives of hosts and pages that are obeyed (politeness.md)"
    )
    sitemaps: bool = Field(True, description="offer the sitemaps that robots.txt names, and the feeds that pages name")

    fetch_agent: str = Field("", description="the User-Agent that sites see; empty: Opilio, version and contact")
    fetch_total: float = Field(60, gt=0, description="most seconds for one request")
    fetch_body_bytes: int = Field(16 << 20, ge=1, description="longest body after decompression, in bytes")
    fetch_connections: int = Field(
        64, ge=1, description="most requests at once; four times as many connections stay open"
    )
    fetch_per_host: int = Field(1, ge=1, description="most requests to one host at once")
    allow_networks: list[str] = Field(
        [],
        description='ranges of private addresses to connect to, as in 10.1.2.0/24; "loopback": this machine (access.md)',
    )
    access: str = Field("", description="TOML file with proxies, certificates, cookies, headers and logins (access.md)")
    fetch_to: str = Field("", description="ADDRESS:PORT of one server for all hosts, as of `corpus serve`")

    render: Render = Field(
        "never",
        description="show pages in Chromium, so that their scripts run; auto: those with no text or links without (browser.md)",
    )

    seed: int = Field(0, description="seed of all random choices")
    batch: int = Field(50, ge=1, description="most pages taken at a time (best-N-first); 1: the best one alone")
    processes: int = Field(
        1, ge=1, le=10, description="processes that share the work; sites are assigned to them by a hash (scale.md)"
    )
    engine: Literal["local", "ray"] = Field(
        "local", description="local: on this machine; ray: on a Ray cluster (cluster.md), an extra"
    )
    address: str = Field(
        "auto",
        description="HOST:PORT of the Ray cluster; auto: the one of this machine; local: one started for this crawl",
    )
    state: str = Field(
        "",
        description="where a crawl on a cluster is kept: s3://BUCKET/PATH, gs://, az://, or a directory all machines share",
    )
    shards: int = Field(0, ge=0, le=1000, description="shards of a crawl on a cluster; 0: 16; it cannot change later")

    @field_validator(*LISTS, mode="before")
    @classmethod
    def _several(cls, values: Any) -> Any:
        """One is often enough: it needs no brackets."""
        return [values] if isinstance(values, str) else values

    @field_validator("seeds", "examples", "like")
    @classmethod
    def _without_user(cls, urls: list[str]) -> list[str]:
        """A password is not sent, so it is not written down either."""
        return [without_user(url) for url in urls]

    def limits(self) -> Limits:
        endless = float("inf")
        return Limits(self.max_pages, self.max_seconds or endless, self.max_bytes or endless, self.saturation)

    def bounds(self) -> Bounds:
        """What is in scope."""
        return Bounds(
            hosts=tuple(self.hosts) or self._sites(),
            patterns=tuple(self.patterns),
            exclude=tuple(self.exclude),
            languages=tuple(self.languages),
            max_per_site=self.max_per_site,
            max_depth=self.max_depth,
            max_url_length=LONGEST_URL,
            max_path_parts=MOST_PATH_PARTS,
            max_repeats=MOST_REPEATS,
            max_barren=self.max_barren,
        )

    def _sites(self) -> tuple[str, ...]:
        """The sites on which a crawl for pages like others stays: those that it starts from."""
        return tuple(dict.fromkeys(site(canonical(url)) for url in (*self.seeds, *self.like))) if self.like else ()

    def manners(self) -> Manners:
        """How hosts are treated."""
        return Manners(frozenset(self.obey), self.sitemaps, paced(self.delay, self.shared_delay), self.render)

    def transport(self) -> TransportSettings:
        """How the web is reached."""
        contact = f" (+{self.contact})" if self.contact else ""
        address, _, port = self.fetch_to.rpartition(":")
        address = address.strip("[]")
        access = read_access(Path(self.access)) if self.access else Access()
        return TransportSettings(
            user_agent=self.fetch_agent or f"opilio/{__version__}{contact}",
            total_seconds=self.fetch_total,
            max_body_bytes=self.fetch_body_bytes,
            connections=self.fetch_connections,
            host_connections=self.fetch_per_host,
            ports=PORTS | self._named_ports(),
            allow_loopback=LOOPBACK in self.allow_networks,
            allow_networks=(*(name for name in self.allow_networks if name != LOOPBACK), *([address] if port else [])),
            access=access,
            resolve=fixed(address, int(port)) if port else None,
        )

    def _named_ports(self) -> set[int]:
        """The ports of pages that the user names."""
        return {port_of(url) for url in map(canonical, [*self.seeds, *self.like, *self.examples]) if url}

    def toml(self) -> str:
        """The file that means this, every default written out."""
        return "\n\n".join("\n".join([f"# {title}", *map(self.line, names)]) for title, names in groups()) + "\n"

    def line(self, name: str) -> str:
        """One setting in a file, with its meaning."""
        value = json.dumps(getattr(self, name), ensure_ascii=False)
        return f"{name} = {value}  # {type(self).model_fields[name].description}"


# The groups in which settings are shown: the first setting of each, in the order of Config.
GROUPS = {
    "topic": "The ten that matter most",
    "like": "Topic and relevance",
    "patterns": "Scope and limits",
    "shared_delay": "Politeness",
    "fetch_agent": "Fetching",
    "seed": "How the crawl runs",
}


def groups() -> list[tuple[str, list[str]]]:
    """The title and the settings of each group."""
    found: list[tuple[str, list[str]]] = []
    for name in Config.model_fields:
        if name in GROUPS:
            found.append((GROUPS[name], []))
        found[-1][1].append(name)
    return found


# What Scrapy calls the setting, or its nearest one.
SCRAPY = {
    "seeds": "start_urls",
    "hosts": "allowed_domains",
    "patterns": "LinkExtractor(allow)",
    "exclude": "LinkExtractor(deny)",
    "delay": "DOWNLOAD_DELAY",
    "obey": "ROBOTSTXT_OBEY",
    "max_depth": "DEPTH_LIMIT",
    "max_pages": "CLOSESPIDER_PAGECOUNT",
    "max_seconds": "CLOSESPIDER_TIMEOUT",
    "fetch_agent": "USER_AGENT",
    "fetch_total": "DOWNLOAD_TIMEOUT",
    "fetch_body_bytes": "DOWNLOAD_MAXSIZE",
    "fetch_connections": "CONCURRENT_REQUESTS",
    "fetch_per_host": "CONCURRENT_REQUESTS_PER_DOMAIN",
}


def schema() -> dict[str, Any]:
    """The JSON schema of a configuration file; `x-scrapy` is what Scrapy calls a setting."""
    made = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **Config.model_json_schema(),
        "title": "opilio crawl",
    }
    for name, field in made["properties"].items():
        field.pop("title", None)
        field.update({"x-scrapy": SCRAPY[name]} if name in SCRAPY else {})
    return made
