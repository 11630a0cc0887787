"""Many objects of one class at once, field by field: what a page has by the hundred is not made one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from itertools import repeat, starmap
from operator import attrgetter
from typing import Any, Generic, TypeVar, overload

from . import native

T = TypeVar("T")
FEW = 16  # links; where somebody asks for more of a page, others are likely to ask for all


class Words(Sequence[str]):
    """A column of what links say, as the compiled walk packs it: made when somebody asks for it."""

    __slots__ = ("made", "packed", "what")

    def __init__(self, packed: bytes, what: int) -> None:
        self.packed, self.what = packed, what
        self.made: list[str] | None = None

    def all(self) -> list[str]:
        if self.made is None:
            self.made = native.functions.linked(self.packed, self.what)
        return self.made

    def some(self, numbers: list[int]) -> list[str]:
        """Those with these numbers: to make few costs less than to make all."""
        if self.made is None and len(numbers) < FEW:
            return native.functions.linked(self.packed, self.what, numbers)
        words = self.all()
        return [words[number] for number in numbers]

    @overload
    def __getitem__(self, number: int) -> str: ...
    @overload
    def __getitem__(self, number: slice) -> list[str]: ...
    def __getitem__(self, number: int | slice) -> str | list[str]:
        return self.all()[number]

    def __iter__(self) -> Iterator[str]:
        return iter(self.all())

    def __len__(self) -> int:
        return len(self.all())


class Many(Sequence[T]):
    """Objects that are made when somebody asks for them; who needs no more than a field of each asks for its column."""

    __slots__ = ("_count", "fields", "kind", "made", "numbers", "slots")

    def __init__(
        self,
        kind: type[T],
        slots: tuple[object, ...],
        fields: tuple[Any, ...],
        count: int,
        numbers: list[int] | None = None,
    ) -> None:
        self.kind, self.slots, self._count = kind, slots, count
        self.fields = fields  # of each a column, or one value for all
        self.numbers = numbers  # of the rows that these are, if not of all
        self.made: list[T] | None = None

    def column(self, name: str) -> Sequence[Any]:
        """The values of a field."""
        value = self.fields[_FIELDS[self.kind].places[name]]
        value = value.all() if type(value) is Words else value
        if type(value) not in COLUMNS:
            return [value] * self._count
        return value if self.numbers is None else some(value, self.numbers)

    def packed(self) -> bytes | None:
        """What links say, all of them, as it was packed; None where it was not."""
        return next((value.packed for value in self.fields if type(value) is Words), None)

    def some(self, numbers: list[int]) -> Many[T]:
        """Those with these numbers."""
        own = numbers if self.numbers is None else [self.numbers[number] for number in numbers]
        return Many(self.kind, self.slots, self.fields, len(numbers), own)

    def picked(self, numbers: list[int]) -> list[T]:
        """Those with these numbers, as objects."""
        if self.made is not None or not numbers:
            return [self.made[number] for number in numbers] if self.made else []
        places = numbers if self.numbers is None else [self.numbers[number] for number in numbers]
        rows = zip(*(_taken(value, places) for value in self.fields), strict=True)
        return list(starmap(self.kind, rows) if self.slots else map(self.kind, rows))

    def all(self) -> list[T]:
        """All of them as objects."""
        if self.made is None:
            if self.numbers is None and any(
                len(value) != self._count for value in self.fields if type(value) in COLUMNS
            ):
                raise ValueError("columns of different lengths")
            self.made = self.picked(list(range(self._count)))
        return self.made

    @overload
    def __getitem__(self, number: int) -> T: ...
    @overload
    def __getitem__(self, number: slice) -> list[T]: ...
    def __getitem__(self, number: int | slice) -> T | list[T]:
        if self.made is None and isinstance(number, int) and 0 <= number < self._count:
            return self.picked([number])[0]
        return self.all()[number]

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[T]:
        return iter(self.all())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and self.all() == list(other)

    def __repr__(self) -> str:
        return repr(self.all())


OWN, AROUND, TARGET = 0, 1, 2  # what links say: their words, those around them, where they lead to as it is written
COLUMNS = frozenset([list, Many, Words])


def _taken(value: Any, places: list[int]) -> Iterable[Any]:
    """What a field has in some places: of a column, or the one value for all."""
    if type(value) is Many:
        return value.picked(places)
    if type(value) is Words:
        return value.some(places)
    return [value[place] for place in places] if type(value) is list else repeat(value, len(places))


class Together(Generic[T]):
    """Single things, and many of a kind, in their order; who goes through it sees them one by one."""

    def __init__(self, *parts: T | Many[Any]) -> None:
        self.parts = parts

    def __iter__(self) -> Iterator[T]:
        for part in self.parts:
            if isinstance(part, Many):
                yield from part
            else:
                yield part


def many(kind: type[T], first: Sequence[Any], *others: Any) -> Many[T]:
    """Objects of a dataclass with slots: the column of its first field, and of others a list, many objects, or one value for all.

    What is not given has its default.
    """
    given = (first if type(first) in COLUMNS else list(first), *others)
    known = _FIELDS.get(kind) or _remember(kind)
    return Many(kind, known.slots, given + known.defaults[len(given) :], len(first))


def rows(count: int, *columns: Any) -> Many[tuple[Any, ...]]:
    """Tuples in the same way."""
    return Many(tuple, (), columns, count)


def parts(things: Iterable[T]) -> list[T | Many[Any]]:
    """What is said together, without making what is many."""
    if type(things) is Many:
        return [things]
    return list(things.parts if isinstance(things, Together) else things)


def column(things: Sequence[Any], name: str) -> Sequence[Any]:
    """One field of each."""
    return things.column(name) if isinstance(things, Many) else list(map(attrgetter(name), things))


class _Fields:
    """Of a class: its fields' places by their names, the slots, and the defaults."""

    def __init__(self, kind: Any) -> None:
        found = fields(kind)
        self.places = {field.name: place for place, field in enumerate(found)}
        self.slots = tuple(getattr(kind, field.name) for field in found)
        self.defaults = tuple(field.default for field in found)


_FIELDS: dict[object, _Fields] = {}


def _remember(kind: Any) -> _Fields:
    _FIELDS[kind] = _Fields(kind)
    return _FIELDS[kind]


def picked(things: Sequence[T], numbers: list[int]) -> list[T]:
    """Those with these numbers, as objects."""
    return things.picked(numbers) if isinstance(things, Many) else [things[number] for number in numbers]


def some(things: Sequence[T], numbers: list[int]) -> Sequence[T]:
    """Those with these numbers."""
    return things.some(numbers) if isinstance(things, Many) else [things[number] for number in numbers]
