"""The story of a URL in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..nouns import BEHIND
from .refusals import sentence


def lines(told: dict[str, Any]) -> Iterator[str]:
    """The story as lines to read."""
    yield told["url"]
    for visit in told["visits"]:
        yield from _visit_lines(visit)
    if told["wishes"]:
        yield f"  its robots directives: {told['wishes']}"
    for place in told["waiting"]:
        yield from _place_lines(place)
    for parent in told["parents"]:
        asked = f', found as "{parent["anchor"]}"' if parent["source"] else ", a seed"
        yield f"  from page {parent['number']}, {parent['url']}{_judged(parent['relevance'])}{asked}"
    if not told["visits"]:
        yield from _why_not(told)


def _visit_lines(visit: dict[str, Any]) -> Iterator[str]:
    asked = f'found on {visit["source"]} as "{visit["anchor"]}"' if visit["source"] else "a seed"
    answer = visit["error"] or f"{visit['status']}" + (f" to {visit['location']}" if visit["location"] else "")
    yield f"fetched as page {visit['number']} at {visit['when']}: {answer}{_judged(visit['relevance'])}; {asked}"
    yield f"  price {visit['price']:.6g} = {visit['shift']:.6g} + {visit['scale']:.6g} · {_scored(visit)}"
    yield f"  the price of rank {visit['rank']} among the {visit['of']} pages fetched around it"
    for word in ("before", "after"):
        for other in visit[word]:
            judged = _judged(other["relevance"])
            yield f"  {word} it: page {other['number']}, {other['url']}, price {other['price']:.6g}{judged}"


def _place_lines(place: dict[str, Any]) -> Iterator[str]:
    found = f'found on {place["source"]} as "{place["anchor"]}"' if place["source"] else "a seed"
    if place["under_way"]:
        yield f"being fetched now; {_scored(place)}; {found}"
    elif place["shift"] is None:
        yield f"waiting in lane {_lane(place)}, which is parked: nothing in it is fetched until the strategy says so; {found}"
    else:
        price = place["shift"] + place["scale"] * place["value"]
        weight = f"{place['shift']:.6g} + {place['scale']:.6g}"
        yield f"waiting in lane {_lane(place)}: price {price:.6g} = {weight} · {_valued(place)}; {found}"
        if place["lane"] == list(BEHIND):
            yield "  deferred: too many pages like it, or of its site, brought nothing new"
        yield f"  {place['ahead']:,} URLs come before it, so it is number {place['ahead'] + 1:,} in the frontier now"
    if place["host_rests_until"]:
        yield f"  its host waits (politeness) until {place['host_rests_until']}"


def _why_not(told: dict[str, Any]) -> Iterator[str]:
    match told["state"]:
        case "refused":
            refusal = told["refusal"]
            yield f"not fetched: {sentence(refusal['reason'])}; found on {refusal['source'] or 'the seeds'}"
        case "out of scope":
            yield f"not fetched: out of scope ({told['scope']})"
        case "not wanted":
            seen = told["mention"]
            yield f'not fetched, and not waiting: page {seen["number"]}, {seen["url"]}, links to it as "{seen["anchor"]}",'
            lost = f" or its lane was dropped with {told['dropped']:,} URLs" if told["dropped"] else ""
            yield f"  but the strategy did not offer it{lost}"
        case "never seen":
            yield "not fetched, and not waiting: never seen, no stored page that was looked at links to it"
        case "waiting" | "parked" if told["stopped"]:
            yield f"  the crawl stopped before its turn ({told['stopped']}); `opilio resume` continues it"


def _scored(offer: dict[str, Any]) -> str:
    return f"{_valued(offer)} in lane {_lane(offer)}"


def _valued(offer: dict[str, Any]) -> str:
    parts = ", ".join(f"{name} {_plain(value)}" for name, value in offer["parts"].items())
    return f"value {offer['value']:.6g}" + (f" ({parts})" if parts else "")


def _lane(offer: dict[str, Any]) -> str:
    return " / ".join(offer["lane"]) or "(the only one)"


def _plain(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _judged(relevance: float | None) -> str:
    return "" if relevance is None else f", relevance {relevance:.3f}"
