"""A web of 120 pages on a few hosts, made in memory, for tests that need links and words and nothing else."""

from __future__ import annotations

import asyncio
import random
from functools import cache

from ..fetchers.replay import Recorded, Replay
from ..nouns import Link, Material, Offer, Page, Topic

TOPIC_WORDS = ["honey", "hive", "bee", "queen", "wax", "swarm"]
OTHER_WORDS = ["stone", "river", "engine", "paper", "window", "market", "train", "cloud"]


class Share(Topic):
    """The share of topic words, steep around a half: enough of a topic for tests."""

    def text(self, text: str) -> float:
        words = text.lower().split()
        return sum(word in TOPIC_WORDS for word in words) / len(words) if words else 0.0


def url(number: int, hosts: int = 7) -> str:
    return f"http://h{number % hosts}.site{number % hosts}.test/p{number}"


@cache
def pages(count: int = 120, seed: int = 1) -> dict[str, Recorded]:
    """Every page with its answer: pages divisible by three are on the topic, some links are dead, some redirect."""
    rng = random.Random(seed)
    web = {url(number): _html(number, count, rng) for number in range(count)}
    web[url(count + 1)] = Recorded(301, {"location": url(3)}, b"")
    return web


def _html(number: int, count: int, rng: random.Random) -> Recorded:
    mine = TOPIC_WORDS if number % 3 == 0 else OTHER_WORDS
    text = " ".join(rng.choices(mine, k=30) + rng.choices(TOPIC_WORDS + OTHER_WORDS, k=20))
    targets = [rng.randrange(count + 3) for _ in range(rng.randrange(1, 9))]
    links = "".join(f'<li><a href="{url(t)}">{rng.choice(mine)} {rng.choice(OTHER_WORDS)}</a></li>' for t in targets)
    title = " ".join(rng.choices(mine, k=3))
    body = f"<html lang=en><head><title>{title}</title></head><body><p>{text}</p><ul>{links}</ul></body></html>"
    return Recorded(200, {"content-type": "text/html"}, body.encode())


def fetcher(count: int = 120, seed: int = 1) -> Replay:
    return Replay(pages(count, seed).get)


def page(address: str) -> Page:
    """One page, fetched."""
    return asyncio.run(fetcher().fetch(Offer(Link(address))))


def seeds() -> list[str]:
    return [url(0), url(6), url(7)]


def given() -> dict[str, object]:
    """Everything that a strategy may need."""
    truth = {address: float(number % 3 == 0) for number, address in enumerate(pages())}
    return {
        "topic": Share(),
        "seed": 5,
        "truth": truth,
        "example": page(url(3)),
        "goal": "target",
        "tag": "honey",
        "words": "honey bee",
    }


def material() -> Material:
    on, off = [url(n) for n in range(0, 60, 3)], [url(n) for n in range(1, 60, 3)]
    return Material("honey bee", tuple(map(page, on)), tuple(map(page, off)))
