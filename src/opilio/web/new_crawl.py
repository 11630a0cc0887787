"""A request for a new crawl, from a form or a program."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, Field

from ..config import Config, groups
from ..config_file import setting
from .dashboard import Dashboard

LISTS = ("seeds", "examples", "like", "hosts")  # one a line, or apart by spaces
PLAIN = ("topic", "strategy", "max_pages", "delay", "contact")
OWN = "set-"  # before the names of all other settings in the form


class NewCrawl(BaseModel):
    """A crawl to begin."""

    name: str = Field(description="name of the run and of its folder")
    settings: dict[str, Any] = Field(
        {}, description="as in a configuration file: topic, seeds, strategy, max_pages ..."
    )


class Setting(BaseModel):
    """A setting as the form shows it."""

    name: str
    help: str
    usual: str


def begin(dashboard: Dashboard, asked: NewCrawl) -> str:
    """Start the crawl; its name."""
    dashboard.crawls.start(dashboard.folders.place(asked.name), asked.settings)
    return asked.name


def from_form(fields: Mapping[str, str]) -> NewCrawl:
    """What a filled-in form asks for."""
    fields_given: dict[str, Any] = {name: fields.get(name, "").split() for name in LISTS if name in Config.model_fields}
    fields_given |= {name: fields.get(name, "").strip() for name in PLAIN}
    given = {name: value for name, value in fields_given.items() if value}
    own = {name.removeprefix(OWN): value for name, value in fields.items() if name.startswith(OWN) and value.strip()}
    lines = [f"{name} = {value}" for name, value in own.items()]
    lines += [line for line in fields.get("more", "").splitlines() if line.strip()]
    return NewCrawl(name=fields.get("name", "").strip(), settings={**given, **dict(map(setting, lines))})


def advanced() -> list[tuple[str, list[Setting]]]:
    """All settings that have no field of their own, in their groups."""
    shown = {*LISTS, *PLAIN}
    found = [(title, [_setting(name) for name in names if name not in shown]) for title, names in groups()]
    return [(title, settings) for title, settings in found if settings]


def _setting(name: str) -> Setting:
    field = Config.model_fields[name]
    return Setting(name=name, help=field.description or "", usual=json.dumps(field.default))


def as_toml(settings: Mapping[str, Any]) -> str:
    """The settings that were given as a configuration file."""
    return "".join(f"{name} = {_value(value)}\n" for name, value in settings.items())


def _value(value: Any) -> str:
    is_number = isinstance(value, str) and value.replace(".", "", 1).isdecimal()
    return value if is_number else json.dumps(value, ensure_ascii=False)
