"""What a strategy's picture of the web is made of: plain values, which report/ draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias


class Paragraph(NamedTuple):
    text: str


class Table(NamedTuple):
    heads: Sequence[str]
    rows: Sequence[Sequence[object]]
    empty: str = ""  # the sentence instead when there are no rows


class Curve(NamedTuple):
    name: str
    xs: Sequence[float]
    ys: Sequence[float]
    reference: bool = False  # something to compare with, drawn in grey


class Plot(NamedTuple):
    title: str
    x_name: str
    curves: Sequence[Curve]


class SiteGraph(NamedTuple):
    """Sites that link to each other, and those among them that belong together."""

    links: Sequence[tuple[str, str]]
    seed: str
    members: Sequence[str]


class Sitemap(NamedTuple):
    """The page types of one site: `start`, and `types` as a site file describes them."""

    site: Mapping[str, Any]


Part: TypeAlias = Paragraph | Table | Plot | SiteGraph | Sitemap


class Section(NamedTuple):
    """Some parts under one heading; left out when all of them are empty."""

    heading: str
    parts: Sequence[Part]
