"""What a crawl is told: every setting with its default, its meaning and its limits. `config_file` reads it."""

import json
from dataclasses import fields
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from . import __version__
from .fetchers.http.dns import fixed
from .fetchers.http.settings import TransportSettings
from .fetchers.live import Manners
from .fetchers.manners.pace import PaceSettings
from .loop import Limits
from .scope import Bounds
from .urls import without_user


class Config(BaseModel):  # annotations are no strings in this module: pydantic would have to evaluate each
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, coerce_numbers_to_str=True)

    corpus: str = Field(
        "",
        description="folder with recorded pages to crawl in (see corpora.md); synth:PAGES or synth:PAGES:SEED: a synthetic web",
    )
    seeds: list[str] = Field([], description="URLs to start from; empty: the corpus's home page")
    topic: str = Field("", description="what the pages should be about, in a few words")
    topic_file: str = Field("", description="a text that says what the pages should be about")
    examples: list[str] = Field([], description="URLs or files of pages that are about the topic")
    tag: str = Field("", description="on media-sharing sites, the tag to start from; empty: the topic's words")
    site: str = Field("", description="file of what was learned of the site before, for structure or profile")
    labels: str = Field("", description="judged pages: a CSV file, or a corpus folder with labels.csv (see topics.md)")
    label_column: str = Field("", description="the column with the labels; empty: the only one there is")
    positive: str = Field("", description="the label of pages about the topic; empty: labels say yes or no")
    topic_model: str = Field("", description="a model that `opilio topic train` made; the rest is learned on top of it")
    adapt: bool = Field(
        True, description="the topic learns from the pages that it meets, unless it knows enough off it (topics.md)"
    )
    model: str = Field("auto", description="how relevance is judged: the name of a model, or NAME(setting=value,...)")
    strategy: str = Field(
        "link-context-plus",
        description="how the next page is chosen: NAME or NAME(setting=value,...); one of your own: path/to/file.py:Class",
    )
    seed: int = Field(0, description="decides everything that is left to chance")
    batch: int = Field(
        50,
        ge=1,
        description="pages taken at a time, at most: a tenth of those fetched so far, but five; 1: the best alone",
    )
    processes: int = Field(
        1,
        ge=1,
        le=10,
        description="processes that share the work; each has the sites that a hash deals to it (scale.md)",
    )
    delay: float = Field(1.0, ge=0, description="seconds between two visits to a host; recordings need none")
    shared_delay: float = Field(
        -1, ge=-1, description="the same for one address and one registrable domain, whatever the host; -1: as delay"
    )
    max_delay: float = Field(
        60, ge=0, description="longest delay that a host can ask for (Crawl-delay) or earn by being slow"
    )
    slowness: float = Field(2, ge=0, description="a host that takes t seconds to answer is left alone for slowness * t")
    backoff: float = Field(
        10, gt=0, description="seconds of rest after 429, 503 or no answer; doubles with each one in a row"
    )
    max_rest: float = Field(3600, gt=0, description="longest rest that a host can ask for with Retry-After, in seconds")
    obey: list[Literal["robots", "nofollow", "noarchive", "tdm", "noai"]] = Field(
        ["robots", "nofollow", "noarchive"], description="what hosts and pages ask for that is done (see politeness.md)"
    )
    sitemaps: bool = Field(True, description="offer the sitemaps that robots.txt names")
    tdmrep: bool = Field(
        False, description="ask each host for its tdmrep.json, to note what it reserves; done anyway when tdm is obeyed"
    )
    hosts: list[str] = Field([], description="go to these hosts and all below them only; empty: to all")
    not_hosts: list[str] = Field([], description="never go to these hosts or any below them")
    patterns: list[str] = Field([], description="fetch only URLs like one of these, * for any characters; empty: all")
    not_patterns: list[str] = Field([], description="never fetch URLs like one of these, * for any characters")
    languages: list[str] = Field([], description="pages in other languages than these offer no links; empty: all do")
    max_per_site: int = Field(0, ge=0, description="fetches on one site (registrable domain), at most; 0: no limit")
    max_depth: int = Field(0, ge=0, description="links on the way from a seed to a page, at most; 0: no limit")
    max_url_length: int = Field(2000, ge=0, description="longer URLs are traps; 0: no limit")
    max_path_parts: int = Field(30, ge=0, description="URLs with more parts in their path are traps; 0: no limit")
    max_barren: int = Field(
        200, ge=0, description="pages alike that may bring nothing new before it is a trap; 0: no limit"
    )
    max_repeats: int = Field(3, ge=0, description="URLs that repeat a part more often are traps; 0: no limit")
    max_pages: int = Field(1000, ge=1, description="stop after this many fetches")
    max_seconds: float = Field(0, ge=0, description="stop after this many seconds; 0: never")
    max_bytes: int = Field(0, ge=0, description="stop after this many bytes of bodies; 0: never")
    saturation: float = Field(
        0.0,
        ge=0,
        le=1,
        description="stop when a smaller share than this of the last `window` pages was relevant; 0: never",
    )
    window: int = Field(1000, ge=1, description="pages that saturation looks back on")
    keep_links: bool = Field(False, description="enter every link of every page into a table, too (see archive.md)")
    contact: str = Field("", description="a page or mail address where the owners of sites reach you; sent to them")
    fetch_agent: str = Field("", description="the User-Agent that sites see; empty: Opilio, version and contact")
    fetch_connect: float = Field(10, gt=0, description="seconds for finding a host, connecting and TLS together")
    fetch_first_byte: float = Field(20, gt=0, description="seconds from sending a request to the first byte back")
    fetch_total: float = Field(60, gt=0, description="seconds for a request as a whole")
    fetch_wire_bytes: int = Field(8 << 20, ge=1, description="longest body as it comes over the wire")
    fetch_body_bytes: int = Field(16 << 20, ge=1, description="longest body once it is decompressed")
    fetch_header_bytes: int = Field(64 << 10, ge=1, description="longest headers of an answer, all together")
    fetch_connections: int = Field(
        64, ge=1, description="requests under way at once; four times as many connections stay open"
    )
    fetch_per_host: int = Field(1, ge=1, description="requests to one host under way at once")
    fetch_schemes: list[str] = Field(["http", "https"], description="what a URL may start with; there are no others")
    fetch_ports: list[int] = Field([80, 443, 8080, 8443], description="ports that a URL may name")
    fetch_loopback: bool = Field(False, description="connect to this machine too (127.0.0.0/8 and ::1)")
    fetch_to: str = Field("", description="ADDRESS:PORT of one server on which all hosts live, as of `corpus serve`")
    fetch_proxy: str = Field("", description="http://HOST:PORT to go through; it is trusted with what it connects to")
    fetch_ca: str = Field("", description="file with the certificates to trust (PEM); empty: the usual ones")
    fetch_cookies: bool = Field(False, description="send cookies back to the site that set them, while the crawl runs")
    fetch_dns: float = Field(300, ge=0, description="seconds for which the address of a host is remembered")

    @field_validator("seeds", "examples")
    @classmethod
    def _without_user(cls, urls: list[str]) -> list[str]:
        """A password is not sent, so it is not written down either."""
        return [without_user(url) for url in urls]

    def limits(self) -> Limits:
        endless = float("inf")
        return Limits(
            self.max_pages, self.max_seconds or endless, self.max_bytes or endless, self.saturation, self.window
        )

    def bounds(self) -> Bounds:
        """What is in scope."""
        told: dict[str, Any] = {}
        for field in fields(Bounds):
            value = getattr(self, field.name)
            told[field.name] = tuple(value) if isinstance(value, list) else value
        return Bounds(**told)

    def manners(self) -> Manners:
        """How hosts are treated."""
        pace = PaceSettings(
            self.delay, self.max_delay, self.slowness, self.backoff, self.max_rest, shared_delay=self.shared_delay
        )
        return Manners(frozenset(self.obey), self.sitemaps, self.tdmrep, pace)

    def transport(self) -> TransportSettings:
        """How the web is reached."""
        contact = f" (+{self.contact})" if self.contact else ""
        address, _, port = self.fetch_to.rpartition(":")
        return TransportSettings(
            user_agent=self.fetch_agent or f"opilio/{__version__}{contact}",
            connect_seconds=self.fetch_connect,
            first_byte_seconds=self.fetch_first_byte,
            total_seconds=self.fetch_total,
            max_wire_bytes=self.fetch_wire_bytes,
            max_body_bytes=self.fetch_body_bytes,
            max_header_bytes=self.fetch_header_bytes,
            connections=self.fetch_connections,
            host_connections=self.fetch_per_host,
            schemes=frozenset(self.fetch_schemes),
            ports=frozenset(self.fetch_ports),
            allow_loopback=self.fetch_loopback,
            proxy=self.fetch_proxy,
            ca_file=self.fetch_ca,
            cookies=self.fetch_cookies,
            dns_seconds=self.fetch_dns,
            resolve=fixed(address.strip("[]"), int(port)) if port else None,
        )

    def toml(self) -> str:
        """The file that means this, every default written out."""
        lines = []
        for name, field in type(self).model_fields.items():
            lines.append(f"{name} = {json.dumps(getattr(self, name), ensure_ascii=False)}  # {field.description}")
        return "\n".join(lines) + "\n"


