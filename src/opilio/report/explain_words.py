"""The story of a URL in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..nouns import DEFERRED, Terms, Weight
from .explain_paragraph import ahead_of
from .refusals import sentence


def lines(facts: dict[str, Any], terms: Terms) -> Iterator[str]:
    """The story as lines to read."""
    yield facts["url"]
    yield facts["paragraph"]
    if facts["needed"]:
        yield facts["needed"]
    for visit in facts["visits"]:
        yield from _visit_lines(visit, terms)
    if facts["directives"]:
        yield f"  its robots directives: {facts['directives']}"
    for place in facts["waiting"]:
        yield from _place_lines(place, terms)
    for parent in facts["parents"]:
        asked = f', found as "{parent["anchor"]}"' if parent["source"] else ", a seed"
        yield f"  from page {parent['number']}, {parent['url']}{_judged(parent['relevance'])}{asked}"
    if not facts["visits"]:
        yield from _why_not(facts)


def _visit_lines(visit: dict[str, Any], terms: Terms) -> Iterator[str]:
    asked = f'found on {visit["source"]} as "{visit["anchor"]}"' if visit["source"] else "a seed"
    answer = visit["error"] or f"{visit['status']}" + (f" to {visit['location']}" if visit["location"] else "")
    yield f"fetched as page {visit['number']} at {visit['when']}: {answer}{_judged(visit['relevance'])}; {asked}"
    yield f"  {_priority(visit, terms)}"
    yield from _reason_lines(visit)
    yield from _lane_lines(visit, terms)
    yield f"  its priority is number {visit['rank']} among those of the {visit['of']} pages fetched around it"
    for word in ("before", "after"):
        for other in visit[word]:
            judged = _judged(other["relevance"])
            yield f"  {word} it: page {other['number']}, {other['url']}, priority {other['price']:.4g}{judged}"


def _place_lines(place: dict[str, Any], terms: Terms) -> Iterator[str]:
    found = f'found on {place["source"]} as "{place["anchor"]}"' if place["source"] else "a seed"
    if place["in_flight"]:
        yield f"being fetched now; {_valued(place, terms)}; {found}"
    elif place["shift"] is None:
        yield f"waiting, and parked: nothing in its lane is fetched until the strategy says so; {found}"
    else:
        yield f"waiting: {_priority(place, terms)}; {found}"
        if place["lane"] == list(DEFERRED):
            yield "  deferred: too many pages like it, or of its site, brought nothing new"
        yield f"  {ahead_of(place['ahead'])}, so it is number {place['ahead'] + 1:,} in the frontier now"
    yield from _reason_lines(place)
    yield from _lane_lines(place, terms)
    if place["host_rests_until"]:
        yield f"  its host waits (politeness) until {place['host_rests_until']}"


def _reason_lines(offer: dict[str, Any]) -> Iterator[str]:
    if offer["reasons"]:
        yield f"  by what is known now: {'; '.join(offer['reasons'])}"


def _lane_lines(offer: dict[str, Any], terms: Terms) -> Iterator[str]:
    if offer["lane"]:
        yield f"  {terms.lane}: {' / '.join(offer['lane'])}"


def _why_not(facts: dict[str, Any]) -> Iterator[str]:
    match facts["state"]:
        case "refused":
            refusal = facts["refusal"]
            yield f"not fetched: {sentence(refusal['reason'])}; found on {refusal['source'] or 'the seeds'}"
        case "out of scope":
            yield f"not fetched: out of scope ({facts['scope']})"
        case "not wanted":
            seen = facts["mention"]
            yield f'not fetched, and not waiting: page {seen["number"]}, {seen["url"]}, links to it as "{seen["anchor"]}",'
            lost = f" or its lane was dropped with {facts['dropped']:,} URLs" if facts["dropped"] else ""
            yield f"  but the strategy did not offer it{lost}"
        case "never seen":
            yield "not fetched, and not waiting: never seen; none of the stored pages that were searched links to it"
        case "waiting" | "parked" if facts["stopped"]:
            yield f"  the crawl stopped before its turn ({facts['stopped']}); `opilio resume` continues it"


def _priority(offer: dict[str, Any], terms: Terms) -> str:
    """As in "priority 0.04 = link promise 0.38 × record of such links 0.11"."""
    shift, scale = offer["shift"], offer["scale"]
    parts = [f"{terms.shift} {shift:.4g}"] if shift or not scale else []
    if scale:
        parts.append(_valued(offer, terms) + (f" × {terms.scale} {scale:.4g}" if scale != 1 else ""))
    return f"priority {Weight(shift, scale).price(offer['value']):.4g} = {' + '.join(parts)}"


def _valued(offer: dict[str, Any], terms: Terms) -> str:
    parts = ", ".join(f"{name} {_plain(value)}" for name, value in offer["parts"].items())
    return f"{terms.value} {offer['value']:.4g}" + (f" ({parts})" if parts else "")


def _plain(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _judged(relevance: float | None) -> str:
    return "" if relevance is None else f", relevance {relevance:.3f}"
