"""The people whose uploads fit the topic best, and the topic's tags, as a picture."""

from __future__ import annotations

from collections.abc import Mapping

from ...picture import Section, Table
from .people import People
from .uploaders import UNKNOWN, Uploaders

SHOWN = 15  # rows of a table


def profile_picture(people: Uploaders, topic: Mapping[str, float]) -> list[Section]:
    known = ((people.inner[number], name, number) for name, number in people.numbers.items())
    ranked = sorted((row for row in known if row[0] != UNKNOWN), reverse=True)[:SHOWN]
    rows = [
        (name, inner, people.near[n] / people.ranked_contacts[n] if people.ranked_contacts[n] else None)
        for inner, name, n in ranked
    ]
    tags = sorted(topic.items(), key=lambda pair: -pair[1])[:SHOWN]
    users = Table(["user", "fit of own tags", "fit of contacts"], rows)
    return [Section("People and tags", [users, Table(["tag", "weight in the topic"], tags)])]


def topic_picture(people: People, topic: Mapping[str, float]) -> list[Section]:
    """The same of people as the paper ranks them."""
    named = {number: url for url, number in people.numbers.items()}
    ranked = sorted(people.inner.items(), key=lambda pair: (-pair[1], pair[0]))[:SHOWN]
    rows = [(named[number], inner, people.rank(number, 0.0, 1.0)) for number, inner in ranked]
    users = Table(["user", "fit of own tags", "fit of contacts"], rows)
    return [Section("People and tags", [users, Table(["tag", "weight in the topic"], list(topic.items())[:SHOWN])])]
