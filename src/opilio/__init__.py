"""Opilio, a focused web crawler: a topic and a budget in, the pages that matter out."""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"
__all__ = (
    "DROP",
    "PARK",
    "Link",
    "Offer",
    "Page",
    "Strategy",
    "Terms",
    "Topic",
    "Weight",
    "bench",
    "crawl",
    "open_run",
    "resume",
    "stream",
)


def __getattr__(name: str) -> Any:
    """Load a public name when it is asked for: the command line starts sooner without."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "bench":
        return import_module(".bench", __name__)  # a package that can be called
    return getattr(import_module(".nouns" if name[0].isupper() else ".api", __name__), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
