"""Every law over every strategy in the folder, and over one that breaks it."""

from __future__ import annotations

from functools import partial

import pytest

from opilio import registry
from opilio.nouns import Strategy
from tests import small_web
from tests.contract import broken, laws

BROKEN = {
    laws.deterministic: broken.Moody,
    laws.pure: broken.Clock,
    laws.state_is_marked: broken.Hidden,
    laws.folds: broken.Forgetful,
    laws.same_on_disk: broken.Biased,
    laws.hears_twice: broken.Doubling,
    laws.once_each: broken.Repeating,
    laws.sane_offers: broken.Inventive,
}


@pytest.mark.parametrize("law", laws.LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("name", registry.strategies())
def test_strategy_keeps_law(name: str, law: laws.Law) -> None:
    law(partial(registry.make, name, small_web.given()))


@pytest.mark.parametrize(("law", "kind"), BROKEN.items(), ids=lambda x: x.__name__)
def test_law_bites(law: laws.Law, kind: type[Strategy]) -> None:
    with pytest.raises(AssertionError):
        law(kind)


def test_letters_twice_bites() -> None:
    with pytest.raises(AssertionError):
        laws.letters_twice(broken.Summing, laws.Gullible)


def test_nothing_lost_bites() -> None:
    with pytest.raises(AssertionError):
        laws.nothing_lost(broken.Follow, laws.Deaf)


def test_every_law_has_its_breaker() -> None:
    assert {*BROKEN, laws.letters_twice, laws.nothing_lost} == set(laws.LAWS)
