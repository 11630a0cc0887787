"""What a robots.txt says, by RFC 9309: bytes in, verdicts with the rule and its line out.

Where the RFC is silent we read a file as the most used open parser does: misspelt names of lines that are common on the
web count, "Disallow /x" needs no colon, and who allows /a/index.html allows /a/ as well.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

MOST_BYTES = 500 * 1024  # the RFC wants at least that much to be read
MOST_LINE = 16_663  # bytes of a line; the rest of a longer one is not read
MARK = b"\xef\xbb\xbf"  # of UTF-8; some editors save it in part
NAMES = {
    "agent": ("user-agent", "useragent", "user agent"),
    "allow": ("allow",),
    "disallow": ("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw"),
    "sitemap": ("sitemap", "site-map"),
    "delay": ("crawl-delay", "crawldelay", "crawl delay"),
}
TOKEN = re.compile(r"[A-Za-z_-]*")  # of a product, as the RFC spells it
WORD = re.compile(r"[^\s/]*")
TRIPLET = re.compile(r"%([0-9A-Fa-f]{2})")
AFTER_HOST = re.compile(r"(?:(?:[A-Za-z][A-Za-z0-9+.-]*:)?//)?[^/?#;]*([^#]*)")
PLAIN = re.compile(r"https?://[^/?#;]*(/[!\"&-)+-~]*)")  # what has a path in normal form, as nearly all have
UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


class Rule(NamedTuple):
    """One Allow or Disallow line."""

    allow: bool
    text: str  # as it stands in the file
    line: int
    pattern: str  # in normal form
    parts: tuple[str, ...]  # of the pattern, between its wildcards
    ends: bool  # it must match to the end of the path

    def matches(self, path: str) -> bool:
        """Whether a path in normal form begins as the pattern says."""
        parts, at = self.parts, len(self.parts[0])
        if not path.startswith(parts[0]):
            return False
        if len(parts) == 1:
            return len(path) == at or not self.ends
        for part in parts[1:-1] if self.ends else parts[1:]:
            found = path.find(part, at)
            if found < 0:
                return False
            at = found + len(part)
        return not self.ends or (len(path) - len(parts[-1]) >= at and path.endswith(parts[-1]))

    def __str__(self) -> str:
        return f"line {self.line}: {self.text}"


class Verdict(NamedTuple):
    """Whether a URL may be fetched, and the rule that decided; without one it may."""

    allowed: bool
    rule: Rule | None = None


FREE = Verdict(True)


@dataclass(slots=True)
class Block:
    """What stands between the names of some agents and the next names, for all of them."""

    rules: list[Rule] = field(default_factory=list)
    agents: int = 0  # that are named
    delays: list[tuple[int, float]] = field(default_factory=list)  # for this many of them, those that come first

    def delay(self, place: int) -> float | None:
        """What it asks of the agent in that place."""
        return max((delay for agents, delay in self.delays if place < agents), default=None)


class Group:
    """All lines for one agent, wherever in the file they stand: in some blocks, and in each it has a place."""

    def __init__(self, places: Sequence[tuple[Block, int]] = ()) -> None:
        self.rules = [rule for block, _ in places for rule in block.rules]
        delays = (block.delay(place) for block, place in places)
        self.delay = max((delay for delay in delays if delay is not None), default=None)
        self.wild = [rule for rule in self.rules if len(rule.parts) > 1]
        # how the others begin: few paths begin so
        self.beginnings = tuple({rule.parts[0] for rule in self.rules if len(rule.parts) == 1})

    def matching(self, path: str) -> list[Rule]:
        """The rules for a path in normal form."""
        return [rule for rule in (self.rules if path.startswith(self.beginnings) else self.wild) if rule.matches(path)]


class Robots:
    """A robots.txt, read for every agent that it names."""

    def __init__(self, body: bytes) -> None:
        self.sitemaps: list[str] = []
        self._places: dict[str, dict[int, tuple[Block, int]]] = {}  # of each agent, by the number of the block
        self._meant: dict[str, Group] = {}  # for those that asked
        self._read(body)

    def check(self, url: str, agent: str) -> Verdict:
        """What it says about a URL: the longest rule decides, and of two that are as long the one that allows."""
        path = path_of(url)
        found = self.group(agent).matching(path) if path != "/robots.txt" else []
        if not found:
            return FREE
        best = max(found, key=lambda rule: (len(rule.pattern), rule.allow, -rule.line))
        return Verdict(best.allow, best)

    def delay(self, agent: str) -> float | None:
        """Seconds between two visits that it asks of an agent."""
        return self.group(agent).delay

    def group(self, agent: str) -> Group:
        """The lines for an agent, or else those for all."""
        group = self._meant.get(agent)
        if group is None:
            places = self._places.get(_named(agent)) or self._places.get("*") or {}
            group = self._meant[agent] = Group(tuple(places.values()))
        return group

    def _read(self, body: bytes) -> None:
        block, started = Block(), 0  # what comes before all agents is for none
        open_to_names = False  # the next agent joins those before it
        for number, text, name, value in _lines(body):
            if name == "agent":
                if not open_to_names:
                    block, started, open_to_names = Block(), number, True
                self._name(_agents(value), block, started)
            elif name == "sitemap":
                self.sitemaps.append(value)
            elif name == "delay":
                if re.fullmatch(r"\d{1,9}(\.\d*)?|\.\d+", value):
                    block.delays.append((block.agents, float(value)))
            else:
                open_to_names = False
                block.rules += _rules(name == "allow", text, number, value)

    def _name(self, agents: Sequence[str], block: Block, started: int) -> None:
        """Some more agents that a block is for."""
        for agent in agents:
            self._places.setdefault(agent, {}).setdefault(started, (block, block.agents))
            block.agents += 1


def path_of(url: str) -> str:
    """The part of a URL that rules speak of, in normal form: path and query, or "/"."""
    if plain := PLAIN.fullmatch(url):
        return plain[1]
    match = AFTER_HOST.match(url)
    rest = match[1] if match else ""
    rest = rest if rest.startswith("/") else "/" + rest
    return normal(rest.encode("utf-8", "surrogatepass").decode("latin-1")).replace("*", "%2A").replace("$", "%24")


def normal(text: str) -> str:
    """Percent-encoding undone where it says nothing and done where it is missing; one character stands for one byte."""
    text = TRIPLET.sub(_decoded, text)
    return text if text.isascii() and text.isprintable() and " " not in text else "".join(map(_encoded, text))


def _decoded(match: re.Match[str]) -> str:
    character = chr(int(match[1], 16))
    return character if character in UNRESERVED else "%" + match[1].upper()


def _encoded(character: str) -> str:
    return character if "!" <= character <= "~" else f"%{ord(character):02X}"


def _lines(body: bytes) -> Iterator[tuple[int, str, str, str]]:
    """Number, text, kind and value of every line that says something we know."""
    for number, raw in enumerate(_text(body), 1):
        text = raw[:MOST_LINE].partition(b"#")[0].decode("latin-1").strip(" \t\v\f\0")
        key, colon, value = text.partition(":")
        if not colon:
            words = text.split()
            key, value = words if len(words) == 2 else ("", "")
        kind = _kind(key.strip().lower())
        if kind:
            yield number, text, kind, value.strip(" \t\v\f\0")


def _text(body: bytes) -> list[bytes]:
    if len(body) > MOST_BYTES:  # half a rule could say more than the whole one
        body = body[: max(body.rfind(b"\n", 0, MOST_BYTES), body.rfind(b"\r", 0, MOST_BYTES), 0)]
    for length in (3, 2, 1):
        if body.startswith(MARK[:length]):
            body = body[length:]
            break
    return re.split(rb"\r\n|\r|\n", body)


def _kind(key: str) -> str:
    return next((kind for kind, names in NAMES.items() if key.startswith(names)), "")


def _agents(value: str) -> list[str]:
    """The names that a User-agent line answers to: as the RFC cuts it, and with digits in it as written."""
    if re.match(r"\*(\s|$)", value):
        return ["*"]
    names = {TOKEN.match(value)[0].lower(), WORD.match(value)[0].lower()}  # type: ignore[index]
    return sorted(names - {"", "*"})


def _named(agent: str) -> str:
    return WORD.match(agent.strip())[0].lower()  # type: ignore[index]


def _rules(allow: bool, text: str, number: int, value: str) -> list[Rule]:
    """The rule of a line; none if it is empty, two if it allows the index page of a folder."""
    if not value:
        return []
    rules = [read_rule(allow, text, number, value)]
    folder, _, name = value.rpartition("/")
    if allow and name.startswith("index.htm"):
        rules.append(read_rule(allow, text, number, f"{folder}/$"))
    return rules


def read_rule(allow: bool, text: str, number: int, value: str) -> Rule:
    """The rule of a pattern that stands in a line; one character stands for one byte."""
    ends = value.endswith("$")
    pattern = normal(value.removesuffix("$")).replace("$", "%24")
    parts = tuple(re.sub(r"\*+", "*", pattern).split("*"))
    shown = text.encode("latin-1").decode("utf-8", "replace")
    return Rule(allow, shown, number, pattern + "$" * ends, parts, ends)
