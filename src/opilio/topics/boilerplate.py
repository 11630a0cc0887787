"""What most pages of a host have in common: menus, headers, footers. It says nothing about a page, so it is not counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..text.vocabulary import Floats
from .bags import FIELDS, Bag, Stack, Tally

LEAST = 6  # pages of a host that show what its pages share
MOST_HOSTS = 40  # the hosts with the most pages
SHARE = 0.85  # of the pages of a host that have a word so often


class Shared(NamedTuple):
    """Of a host, what most of its pages say in each field."""

    fields: tuple[Bag, ...]


def shared(tallies: Sequence[Tally], width: int) -> dict[str, Shared]:
    """Of each host with pages enough, the words that most of them have, as often as most of them have them."""
    hosts: dict[str, list[Tally]] = {}
    for one in tallies:
        hosts.setdefault(one.host, []).append(one)
    large = sorted(
        (host for host, own in hosts.items() if host and len(own) >= LEAST), key=lambda h: (-len(hosts[h]), h)
    )
    return {
        host: Shared(tuple(_usual([one.fields[field] for one in hosts[host]], width) for field in range(FIELDS)))
        for host in large[:MOST_HOSTS]
    }


def _usual(bags: Sequence[Bag], width: int) -> Bag:
    stack = Stack.of(bags, width)
    columns = np.flatnonzero(stack.spread() >= SHARE * len(bags))
    counts = np.sort(stack.table(columns), axis=0)[int((1 - SHARE) * (len(bags) - 1))]
    return Bag(columns[counts > 0], counts[counts > 0])


def stripped(tallies: Sequence[Tally], hosts: dict[str, Shared], width: int) -> list[Tally]:
    """The pages without what their hosts' pages share."""
    dense = {host: [_dense(bag, width) for bag in own.fields] for host, own in hosts.items()}
    return [_without(one, dense[one.host]) if one.host in dense else one for one in tallies]


def _dense(bag: Bag, width: int) -> Floats:
    found = np.zeros(width)
    found[bag.words] = bag.counts
    return found


def _without(one: Tally, usual: Sequence[Floats]) -> Tally:
    fields = []
    for bag, base in zip(one.fields, usual, strict=True):
        counts = bag.counts - base[bag.words]
        fields.append(Bag(bag.words[counts > 0], counts[counts > 0]))
    return Tally(one.host, tuple(fields))
