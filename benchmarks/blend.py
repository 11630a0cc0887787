"""What blend is worth, and what each of its parts is: share of the oracle's area, topic by topic of each corpus.

    python -m benchmarks.blend DIR... [--every N] [--seed S]

Printed are, for each corpus: blend beside other strategies with the same examples; blend with the first weights that were best on
all the other corpora, so that nothing is chosen by the corpus that is reported; and blend without some of its signals, with the
standard error of the difference. --every N takes every N-th topic. Corpora need a task of kind topic.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import tomllib
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from opilio.bench.corpus import Corpus
from opilio.bench.run import bench
from opilio.bench.tasks import Splitter, choose
from opilio.corpus_folder import corpus_toml
from opilio.learning.url_evidence import PRIOR
from opilio.nouns import Link, Offer, Page, Say, Strategy, Topic
from opilio.strategies.blend import Blend

from .floors import linked

OTHERS = ("best-first", "shark", "otie", "otie-plus", "link-context", "link-context-plus")


def weighing(**changed: float) -> dict[str, float]:
    """First weights in which the named ones count so many times more; a name stands for all signals that have it in them."""
    return {
        name: weight * next((by for part, by in changed.items() if part.replace("_", " ") in name), 1.0)
        for name, weight in PRIOR.items()
    }


class Words(Blend):
    prior = weighing(words_around=2.0)


class InLinks(Blend):
    prior = weighing(relevant_pages=2.0)


class Places(Blend):
    prior = weighing(such_places=2.0)


class Hubs(Blend):
    prior = weighing(led_to=2.0)


class NoWordsAround(Blend):
    prior = weighing(words_around=0.0)


class NoInLinks(Blend):
    prior = weighing(relevant_pages=0.0, importance=0.0)


class NoPlaces(Blend):
    prior = weighing(such_places=0.0, such_lists=0.0)


class NoWords(Blend):
    prior = weighing(with_such_words=0.0)


class NoOtherLinks(Blend):
    prior = weighing(other_links=0.0)


class FiftyAtOnce(Blend):
    most_at_once = 50


class SeedsFirst(Blend):
    """Seeds go before the links of example pages."""

    def start(self, seeds: Iterable[Link], pages: Iterable[Page]) -> Iterable[Say]:
        return super().start(seeds, ())


class CopiesCount(Blend):
    """A redirect to a page that was fetched before is not learned from."""

    def wasted(self, offer: Offer) -> Iterable[Say]:
        return ()


class NoHubs(Blend):
    prior = weighing(led_to=0.0)


class NoLearning(Blend):
    """The first weights stay."""

    def __init__(self, topic: Topic) -> None:
        super().__init__(topic)
        self.mix_.due = sys.maxsize


PRIORS: tuple[type[Strategy], ...] = (Blend, Words, InLinks, Places, Hubs)
WITHOUT: tuple[type[Strategy], ...] = (
    NoWordsAround,
    NoInLinks,
    NoPlaces,
    NoOtherLinks,
    NoWords,
    NoHubs,
    NoLearning,
    FiftyAtOnce,
    SeedsFirst,
    CopiesCount,
)
Shares = dict[str, np.ndarray]  # of each strategy, a number for each topic


def shares(folder: Path, every: int, seed: int) -> Shares:
    """The share of the oracle's area that each strategy has on each topic."""
    corpus = Corpus.open(folder)
    task = choose(corpus, None if not any(one.name == "topics" for one in corpus.tasks) else "topics")
    topics = Splitter(corpus, task).topics()[::every]
    with tempfile.TemporaryDirectory(prefix="opilio-blend-") as scratch:
        part = Path(scratch) / folder.name
        linked(folder, part)
        described = tomllib.loads((folder / "corpus.toml").read_text(encoding="utf-8"))
        settings = next(one for one in described["task"] if one["name"] == task.name)
        kept = {key: value for key, value in settings.items() if key not in ("min_pages", "max_pages")}
        head = {"name": folder.name, "home": described.get("home", "")}
        (part / "corpus.toml").write_text(corpus_toml(head, [kept | {"topics": topics}]), encoding="utf-8")
        runs = bench(part, task.name, [*OTHERS, *PRIORS, *WITHOUT], seed=seed)["runs"]
    areas = {(run["strategy"].rpartition(":")[2], run["topic"]): run["auc"] for run in runs}
    names = dict.fromkeys(name for name, _ in areas)
    return {name: np.array([areas[name, topic] / areas["oracle", topic] for topic in topics]) for name in names}


def chosen(found: dict[str, Shares], corpus: str) -> str:
    """The first weights that are best in the mean over all the other corpora."""
    others = [shares for name, shares in found.items() if name != corpus]
    names = [_name(kind) for kind in PRIORS]
    return (
        max(names, key=lambda name: float(np.mean([shares[name].mean() for shares in others]))) if others else names[0]
    )


def _name(kind: type[Strategy]) -> str:
    return kind.__name__


def show(found: dict[str, Shares]) -> None:
    print(f"| | {' | '.join(found)} |\n| --- |{' --- |' * len(found)}")
    for name in ("random", *OTHERS, *map(_name, PRIORS)):
        print(f"| {name} | {' | '.join(f'{shares[name].mean():.3f}' for shares in found.values())} |")
    picked = {corpus: chosen(found, corpus) for corpus in found}
    print(
        f"| chosen by the other corpora | {' | '.join(f'{found[c][n].mean():.3f} ({n})' for c, n in picked.items())} |"
    )
    for kind in WITHOUT:
        cells = [_change(shares[_name(kind)] - shares[_name(Blend)]) for shares in found.values()]
        print(f"| {kind.__name__}, change | {' | '.join(cells)} |")
    counts = [str(len(shares[_name(Blend)])) for shares in found.values()]
    print(f"| topics | {' | '.join(counts)} |")


def _change(differences: np.ndarray) -> str:
    error = differences.std(ddof=1) / np.sqrt(len(differences)) if len(differences) > 1 else float("nan")
    return f"{differences.mean():+.3f} ± {error:.3f}"


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("corpora", nargs="+", type=Path, metavar="DIR")
    asked.add_argument("--every", type=int, default=1)
    asked.add_argument("--seed", type=int, default=0)
    given = asked.parse_args()
    show({folder.name: shares(folder, given.every, given.seed) for folder in given.corpora})


if __name__ == "__main__":
    main()
