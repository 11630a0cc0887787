"""What a crawl is told: one flat TOML file, every field with its default, its meaning and its limits."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from . import registry
from .errors import ConfigError, UnreadableError, unknown
from .shard import Limits
from .urls import canonical


class Config(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    corpus: str = Field("", description="folder with recorded pages to crawl in (see corpora.md)")
    seeds: list[str] = Field([], description="URLs to start from; empty: the corpus's home page")
    topic: str = Field("", description="what the pages should be about, in a few words")
    examples: list[str] = Field([], description="URLs of pages that are about the topic")
    model: str = Field("auto", description="how relevance is judged: a file name in topics/")
    strategy: str = Field(
        "link-context-plus", description="how the next page is chosen: NAME or NAME(setting=value,...)"
    )
    seed: int = Field(0, description="decides everything that is left to chance")
    batch: int = Field(
        50, ge=1, description="pages taken from the frontier at a time (best-N-first); 1 is strict best-first"
    )
    delay: float = Field(0.0, ge=0, description="seconds between two visits to a host")
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

    def limits(self) -> Limits:
        endless = float("inf")
        return Limits(
            self.max_pages, self.max_seconds or endless, self.max_bytes or endless, self.saturation, self.window
        )

    def toml(self) -> str:
        """The file that means this, every default written out."""
        lines = []
        for name, field in type(self).model_fields.items():
            lines.append(f"{name} = {json.dumps(getattr(self, name), ensure_ascii=False)}  # {field.description}")
        return "\n".join(lines) + "\n"


def load(path: Path | None, overrides: Mapping[str, Any]) -> Config:
    """The configuration of a file, changed by what the command line says; everything is checked before anything starts."""
    values, text = (_read(path), path.read_text()) if path else ({}, "")
    where = Where(str(path) if path else "command line", text)
    for name in [*values, *overrides]:
        if name not in Config.model_fields:
            raise ConfigError(f"{where(name)}: {unknown('setting', name, Config.model_fields)}")
    try:
        config = Config.model_validate({**values, **overrides})
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0])
        raise ConfigError(f"{where(name)}: {name} = {first['input']!r}: {first['msg'].lower()}") from None
    _check(config, where)
    return config


def setting(text: str) -> tuple[str, Any]:
    """The name and value of `key=value`; the value is read as TOML, and as plain text if it is none."""
    name, sign, value = text.partition("=")
    if not sign:
        raise ConfigError(f'-s {text}: no "="; write key=value')
    try:
        return name.strip(), tomllib.loads(f"x = {value}")["x"]
    except tomllib.TOMLDecodeError:
        return name.strip(), value.strip()


class Where:
    """Says where a setting stands."""

    def __init__(self, name: str, text: str) -> None:
        self.name, self.lines = name, text.splitlines()

    def __call__(self, key: str) -> str:
        for number, line in enumerate(self.lines, 1):
            if re.match(rf"\s*\[*{re.escape(key)}\]*\s*(=|$)", line):
                return f"{self.name}, line {number}"
        return self.name if not self.lines else f"{self.name} and command line"


def _check(config: Config, where: Where) -> None:
    try:
        registry.parse(config.strategy)
    except ConfigError as error:
        raise ConfigError(f"{where('strategy')}: {error}") from None
    if config.model not in registry.topics():
        raise ConfigError(f"{where('model')}: {unknown('model', config.model, registry.topics())}")
    if not config.corpus:
        raise ConfigError(
            f"{where('corpus')}: no corpus given; name the folder of recorded pages to crawl in (--corpus DIR)"
        )
    for name, urls in (("seeds", config.seeds), ("examples", config.examples)):
        _check_urls(urls, f"{where(name)}: {name}")


def _check_urls(urls: Sequence[str], where: str) -> None:
    for url in urls:
        if not canonical(url):
            raise ConfigError(f'{where}: "{url}" is no http or https URL; write it in full, as in https://host/path')


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UnreadableError(f"{path}: there is no such file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UnreadableError(f"{path}: cannot be read ({error})") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path}: broken TOML: {error}; mend that line") from None