# What Scrapy calls the setting, or its nearest one.
SCRAPY = {
    "seeds": "start_urls",
    "hosts": "allowed_domains",
    "patterns": "LinkExtractor(allow)",
    "not_patterns": "LinkExtractor(deny)",
    "not_hosts": "LinkExtractor(deny_domains)",
    "delay": "DOWNLOAD_DELAY",
    "max_delay": "AUTOTHROTTLE_MAX_DELAY",
    "slowness": "AUTOTHROTTLE_TARGET_CONCURRENCY",
    "obey": "ROBOTSTXT_OBEY",
    "max_url_length": "URLLENGTH_LIMIT",
    "max_depth": "DEPTH_LIMIT",
    "max_pages": "CLOSESPIDER_PAGECOUNT",
    "max_seconds": "CLOSESPIDER_TIMEOUT",
    "fetch_agent": "USER_AGENT",
    "fetch_total": "DOWNLOAD_TIMEOUT",
    "fetch_body_bytes": "DOWNLOAD_MAXSIZE",
    "fetch_connections": "CONCURRENT_REQUESTS",
    "fetch_per_host": "CONCURRENT_REQUESTS_PER_DOMAIN",
    "fetch_cookies": "COOKIES_ENABLED",
    "fetch_proxy": "HTTPPROXY_ENABLED",
    "fetch_dns": "DNSCACHE_ENABLED",
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
