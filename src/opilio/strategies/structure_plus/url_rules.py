"""The rules by which a site makes its URLs: which one a URL is made by, and whether it is that of an example."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ...codec import saved
from ...learning.navigation import RULE
from ...learning.url_patterns import Words, common_words, pattern


@saved
@dataclass(slots=True)
class UrlRules:
    """What the URLs of a site have in common, as far as its sample shows."""

    examples: list[str] = field(default_factory=list)  # their URLs
    words: Words = field(default_factory=dict)  # of the rules by which URLs are made
    menu: set[str] = field(default_factory=set)  # URLs that most pages link to

    def learn(self, urls: Iterable[str], menu: set[str]) -> None:
        self.words, self.menu = common_words(urls), menu

    def rule(self, url: str) -> str:
        """By which the URL is made; what is in the menus of a site is one of a kind."""
        return RULE + (url if url in self.menu else pattern(url, self.words))

    @property
    def asked(self) -> list[str]:
        """The rules of the examples' URLs."""
        return [self.rule(example) for example in self.examples]

    def is_asked(self, url: str) -> bool:
        """Whether a URL is made by the rule of an example's, or one of both has a number more: a later page of a thread."""
        return self.nearness(self.rule(url)) > 0

    def nearness(self, rule: str) -> int:
        """2 for the rule of an example's URL, 1 where one of both has a number more, else 0."""
        asked = self.asked
        return 2 if rule in asked else int(any(_later(rule, other) or _later(other, rule) for other in asked))


def _later(rule: str, first: str) -> bool:
    """Whether a rule is another one with a number at its end: the later pages of what that one leads to."""
    return rule.startswith(first) and "#" in rule[len(first) :] and "*" not in rule[len(first) :]
