"""Example pages of a topic: fetched, each once, with a remark on what its user should know of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from ..errors import ConfigError
from ..nouns import Fetcher, Page
from ..text.tokens import has_words, tokens
from ..urls import canonical
from .labelled_pages import followed, from_file

Remark: TypeAlias = Callable[[str], None]
RUN, ALIKE = 4, 0.8  # two pages that share this many of their runs of four words say the same


async def example(named: str, fetcher: Fetcher | None, what: str = "example") -> Page:
    """The page at a URL or in a file; it must be there."""
    page = await _page(named, fetcher, what)
    if page.error:
        raise ConfigError(f"{what} {page.url}: cannot be fetched ({page.error}); name a page that exists")
    return page


async def examples(named: Sequence[str], fetcher: Fetcher | None, remark: Remark) -> list[Page]:
    """The pages that can be had, each once; ConfigError when none of them can."""
    found: list[Page] = []
    trouble = []
    for one in named:
        page = await _page(one, fetcher)
        if page.error or not has_words(page.text):
            trouble.append(f"example {page.url}: {_why(page)}")
        elif other := next((other for other in found if _same(page, other)), None):
            remark(f"example {page.url}: {_how(page, other)}; it counts once")
        else:
            found.append(page)
    if trouble and not found:
        raise ConfigError(f"{trouble[0]}; name a page that exists, and has text")
    for sentence in trouble:
        remark(f"{sentence}; it is left out")
    return found


def remark_seeds(found: Sequence[Page], seeds: Sequence[str], remark: Remark) -> None:
    """Examples that are seeds, too: both at once is fine, if it is meant."""
    for page in found:
        if page.url in seeds:
            remark(f"example {page.url}: it is a seed, too: the crawl starts there, and looks for more pages like it")


async def _page(named: str, fetcher: Fetcher | None, what: str = "example") -> Page:
    url = canonical(named)
    if not url and not Path(named).exists():
        raise ConfigError(
            f'{what} "{named}": this is not an http(s) URL and there is no such file; write the URL in full, as in '
            "https://host/path, or name a file"
        )
    if not url:
        return from_file(Path(named))
    if fetcher is None:
        raise ConfigError(f"{what} {url}: it has to be fetched; name the folder where it is recorded with --corpus DIR")
    return await followed(fetcher, url)


def _why(page: Page) -> str:
    return f"cannot be fetched ({page.error})" if page.error else "there is no text in it"


def _how(page: Page, other: Page) -> str:
    return "it is named twice" if page.url == other.url else f"it says the same as {other.url}"


def _same(page: Page, other: Page) -> bool:
    one, two = (_runs(tokens(each.main or each.text)) for each in (page, other))
    return page.url == other.url or len(one & two) >= ALIKE * len(one | two)


def _runs(words: Sequence[str]) -> set[tuple[str, ...]]:
    return {tuple(words[start : start + RUN]) for start in range(max(1, len(words) - RUN + 1))}
