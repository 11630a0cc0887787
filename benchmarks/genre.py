"""Telling genres apart: `python -m benchmarks.genre model | classifier CORPUS | speed CORPUS`.

model              makes the shipped model again: src/opilio/learning/data/genre.model
classifier CORPUS  5-fold accuracy by class and who is taken for whom: the nine features, and further ones; synthetic pages too
speed CORPUS       CPU time of features and forest
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from opilio.bench.corpus import Corpus
from opilio.nouns import Page
from opilio.report.genres import labelled, made_up, of_a_web, train
from opilio.strategies.genre.features import FURTHER, NINE, all_features, matrix, nine
from opilio.strategies.genre.forest import Forest, Rows
from opilio.strategies.genre.model import GENRES, SHIPPED, model
from opilio.urls import digest, site

FOLDS, SEED = 5, 7
FIRST_NINE, EVERYTHING = list(range(len(NINE))), list(range(len(NINE) + len(FURTHER)))
UNDECLARED = [*FIRST_NINE, *EVERYTHING[-2:]]  # without what a page says it is
Pages = Sequence[Page]


def make_model() -> None:
    train().forest.save(SHIPPED)
    print(f"{SHIPPED}: {SHIPPED.stat().st_size} bytes")


def classifier(folder: Path) -> None:
    corpus = Corpus.open(folder)
    kinds = {row["genre"] for row in corpus.labels.values()}
    others = sorted(kind for kind in kinds if kind not in (*GENRES, "undeclared", ""))
    pages, labels, _ = labelled(folder, "genre", others)
    print(f"{folder.name}, declared pages only; as other count: {', '.join(others)}")
    folds("nine features", pages, labels, FIRST_NINE)
    folds("with dates and lists", pages, labels, UNDECLARED)
    folds("with what the page declares, too", pages, labels, EVERYTHING)
    show(
        "the shipped model, which has seen none of them", labels, said(model(), matrix([nine(page) for page in pages]))
    )
    new = [place for place, page in enumerate(pages) if unseen(page)]
    show(
        "the same, on the half of the sites that nobody looked at when synthetic pages were made like real ones",
        [labels[place] for place in new],
        said(model(), matrix([nine(pages[place]) for place in new])),
    )
    made, genres = zip(*made_up(100, 101), strict=True)
    folds("synthetic pages, 100 of each genre: nine features", made, genres, FIRST_NINE)
    folds("synthetic pages, with all features", made, genres, EVERYTHING)
    web, genres = zip(*of_a_web(100, 101), strict=True)
    show(
        "the shipped model on a synthetic web that it has not seen",
        genres,
        said(model(), matrix([nine(page) for page in web])),
    )


def unseen(page: Page) -> bool:
    """Whether a page is of the half of the sites that the synthetic pages were not fitted to."""
    return digest(site(page.url)) % 2 == 1


def folds(name: str, pages: Pages, labels: Sequence[str], columns: list[int]) -> None:
    """5-fold: each page is judged by a forest that has not seen it."""
    rows = matrix([all_features(page) for page in pages])[:, columns]
    order = list(range(len(pages)))
    random.Random(SEED).shuffle(order)
    found = [""] * len(pages)
    for fold in range(FOLDS):
        held = sorted(order[fold::FOLDS])
        rest = sorted(set(order) - set(held))
        forest = Forest.learn(rows[rest], [labels[n] for n in rest], GENRES, SEED)
        for n, genre in zip(held, said(forest, rows[held]), strict=True):
            found[n] = genre
    show(name, labels, found)


def said(forest: Forest, rows: Rows) -> list[str]:
    return [forest.names[n] for n in forest.shares_of(rows).argmax(axis=1).tolist()]


def show(name: str, labels: Sequence[str], found: Sequence[str]) -> None:
    right = sum(a == b for a, b in zip(labels, found, strict=True))
    print(f"\n{name}: accuracy {right / len(labels):.3f} of {len(labels)}")
    print(f"  {'taken for:':10}" + "".join(f"{genre:>7}" for genre in GENRES))
    pairs = Counter(zip(labels, found, strict=True))
    for genre in GENRES:
        row = [pairs[genre, other] for other in GENRES]
        if sum(row):
            share = pairs[genre, genre] / sum(row)
            print(f"  {genre:10}" + "".join(f"{count:7}" for count in row) + f"   {share:.2f} of them right")


def speed(folder: Path) -> None:
    corpus = Corpus.open(folder)
    pages = [corpus.page(url) for url in corpus.urls[:300]]
    letters = statistics.fmean(len(page.text) for page in pages)  # parses them, too
    links = statistics.fmean(len(page.links) for page in pages)
    print(f"{folder.name}: {len(pages)} pages of {letters:.0f} letters and {links:.0f} links")
    rows, forest = matrix([nine(page) for page in pages])[:50], model()
    work: dict[str, tuple[Callable[[], object], int]] = {
        "nine features": (lambda: [nine(page) for page in pages], len(pages)),
        "all features": (lambda: [all_features(page) for page in pages], len(pages)),
        "forest, 50 pages at once": (lambda: forest.shares_of(rows), len(rows)),
        "forest, one page": (lambda: forest.shares_of(rows[:1]), 1),
    }
    for name, (function, count) in work.items():
        print(f"  {name:26} {least(function) / count:7.1f} µs a page")


def least(work: Callable[[], object], times: int = 7) -> float:
    """Microseconds of CPU, the fewest of some tries: the machine has other things to do."""
    spent = []
    for _ in range(times):
        begun = time.process_time()
        work()
        spent.append(time.process_time() - begun)
    return 1e6 * min(spent)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["model", "classifier", "speed"])
    parser.add_argument("corpus", type=Path, nargs="?", help="a corpus folder")
    asked = parser.parse_args()
    if asked.what == "model":
        make_model()
    elif asked.corpus is None:
        parser.error(f"{asked.what} needs a corpus folder")
    else:
        {"classifier": classifier, "speed": speed}[asked.what](asked.corpus)


if __name__ == "__main__":
    main()
