"""What is in scope by the URL alone: hosts, patterns, lengths; and by the language of a page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ..nouns import Page
from ..urls import host

# URLs beyond these are traps.
LONGEST_URL = 2000  # characters
MOST_PATH_PARTS = 30
MOST_REPEATS = 3  # of one part of a path, or one parameter


@dataclass(frozen=True)
class Bounds:
    """What is in scope; a list that is empty and a number that is 0 keep nothing out."""

    hosts: Sequence[str] = ()  # these and all below them
    patterns: Sequence[str] = ()  # of whole URLs; * stands for any characters
    exclude: Sequence[str] = ()  # hosts with all below them, or patterns: what has a * or a / is one
    languages: Sequence[str] = ()  # pages in others offer nothing
    max_per_site: int = 0
    max_depth: int = 0  # links on the way from a seed
    max_url_length: int = 0
    max_path_parts: int = 0
    max_repeats: int = 0  # of one part of a path, or one parameter
    max_barren: int = 0  # pages alike that bring nothing new

    def reason(self, url: str) -> str:
        """Why a canonical URL is out of scope, whatever the crawl has done so far; "" when it is not."""
        return (self._host_reason(host(url)) if self.hosts or self._not_hosts else "") or self._url_reason(url)

    def foreign(self, page: Page) -> bool:
        """Whether a page is in a language that is not wanted."""
        return bool(self.languages and page.language and page.language not in self.languages)

    @cached_property
    def open(self) -> bool:
        """Whether no URL can be out of scope."""
        counted = ("languages", "max_per_site", "max_barren")  # these are looked at when a URL is to be fetched, or was
        return self == Bounds(**{name: getattr(self, name) for name in counted})

    def _host_reason(self, name: str) -> str:
        names = _above(name)
        if named := self._not_hosts.intersection(names):
            return f"scope: exclude has {min(named)}"
        if self._hosts and self._hosts.isdisjoint(names):
            return f"scope: {name} is not among hosts"
        return ""

    def _url_reason(self, url: str) -> str:
        if self._not_patterns and self._not_patterns.fullmatch(url):
            return "scope: it is like a pattern of exclude"
        if self.patterns and not self._patterns.fullmatch(url):
            return "scope: it is like none of patterns"
        if self.max_url_length and len(url) > self.max_url_length:
            return f"trap: longer than {self.max_url_length} characters"
        return self._shape_reason(url)

    def _shape_reason(self, url: str) -> str:
        deep = url.count("/") - 3
        if self.max_path_parts and deep >= self.max_path_parts:
            return f"trap: more than {self.max_path_parts} parts in its path"
        # Most URLs are too short to repeat anything so often.
        if self.max_repeats and deep + url.count("&") >= self.max_repeats:
            path, _, query = url.partition("://")[2].partition("/")[2].partition("?")
            parts = Counter(part for part in path.split("/") if part and not part.isdigit())
            parts.update(query.split("&") if query else ())
            if parts and parts.most_common(1)[0][1] > self.max_repeats:
                return f"trap: a part occurs more than {self.max_repeats} times"
        return ""

    @cached_property
    def _hosts(self) -> frozenset[str]:
        return frozenset(map(str.lower, self.hosts))

    @cached_property
    def _not_hosts(self) -> frozenset[str]:
        return frozenset(name.lower() for name in self.exclude if not _is_pattern(name))

    @cached_property
    def _patterns(self) -> re.Pattern[str]:
        return _any(self.patterns)

    @cached_property
    def _not_patterns(self) -> re.Pattern[str] | None:
        patterns = list(filter(_is_pattern, self.exclude))
        return _any(patterns) if patterns else None


def _above(name: str) -> list[str]:
    """A host and all domains that it is in."""
    parts = name.split(".")
    return [".".join(parts[at:]) for at in range(len(parts))]


def _any(patterns: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(map(url_pattern, patterns)))


def _is_pattern(text: str) -> bool:
    """Whether a part of `exclude` is a pattern of URLs, and not a host."""
    return "*" in text or "/" in text


def url_pattern(pattern: str) -> str:
    """A pattern of whole URLs, * for any characters, as a regular expression.

    What comes after a * is looked for once, from the left, and only what comes last at the end: no way back is tried.
    """
    first, *parts = map(re.escape, pattern.split("*"))
    if not parts:
        return first
    return first + "".join(f"(?>.*?{part})" for part in parts[:-1]) + f".*{parts[-1]}"
