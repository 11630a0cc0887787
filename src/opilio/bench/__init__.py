"""Benchmarks: strategies compared on the same recorded pages.

The package can be called, as `opilio.bench(corpus, ...)`: Python lets the name `opilio.bench` mean nothing but this package.
"""

import sys
from types import ModuleType
from typing import Any


class _CallableModule(ModuleType):
    def __call__(self, *arguments: Any, **named: Any) -> dict[str, Any]:
        from .run import bench  # not needed by those who want a part of the package

        return bench(*arguments, **named)


sys.modules[__name__].__class__ = _CallableModule
