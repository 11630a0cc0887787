"""State and messages as bytes: msgpack with our few types, and no code in them: loading makes only objects of known classes."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, MutableMapping
from functools import partial
from importlib import import_module
from inspect import signature
from typing import Any, TypeVar

import msgpack

from .errors import PageError
from .nouns import Lane, Lesson, Link, News, Offer, TopicNews

TUPLE, SET, FROZEN, COUNTER, ARRAY, LINK, OFFER, NEWS, BIGINT, OBJECT, TOPIC_NEWS, LESSON = range(12)

Kind = TypeVar("Kind", bound=type)
KINDS: dict[str, type] = {}  # classes whose objects can be saved, by the name that they are saved under
HOMES: MutableMapping[str, str] = {}  # modules that further kinds are in, imported when one is met

# A packer cannot be used while its `default` runs, and a new one costs more than packing an offer does.
SPARE: list[Any] = []
LARGE = 1 << 20
REMEDY = "keep to numbers, text, containers and arrays, or mark its class with opilio.codec.saved"


class UnsavableError(PageError, TypeError):
    """Something that a strategy or a topic wants kept can not be: there is no way to go on without it."""


def saved(kind: Kind) -> Kind:
    """Marks a class whose objects can be saved: they are what their constructor was given, kept under the same names."""
    name = kind.__name__.lower()
    known = KINDS.get(name, kind)
    if (known.__module__, known.__qualname__) != (kind.__module__, kind.__qualname__):
        raise TypeError(
            f"{known.__module__}.{known.__qualname__} is saved as {name} already; name the new class otherwise"
        )
    KINDS[name] = kind
    ENCODERS[kind] = OBJECT, partial(_object_parts, name, [])
    return kind


def pack(value: Any) -> bytes:
    """Bytes of a plain value: numbers, text, bytes, containers, arrays, links, offers, news, objects of `saved` classes."""
    packer = SPARE.pop() if SPARE else msgpack.Packer(default=_encode, strict_types=True)
    packed: bytes = packer.pack(value)
    if len(packed) < LARGE:  # a packer keeps its buffer; and after an error, it may have written half
        SPARE.append(packer)
    return packed


def unpack(data: bytes) -> Any:
    """The value again, types included."""
    return msgpack.unpackb(data, ext_hook=_decode, strict_map_key=False)


def _encode(value: Any) -> msgpack.ExtType:
    found = ENCODERS.get(type(value)) or _inherited(value)
    if found is None:
        raise UnsavableError(f"{type(value).__name__} cannot be saved: {REMEDY}")
    code, parts = found
    return msgpack.ExtType(code, pack(parts(value)))


def _inherited(value: Any) -> tuple[int, Callable[[Any], Any]] | None:
    """How to save a named tuple, or an array or number of numpy's, which is not imported to ask for its types."""
    numpy = sys.modules.get("numpy")
    if numpy and isinstance(value, numpy.ndarray | numpy.generic):
        return ARRAY, _array_parts
    return next((ENCODERS[known] for known in type(value).__mro__ if known in ENCODERS), None)


def _decode(code: int, data: bytes) -> Any:
    if code >= len(DECODERS):
        raise ValueError(f"unknown type {code} in saved data")
    return DECODERS[code](unpack(data))


def link_parts(link: Link) -> list[Any]:
    """The fields of a link, in the order in which they are saved everywhere."""
    # Tuples of text go as lists: each tuple would cost a call of its own.
    return [link.url, link.source, link.anchor, link.context, link.path, link.image, list(link.rel)]


def link_of(parts: list[Any]) -> Link:
    """The link again."""
    url, source, anchor, context, path, image, rel = parts
    return Link(url, source, anchor, context, path, image, tuple(rel))


def other_parts(offer: Offer) -> list[Any]:
    """The fields of an offer behind its link, value and lane, in the order in which they are saved everywhere."""
    again = None if offer.again is None else list(offer.again)
    return [list(offer.note), again, offer.hops, offer.tries, offer.depth]


def offer_of(link: Link, value: float, lane: Lane, others: list[Any]) -> Offer:
    """The offer again."""
    note, again, hops, tries, depth = others
    return Offer(link, value, lane, tuple(note), None if again is None else tuple(again), hops, tries, depth)


def _offer_parts(offer: Offer) -> list[Any]:
    return [link_parts(offer.link), offer.value, list(offer.lane), *other_parts(offer)]


def _offer(parts: list[Any]) -> Offer:
    link, value, lane, *others = parts
    return offer_of(link_of(link), value, tuple(lane), others)


def _in_order(values: set[Any] | frozenset[Any]) -> list[Any]:
    return sorted(values, key=pack)  # the same set must give the same bytes


def _array_parts(array: Any) -> list[Any]:
    return [array.dtype.str, list(array.shape), array.tobytes()]


def _array(parts: list[Any]) -> Any:
    import numpy as np  # few have any

    dtype, shape, raw = parts
    array = np.frombuffer(raw, dtype=dtype).reshape(shape).copy()
    return array if shape else array[()]


def _object_parts(name: str, fields: list[str], value: Any) -> list[Any]:
    if not fields:  # a class is not complete yet while it is marked
        fields += signature(type(value)).parameters
    return [
        name,
        pack([getattr(value, field) for field in fields]),
    ]  # apart: its name says where classes of its parts are


def _object(parts: list[Any]) -> Any:
    name, packed = parts
    if name not in KINDS and name in HOMES:
        import_module(HOMES[name])
    if name not in KINDS:
        raise ValueError(f"unknown kind of object in saved data: {name}")
    given = unpack(packed)
    try:
        return KINDS[name](*given)
    except TypeError as error:
        raise ValueError(f"an object of kind {name} in saved data cannot be made ({error})") from None


def _news(fact: list[Any]) -> News:
    return News(tuple(fact))


def _lesson(fact: list[Any]) -> Lesson:
    return Lesson(tuple(fact))


def _topic_news(parts: list[Any]) -> TopicNews:
    return TopicNews(*parts)


ENCODERS: dict[type, tuple[int, Callable[[Any], Any]]] = {
    tuple: (TUPLE, list),
    set: (SET, _in_order),
    frozenset: (FROZEN, _in_order),
    Counter: (COUNTER, dict),
    Link: (LINK, link_parts),
    Offer: (OFFER, _offer_parts),
    News: (NEWS, lambda news: list(news.fact)),
    TopicNews: (TOPIC_NEWS, lambda news: [news.page, news.judged]),
    Lesson: (LESSON, lambda lesson: list(lesson.fact)),
    int: (BIGINT, str),
}
DECODERS: list[Callable[[Any], Any]] = [
    tuple,
    set,
    frozenset,
    Counter,
    _array,
    link_of,
    _offer,
    _news,
    int,
    _object,
    _topic_news,
    _lesson,
]
