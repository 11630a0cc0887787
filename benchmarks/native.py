"""What the compiled functions bring: `python -m benchmarks.native [--pages N]`.

Each is timed beside its twin in Python on the pages of the speed benchmark: microseconds of CPU a page, the best of three turns.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from opilio import native
from opilio.html import walk
from opilio.store import simhash_numpy
from opilio.text.vocabulary import Vocabulary, bagged, bagged_plainly

from .speed_web import Web

TURNS = 3


def microseconds(work: Callable[[Any], object], things: Sequence[Any]) -> float:
    spent = []
    for _ in range(TURNS):
        begun = time.process_time()
        for thing in things:
            work(thing)
        spent.append(time.process_time() - begun)
    return 1e6 * min(spent) / len(things)


def rows(pages: int) -> Iterator[tuple[str, float, float]]:
    """Name, microseconds a page in Python, and compiled."""
    bodies = [Web(pages + 1, 8080).body(number) for number in range(1, pages + 1)]
    found = [gathered for body in bodies if (gathered := walk.gather(body))]
    yield (
        "parser and walk",
        microseconds(walk.gather_plainly, bodies),
        microseconds(walk.gather_native, bodies),
    )
    texts = [[one.text, " ".join(one.links.anchors), *one.links.contexts] for one in found]
    vocabulary = Vocabulary("en", sorted({word for one in found for word in one.text.split()})[::3])
    quick = microseconds(vocabulary.rows, texts)
    with native.without():
        yield "words of text and contexts", microseconds(vocabulary.rows, texts), quick
    numbers = [vocabulary.numbers(one.text) for one in found]
    yield "bag of words", microseconds(bagged_plainly, numbers), microseconds(bagged, numbers)
    raw = [one.text.lower().encode() for one in found]
    yield "fingerprint", microseconds(simhash_numpy.vote, raw), microseconds(native.functions.fingerprint, raw)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--pages", type=int, default=200)
    given = asked.parse_args()
    if not walk.COMPILED:
        raise SystemExit("nothing was compiled: `opilio doctor` says what is missing")
    print("| | Python, µs | compiled, µs | of it |\n| --- | --- | --- | --- |")
    for name, slow, quick in rows(given.pages):
        print(f"| {name} | {slow:.0f} | {quick:.0f} | {quick / slow:.2f} |")


if __name__ == "__main__":
    main()
