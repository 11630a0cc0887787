"""What goes into bytes comes out the same."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import msgpack
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from opilio import codec
from opilio.codec import pack, saved, unpack
from opilio.nouns import Link, News, Offer, Weight

TEXT = st.text(max_size=20)
NUMBERS = st.integers() | st.floats(allow_nan=False)
ATOMS = st.none() | st.booleans() | NUMBERS | TEXT | st.binary(max_size=20)
HASHABLE = st.recursive(ATOMS, lambda inner: st.tuples(inner, inner) | st.frozensets(inner, max_size=3), max_leaves=5)
SETS = st.sets(HASHABLE, max_size=4) | st.frozensets(HASHABLE, max_size=4)
LANES = st.lists(TEXT, max_size=3).map(tuple)
NOTES = st.lists(HASHABLE, max_size=4).map(tuple)
LINKS = st.builds(Link, TEXT, TEXT, TEXT, TEXT, TEXT, st.booleans(), LANES)
SAYS = st.builds(Offer, LINKS, NUMBERS, LANES, NOTES, st.none() | LANES, st.integers(0, 9)) | st.builds(News, NOTES)


def containers(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(inner, max_size=4) | st.dictionaries(HASHABLE, inner, max_size=4) | st.tuples(inner, inner)


PLAIN = st.recursive(HASHABLE | SETS | LINKS | SAYS | st.dictionaries(TEXT, st.integers()).map(Counter), containers)


def types(value: Any) -> Any:
    """The types of a value and of all it holds, since 1 == 1.0 == True."""
    if isinstance(value, dict):
        return type(value), [(types(key), types(inner)) for key, inner in value.items()]
    return (type(value), list(map(types, value))) if isinstance(value, (list, tuple)) else type(value)


@given(PLAIN)
def test_plain_values_come_back_with_their_types(value: Any) -> None:
    again = unpack(pack(value))
    assert again == value
    assert types(again) == types(value)


@given(LINKS, LANES, NOTES)
def test_an_offer_comes_back_with_its_tuples(link: Link, lane: tuple[str, ...], note: tuple[Any, ...]) -> None:
    again = unpack(pack(Offer(link, 0.5, lane, note, lane)))
    assert again == Offer(link, 0.5, lane, note, lane)
    assert types((again.link.rel, again.lane, again.note, again.again)) == types((link.rel, lane, note, lane))


@given(st.lists(TEXT))
def test_equal_sets_have_equal_bytes(values: list[str]) -> None:
    backwards = values[::-1]
    assert pack(set(values)) == pack(set(backwards))
    assert pack(frozenset(values)) == pack(frozenset(backwards))


@pytest.mark.parametrize("value", [2**63, 2**64, -(2**63) - 1, 10**400, math.inf, -0.0])
def test_numbers_of_any_size(value: float) -> None:
    assert repr(unpack(pack(value))) == repr(value)


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "u1", "?", "<U3"])
def test_arrays_and_numpy_scalars(dtype: str) -> None:
    array = np.arange(6).reshape(2, 3).astype(dtype)
    again = unpack(pack(array))
    assert again.dtype == array.dtype
    assert again.tolist() == array.tolist()
    again[0, 0] = again[0, 1]  # it can be written to
    scalar = unpack(pack(array[1, 1]))
    assert scalar == array[1, 1]
    assert type(scalar) is type(array[1, 1])


def test_a_named_tuple_that_is_not_marked_is_saved_as_a_tuple() -> None:
    assert unpack(pack(Weight(1.0, 2.0, 3.0))) == (1.0, 2.0, 3.0)


@pytest.mark.parametrize("value", [object(), print, [object()], {"a": object}])
def test_what_is_not_plain_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="cannot be saved"):
        pack(value)
    assert unpack(pack((1, "a"))) == (1, "a")  # and the next value is none the worse


@saved
@dataclass(slots=True)
class Shelf:
    name: str
    jars: dict[tuple[str, int], list[float]] = field(default_factory=dict)
    above: Shelf | None = None


@saved
class Spoon(NamedTuple):
    size: float
    used: bool = False


def test_objects_of_marked_classes_come_back_as_they_were() -> None:
    shelf = Shelf("low", {("honey", 1): [0.5]}, Shelf("high"))
    again = unpack(pack({"shelf": shelf, "spoons": [Spoon(1.5)]}))
    assert again == {"shelf": shelf, "spoons": [Spoon(1.5)]}
    assert isinstance(again["shelf"].above, Shelf)
    assert type(again["spoons"][0]) is Spoon
    again["shelf"].jars["honey", 1].append(1.0)
    assert shelf.jars == {("honey", 1): [0.5]}


def test_objects_of_unknown_classes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = pack(Spoon(1.0))
    monkeypatch.delitem(codec.KINDS, "spoon")
    with pytest.raises(ValueError, match="unknown kind of object in saved data: spoon"):
        unpack(packed)


@pytest.mark.parametrize("name", ["os.system", "builtins.eval", "Popen", "str", "shelf2", "opilio.nouns.Link"])
def test_a_name_in_the_data_imports_and_calls_nothing(name: str) -> None:
    with pytest.raises(ValueError, match="unknown kind"):
        unpack(msgpack.packb(msgpack.ExtType(codec.OBJECT, msgpack.packb([name, pack(["echo"])]))))


def test_an_object_with_other_parts_than_its_class_has_is_refused() -> None:
    with pytest.raises(ValueError, match="of kind spoon in saved data cannot be made"):
        unpack(msgpack.packb(msgpack.ExtType(codec.OBJECT, msgpack.packb(["spoon", pack([1.0, False, "and more"])]))))


def test_two_classes_cannot_be_saved_under_one_name() -> None:
    with pytest.raises(TypeError, match="Spoon is saved as spoon already"):
        saved(type("spoon", (), {"__module__": "elsewhere"}))
    assert unpack(pack(Spoon(2.0))) == Spoon(2.0)


def test_unknown_types_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown type 99"):
        unpack(msgpack.packb(msgpack.ExtType(99, b"")))
