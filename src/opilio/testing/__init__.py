"""For everybody who writes a strategy: does it keep the laws?"""

from __future__ import annotations

from functools import partial

from .. import registry
from ..errors import PageError
from ..nouns import Strategy
from . import small_web
from .laws import LAWS, Broken

__all__ = ("Broken", "check_strategy")


def check_strategy(strategy: str | type[Strategy]) -> None:
    """Run every law over a strategy, on a small web in memory; Broken, an AssertionError, names the first that it breaks.

    A strategy is a class, or a spec such as `otie(d=5)` or `path/to/file.py:Class`.
    """
    spec = registry.spec_of(strategy)
    name, _ = registry.parse(spec)
    make = partial(registry.make, spec, small_web.given())
    for law in LAWS:
        try:
            law(make)
        except (Broken, PageError) as error:
            rule = (law.__doc__ or "").partition("\n")[0]
            raise Broken(f"{name} breaks the law {law.__name__} ({rule.rstrip('.')}): {error}") from error
