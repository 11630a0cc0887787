"""What strategy, topic and others have learned, as it is saved with each commit and restored after one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..codec import pack, unpack
from ..nouns import Topic


def learned(thing: object) -> dict[str, Any]:
    """What a strategy or topic has learned: its attributes that end in `_`."""
    return {name: value for name, value in vars(thing).items() if name.endswith("_")}


def restore(thing: object, state: dict[str, Any]) -> None:
    for name, value in state.items():
        setattr(thing, name, value)


def packed(owners: Mapping[str, object], topic: Topic | None) -> dict[str, bytes]:
    """What all of them have learned, by the name that it is saved under."""
    state = {name: pack(learned(owner)) for name, owner in owners.items()}
    if topic:
        # each by itself: a topic that learns keeps pages, and what did not change is not written again
        state |= {f"topic {name}": pack(value) for name, value in learned(topic).items()}
    return state


def restore_all(owners: Mapping[str, object], topic: Topic | None, saved: Callable[[str], bytes | None]) -> None:
    """What they had learned; `saved` says what is saved under a name."""
    for name, owner in owners.items():
        if found := saved(name):
            restore(owner, unpack(found))
    for name in learned(topic) if topic else ():
        if found := saved(f"topic {name}"):
            setattr(topic, name, unpack(found))
