"""A request for a new crawl, from a form or a program."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, Field

from ..config_file import setting
from .state import Desk


class NewCrawl(BaseModel):
    """A crawl to begin."""

    name: str = Field(description="of the run; its folder is called so")
    settings: dict[str, Any] = Field(
        {}, description="as in a configuration file: topic, seeds, strategy, max_pages ..."
    )


def begin(desk: Desk, asked: NewCrawl) -> str:
    """Start the crawl; its name."""
    desk.crawls.start(desk.shelf.place(asked.name), asked.settings)
    return asked.name


def from_form(fields: Mapping[str, str]) -> NewCrawl:
    """What a filled-in form asks for."""
    told: dict[str, Any] = {
        "topic": fields.get("topic", "").strip(),
        "seeds": fields.get("seeds", "").split(),
        "strategy": fields.get("strategy", ""),
        "max_pages": fields.get("max_pages", "").strip(),
    }
    given = {name: value for name, value in told.items() if value}
    more = [setting(line) for line in fields.get("more", "").splitlines() if line.strip()]
    return NewCrawl(name=fields.get("name", "").strip(), settings={**given, **dict(more)})
