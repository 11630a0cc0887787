"""What can go wrong, as the user sees it.

    OpilioError
    ├── ConfigError      the user misspoke: exit code 2, before anything has started
    │   └── TooFewExamples  what is said of a topic is not enough for a model; others do with less
    ├── PageError        our own mistake, or a strategy's, where the crawl cannot go on without it: exit code 1
    ├── UnreadableError  a corpus, run folder or file cannot be read: exit code 4
    ├── UnwritableError  a run folder or file cannot be written, the disk may be full: exit code 4
    └── StoppedError     the user stopped it, by Ctrl-C or another signal: exit code 130

Trouble on the web is not here: a failed fetch is a Page with `.error`. Our own mistakes are not here either: with one page, or
in an answer of a strategy, they are caught and noted (page_errors.py), anywhere else they crash, and the commit makes that safe.
"""

from collections.abc import Iterable
from difflib import get_close_matches

INTERRUPTED = 130  # the exit code of whoever was told to stop
FEW = 30  # names that are all listed
NEAR = 3  # names that are listed when there are more


class OpilioError(Exception):
    """One sentence for the user: what was read, what is allowed, where, and the remedy."""

    exit_code = 1


class ConfigError(OpilioError):
    exit_code = 2


class TooFewExamples(ConfigError):
    """Of the pages on a topic or off it there are fewer than a model learns from."""


class PageError(OpilioError):
    """A strategy, a topic or the reader raised an exception where nothing can go on, or where numbers would be wrong."""


class UnreadableError(OpilioError):
    exit_code = 4


class UnwritableError(OpilioError):
    exit_code = 4


class StoppedError(OpilioError):
    exit_code = INTERRUPTED


def by_name(kind: str) -> type[OpilioError]:
    """The error that another process named."""
    known = (*OpilioError.__subclasses__(), *ConfigError.__subclasses__())
    return next((error for error in known if error.__name__ == kind), OpilioError)


def unknown(kind: str, name: str, allowed: Iterable[str], listed_by: str = "") -> str:
    """The sentence for a name that is not known, with the nearest one that is.

    Few names are all listed; of many, those that are nearest, and the command that lists them all.
    """
    names = sorted(allowed)
    near = get_close_matches(name, names, n=NEAR)
    hint = f'; did you mean "{near[0]}"?' if near else ""
    shown = ", ".join(names if len(names) <= FEW else near)
    rest = f"all: `{listed_by}`" if listed_by and len(names) > FEW else ""
    listed = "; ".join(filter(None, (shown, rest))) or "there are none"
    return f'{kind} "{name}" is not known{hint} ({listed})'
