"""The story of a URL as one plain paragraph, and, for one that was not fetched, what would have had to be different."""

from __future__ import annotations

import re
from typing import Any

from ..nouns import RELEVANT
from .refusals import sentence

LONGEST = 120  # letters of a title or an anchor
REASONS = 4  # that a paragraph names, the nearest ones; all of them are among the numbers
LAST = 50  # pages fetched, whose priorities were enough
PUBLISHED = re.compile(r"\s*\([^()]*\)")  # where a strategy comes from
ENDINGS = {1: "st", 2: "nd", 3: "rd"}


def paragraph(facts: dict[str, Any]) -> str:
    """As in "Fetched as page 28 because “Hives” (relevant) links to it as “hive tools”; such links were good 9 of 11 times"."""
    if facts["visits"]:
        return _fetched(facts["visits"][0], facts["parents"], facts["strategy"])
    match facts["state"]:
        case "being fetched":
            return "It is being fetched now."
        case "waiting" | "parked":
            return _waiting(facts["waiting"][0], facts["parents"], facts["state"])
        case "refused":
            return f"Not fetched: {sentence(facts['refusal']['reason'])}."
        case "out of scope":
            return f"Not fetched, because it is out of scope ({facts['scope']})."
        case "not wanted":
            seen = facts["mention"]
            return f"Not fetched: {seen['url']} links to it{_as(seen['anchor'])}, but the strategy did not offer it."
    return "Not fetched: none of the stored pages that were searched links to it."


def needed(facts: dict[str, Any]) -> str:
    """What would have had to be different for a URL to be fetched; "" for one that was."""
    match facts["state"]:
        case "refused":
            return _allowed(str(facts["refusal"]["reason"]))
        case "out of scope":
            return "The setting or the directive named here would have to let it through."
        case "waiting":
            ahead = facts["waiting"][0]["ahead"]
            more = f"{ahead + 1:,} more page{'s' * (ahead > 0)}"
            return f"With a budget of {more} it would have had its turn{_sooner(facts)}."
        case "parked":
            return "The strategy would have to release the lane that it is parked in, which it does when it has learned more."
        case "not wanted":
            lost = ", or keep the lane that it was dropped with" if facts["dropped"] else ""
            return f"The strategy would have to think more of links like this one{lost}; another strategy, or this URL as a seed."
        case "never seen":
            return "A fetched page would have to link to it, or you name it as a seed."
    return ""


def _sooner(facts: dict[str, Any]) -> str:
    """How far the priority of a URL that waits is from those that were enough."""
    price, paid = facts["waiting"][0]["price"], facts["paid"]
    if price is None or paid is None or price >= paid:
        return ""
    how = ", as links from relevant pages give" if facts["seeks_topic"] else ""
    enough = f"it has {price:.3g}, and the last {LAST} fetched pages had {paid:.3g} at least"
    return f"; sooner with a higher priority{how}: {enough}"


def _allowed(reason: str) -> str:
    if reason.startswith("robots"):
        return "The site's robots.txt would have to allow it."
    if reason.startswith("refused"):
        return "The settings would have to allow this address or port."
    if reason.startswith("unreachable"):
        return "Its host would have to answer."
    return "The limit named here would have to be higher, or the rule another."


def _fetched(visit: dict[str, Any], parents: list[dict[str, Any]], strategy: str) -> str:
    number = f"Fetched as page {visit['number']:,}"
    parts = [f"{number} because {_found(visit, parents)}" if visit["source"] else f"{number}: it is one of the seeds"]
    parts[0] += _record(visit)
    if visit["reasons"]:
        parts.append(f"By what is known now: {'; '.join(visit['reasons'][:REASONS])}")
    elif strategy and visit["source"]:
        parts.append(f"The strategy is {PUBLISHED.sub('', strategy).partition('. ')[0].rstrip('.')}")
    if visit["source"]:
        parts.append(f"Its priority was the {_nth(visit['rank'])} of the {visit['of']} pages fetched around it")
    return ". ".join([*parts, _answer(visit)]) + "."


def _waiting(place: dict[str, Any], parents: list[dict[str, Any]], state: str) -> str:
    known = f"It is known because {_found(place, parents)}{_record(place)}" if place["source"] else "It is a seed"
    if state == "parked":
        return f"Not fetched: the strategy keeps it back. {known}."
    return f"Not fetched yet: {ahead_of(place['ahead'])}. {known}."


def ahead_of(count: int) -> str:
    """How many URLs have their turn before one that waits."""
    if not count:
        return "it is the next one"
    return f"{count:,} URL{'s come' if count != 1 else ' comes'} before it"


def _found(offer: dict[str, Any], parents: list[dict[str, Any]]) -> str:
    parent = parents[0] if parents else {"title": "", "url": offer["source"], "relevance": None}
    name = f"“{_cut(parent['title'])}”" if parent["title"] else str(parent["url"])
    relevance = parent["relevance"]
    judged = "" if relevance is None else " (relevant)" if relevance >= RELEVANT else " (not relevant)"
    return f"{name}{judged} links to it{_as(offer['anchor'])}"


def _as(anchor: str) -> str:
    return f" as “{_cut(anchor)}”" if anchor else ""


def _record(offer: dict[str, Any]) -> str:
    """How links like it did, where the strategy has nothing to say of that itself."""
    good, times = offer["record"]
    return f"; such links were good {good:,} of {times:,} times before" if times and not offer["reasons"] else ""


def _answer(visit: dict[str, Any]) -> str:
    if visit["location"]:
        return f"It led to {visit['location']}"
    if visit["error"]:
        return f"It brought no page ({visit['error']})"
    if visit["relevance"] is None:
        return "Its relevance was not judged"
    return f"It {'is' if visit['relevance'] >= RELEVANT else 'is not'} relevant ({visit['relevance']:.2f})"


def _nth(rank: int) -> str:
    if rank == 1:
        return "highest"
    ending = "th" if 10 < rank % 100 < 20 else ENDINGS.get(rank % 10, "th")
    return f"{rank}{ending} highest"


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"
