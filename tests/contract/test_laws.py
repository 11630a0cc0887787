"""Every law over every strategy in the folder, and over one that breaks it."""

from __future__ import annotations

from functools import partial

import pytest

from opilio import registry, testing
from opilio.nouns import Strategy
from opilio.testing import laws, small_web, watched_shards
from tests.contract import broken

BROKEN = {
    laws.deterministic: broken.Moody,
    laws.pure: broken.Clock,
    laws.state_is_marked: broken.Hidden,
    laws.folds: broken.Forgetful,
    laws.same_on_disk: broken.Biased,
    laws.hears_twice: broken.Doubling,
    laws.lessons_are_plain: broken.Teaching,
    laws.once_each: broken.Repeating,
    laws.sane_offers: broken.Inventive,
}


@pytest.mark.parametrize("law", laws.LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("name", registry.strategies())
def test_strategy_keeps_law(name: str, law: laws.Law) -> None:
    law(partial(registry.make, name, small_web.given()))


@pytest.mark.parametrize(("law", "kind"), BROKEN.items(), ids=lambda x: x.__name__)
def test_law_bites(law: laws.Law, kind: type[Strategy]) -> None:
    with pytest.raises(laws.Broken):
        law(kind)


def test_letters_twice_bites() -> None:
    with pytest.raises(laws.Broken):
        laws.letters_twice(broken.Summing, watched_shards.Gullible)


def test_nothing_lost_bites() -> None:
    with pytest.raises(laws.Broken):
        laws.nothing_lost(broken.Follow, watched_shards.Deaf)


def test_every_law_has_its_breaker() -> None:
    assert {*BROKEN, laws.letters_twice, laws.nothing_lost} == set(laws.LAWS)


def test_state_of_an_unmarked_class_breaks_folds() -> None:
    with pytest.raises(laws.Broken, match="place_ is a Point, and a tuple when it is restored"):
        laws.folds(broken.Unmarked)


@pytest.mark.parametrize(("law", "kind"), BROKEN.items(), ids=lambda x: x.__name__)
def test_check_names_the_law_that_is_broken(
    law: laws.Law, kind: type[Strategy], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(testing, "LAWS", [law])
    with pytest.raises(testing.Broken, match=rf"{kind.__name__} breaks the law {law.__name__} \(.{{20,}}\): .{{10,}}"):
        testing.check_strategy(kind)


def test_check_is_content_with_a_good_strategy() -> None:
    testing.check_strategy("fish(depth=2)")


def test_what_a_strategy_raises_breaks_a_law() -> None:
    with pytest.raises(
        testing.Broken, match=r"Raising breaks the law deterministic .*: http://.*: KeyError in observe"
    ):
        testing.check_strategy(broken.Raising)


def test_a_class_without_source_code_is_told_so() -> None:
    kind = type("Typed", (broken.Follow,), {"__module__": "__main__"})
    with pytest.raises(laws.Broken, match="its source code cannot be read; save it in a file"):
        laws.pure(kind)
