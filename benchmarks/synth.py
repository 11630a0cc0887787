"""What the synthetic web is like: `python -m benchmarks.synth [--pages N] [--seed S]`; with --write, how long writing takes."""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter, deque
from pathlib import Path
from statistics import fmean

from opilio.html import Document
from opilio.synth.corpus import write
from opilio.synth.web import Web
from opilio.urls import canonical


def look(pages: int, seed: int) -> None:
    """Sizes, links and labels of every page, and what ten seeds of a topic lead to."""
    web = Web(pages, seed)
    labels = {canonical(url): web.labels(url) for url in web.urls()}
    links: dict[str, list[str]] = {}
    sizes: dict[str, int] = {}
    begun = time.process_time()
    for url in labels:
        sizes[url] = len(web.answer(url).body)
    spent = 1000 * (time.process_time() - begun) / len(labels)
    for url in labels:
        links[url] = [link.url for link in Document(web.answer(url).body, url, "text/html").links]
    topics = Counter(row["topic"] for row in labels.values() if row.get("topic"))
    targets = [link for found in links.values() for link in found]
    statuses = Counter(web.answer(link).status for link in targets[:: max(1, len(targets) // 20_000)])
    print(
        f"pages {len(labels)}, {fmean(sizes.values()) / 1000:.1f} KB and {fmean(map(len, links.values())):.0f} links each"
    )
    print(f"pages of a topic: {min(topics.values())} to {max(topics.values())}, {len(topics)} topics")
    print(f"reached from ten seeds: {reached(web, links):.1%}")
    print(f"links of on-topic pages to the same topic: {locality(labels, links):.0%}")
    moved = statuses[301] + statuses[302]
    print(f"dead links {statuses[404] / statuses.total():.1%}, over a redirect {moved / statuses.total():.1%}")
    print(f"time to make a page: {spent:.2f} ms")


def reached(web: Web, links: dict[str, list[str]]) -> float:
    """The share of all pages that links lead to from ten seeds of the first topic, redirects followed."""
    seen: set[str] = set()
    open_ = deque(canonical(url) for url in web.seeds(web.topics[0])[:10])
    while open_:
        url = open_.popleft()
        if url in seen:
            continue
        seen.add(url)
        if url in links:
            open_.extend(links[url])
        elif (answer := web.answer(url)).status in (301, 302):
            open_.append(canonical(answer.headers["Location"], url))
    return len(seen & links.keys()) / len(links)


def locality(labels: dict[str, dict[str, str]], links: dict[str, list[str]]) -> float:
    """The share of links between labelled pages that stay in the topic."""
    same = total = 0
    for url, found in links.items():
        mine = labels[url].get("topic")
        others = [labels[link].get("topic") for link in found if mine and link in labels]
        same += sum(other == mine for other in others)
        total += sum(other is not None for other in others)
    return same / total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    if not asked.write:
        look(asked.pages, asked.seed)
        return
    with tempfile.TemporaryDirectory() as scratch:
        begun = time.perf_counter()
        write(Web(asked.pages, asked.seed), Path(scratch) / "web")
        print(f"{asked.pages} pages written in {time.perf_counter() - begun:.0f} s")


if __name__ == "__main__":
    main()
