"""What strategy, topic and others have learned, as it is saved with each commit and restored after one."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ..codec import UnsavableError, pack, unpack
from ..nouns import Topic
from ..store.run import RunStore
from ..store.tables import file_of, of_another_version


def learned(thing: object) -> dict[str, Any]:
    """What a strategy or topic has learned: its attributes that end in `_`."""
    return {name: value for name, value in vars(thing).items() if name.endswith("_")}


def restore(thing: object, state: dict[str, Any]) -> None:
    """Let it know what it knew; ValueError where something is missing that it would have saved."""
    if missing := sorted(learned(thing).keys() - state.keys()):
        raise ValueError(f"{type(thing).__name__} has saved no {', '.join(missing)}")
    for name, value in state.items():
        setattr(thing, name, value)


def packed(owners: Mapping[str, object], topic: Topic | None) -> dict[str, bytes]:
    """What all of them have learned, by the name that it is saved under."""
    state = {name: _packed(owner) for name, owner in owners.items()}
    if topic:
        # each by itself: a topic that learns keeps pages, and what did not change is not written again
        state |= {f"topic {name}": pack(value) for name, value in learned(topic).items()}
    return state


def _packed(owner: object) -> bytes:
    try:
        return pack(learned(owner))
    except UnsavableError as error:
        raise UnsavableError(f"{type(owner).__name__}: of what it keeps in names that end in _, {error}") from None


def restore_all(owners: Mapping[str, object], topic: Topic | None, store: RunStore) -> None:
    """What they had learned when the store was left."""
    with restoring(store.db):
        _restore_all(owners, topic, store.state)


def _restore_all(owners: Mapping[str, object], topic: Topic | None, saved: Callable[[str], bytes | None]) -> None:
    for name, owner in owners.items():
        if found := saved(name):
            restore(owner, unpack(found))
    for name in learned(topic) if topic else ():
        if found := saved(f"topic {name}"):
            setattr(topic, name, unpack(found))


@contextmanager
def restoring(db: sqlite3.Connection) -> Iterator[None]:
    """Whoever restores what is saved in a database does it in here: UnreadableError where that cannot be done."""
    try:
        yield
    except (ValueError, TypeError, LookupError, AttributeError) as error:  # whatever a class makes of others' values
        raise of_another_version(file_of(db), str(error)) from error
