"""What storing a page costs, in CPU time, and how well near-duplicates are told: `python -m benchmarks.archive`."""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from opilio.fetchers.to_page import answered
from opilio.nouns import Lease, Link, Offer, Page, Weight, Wire
from opilio.store import duplicates
from opilio.store.reader import reading
from opilio.store.run import RunStore
from opilio.store.warc_records import digest_of, exchange
from opilio.synth.web import Web

PAGES = 4000
BATCH = 50


def fetched(web: Web, url: str) -> Page:
    """A page as a live fetch brings it, parsed."""
    status, headers, body = web.answer(url)
    page = answered(Offer(Link(url)), status, {name.lower(): value for name, value in headers.items()}, body)
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    page.wire = Wire(
        b"GET / HTTP/1.1\r\n\r\n", f"HTTP/1.1 {status} OK\r\n{lines}\r\n".encode(), body, time.time(), "192.0.2.1"
    )
    assert isinstance(page.main, str)
    return page


def cost(do: Callable[[Page], object], pages: list[Page]) -> float:
    """Microseconds a page."""
    begun = time.process_time()
    for page in pages:
        do(page)
    return (time.process_time() - begun) / len(pages) * 1e6


def stored(folder: Path, pages: list[Page]) -> float:
    """Microseconds a page for all of it, commits counted in."""
    store = RunStore(folder)
    begun = time.process_time()
    for number, page in enumerate(pages, 1):
        store.add(Lease(number, page.offer, Weight()), page, None)
        if number % BATCH == 0:
            store.commit({})
    store.commit({})
    seconds = time.process_time() - begun
    store.close()
    return seconds / len(pages) * 1e6


def agreement(folder: Path, web: Web) -> tuple[int, int, int]:
    """Pairs that are in one group, those of them that are copies by the labels, and all pairs of copies."""
    with closing(reading(folder)) as db:
        groups = dict(db.execute("SELECT url, duplicate_group FROM pages WHERE duplicate_group IS NOT NULL"))
    truth = {url: web.labels(url)["duplicate_of"] or url for url in groups}
    said, meant = defaultdict(set), defaultdict(set)
    for url, group in groups.items():
        said[group].add(url)
        meant[truth[url]].add(url)
    both = sum(
        _pairs(sum(truth[url] == name for url in part)) for part in said.values() for name in {truth[u] for u in part}
    )
    return sum(_pairs(len(part)) for part in said.values()), both, sum(_pairs(len(part)) for part in meant.values())


def _pairs(count: int) -> int:
    return count * (count - 1) // 2


def main() -> None:
    web = Web(int(sys.argv[1]) if sys.argv[1:] else PAGES, 5)
    pages = [fetched(web, url) for url in web.urls()]
    size, links = sum(len(page.body) for page in pages), sum(len(page.links) for page in pages)
    print(
        f"{len(pages)} pages of {size / len(pages) / 1000:.1f} KB with {links / len(pages):.0f} links; CPU microseconds a page"
    )
    wires = [page.wire for page in pages if page.wire]
    print(f"records, with digests: {cost(lambda p: exchange(p.url, p.wire or wires[0], digest_of(p.body)), pages):.0f}")
    print(f"fingerprint of the main text: {cost(lambda page: duplicates.fingerprint(page.main), pages):.0f}")
    with TemporaryDirectory(prefix="opilio-archive-") as scratch:
        prints = [
            (bits, number)
            for number, page in enumerate(pages)
            if (bits := duplicates.fingerprint(page.main)) is not None
        ]
        groups, begun = duplicates.Groups(), time.process_time()
        for bits, number in prints:
            groups.of(bits, number)
        print(f"looking up its group: {(time.process_time() - begun) / len(prints) * 1e6:.0f}")
        folder = Path(scratch, "run")
        spent = stored(folder, pages)
        print(
            f"everything: {spent:.0f}, {(folder / 'state.db').stat().st_size / len(pages):.0f} bytes of state.db a page"
        )
        said, both, meant = agreement(folder, web)
        print(f"near-duplicates: {said} pairs in one group, {both} of them copies; {meant} pairs of copies in all")


if __name__ == "__main__":
    main()
