"""What blend is worth, and what each of its parts is: share of the oracle's area, topic by topic of each corpus.

    python -m benchmarks.blend DIR... [--synth SEED...] [--parts PART...] [--topics N] [--seed S] [--clock]

The parts, each a table with a column for each corpus and each synthetic web of 3,000 pages:
others    blend beside other strategies with the same examples; with --clock also over simulated time
ceilings  a blend that is told of the pages it has fetched whether they are relevant, and one that is told of the links it has
          seen whether they lead to targets: what is left to win by judging pages, and by judging links
priors    blend with other first weights, and with those that were best on all the other corpora, so that nothing is chosen by
          the corpus that is reported
without   blend without some of its signals: the mean change with its standard error
rules     the same without one of its rules
With --topics N at most N topics of each corpus are run. Corpora need a task of kind topic, called topics.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from opilio.bench.corpus import Corpus
from opilio.bench.results import Run
from opilio.bench.simulated_time import Clock
from opilio.bench.tasks import Trial, trials
from opilio.bench.trial_runs import Course, Job
from opilio.learning.evidence_signals import PRIOR
from opilio.learning.host_search import HostSearch
from opilio.learning.track_record import TrackRecord
from opilio.nouns import Link, Offer, Page, Say, Strategy, Topic
from opilio.registry import spec_of
from opilio.strategies.blend import Blend
from opilio.synth.corpus import write as write_synth
from opilio.synth.web import Web
from opilio.text.vocabulary import Floats

OTHERS = ("random", "best-first", "shark", "otie", "otie-plus", "link-context", "link-context-plus")
PAGES = 3000  # of a synthetic web
CERTAIN = 50.0  # log odds of what is known


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

    def __init__(self, topic: Topic, words: str = "") -> None:
        super().__init__(topic, words=words)
        self.past_.mix.due = sys.maxsize


class NoSearch(HostSearch):
    def draws(self, record: TrackRecord, urls: Sequence[str]) -> Floats:
        return np.zeros(len(urls))


class NoDraw(Blend):
    """Hosts of which little was fetched do not draw."""

    def __init__(self, topic: Topic, words: str = "") -> None:
        super().__init__(topic, words=words)
        self.search_ = NoSearch()


class KnownPages(Topic):
    """It judges pages by the truth, and links by another topic."""

    def __init__(self, topic: Topic, truth: dict[str, float]) -> None:
        self.topic, self.truth = topic, truth

    def text(self, text: str) -> float:
        return self.topic.text(text)

    def page(self, page: Page) -> float:
        return self.truth.get(page.url, 0.0)

    def links(self, page: Page) -> Sequence[float]:
        return self.topic.links(page)


class Judged(Blend):
    """It knows of every page that it has fetched, and of examples and seeds, whether it is relevant."""

    def __init__(self, topic: Topic, truth: dict[str, float], words: str = "") -> None:
        super().__init__(KnownPages(topic, truth), words=words)


class Told(Blend):
    """It knows of every link that it has seen whether it leads to a target; all others it prices as ever."""

    def __init__(self, topic: Topic, truth: dict[str, float], words: str = "") -> None:
        super().__init__(topic, words=words)
        self.truth = truth

    def reprice(self, offers: Sequence[Offer]) -> Sequence[float]:
        prices = zip(offers, super().reprice(offers), strict=True)
        return [price + CERTAIN * self.truth.get(offer.link.url, 0.0) for offer, price in prices]


PARTS: dict[str, tuple[str | type[Strategy], ...]] = {
    "others": OTHERS,
    "ceilings": (Judged, Told),
    "priors": (Words, InLinks, Places, Hubs),
    "without": (NoWordsAround, NoInLinks, NoPlaces, NoOtherLinks, NoWords, NoHubs),
    "rules": (NoLearning, NoDraw, FiftyAtOnce, SeedsFirst, CopiesCount),
}
Shares = dict[str, np.ndarray]  # of each strategy, a number for each topic
CHANGES = ("without", "rules")  # parts that show differences
TIMED = ", by time"


class Ground:
    """A corpus whose topics are asked for."""

    def __init__(self, folder: Path, most: int, seed: int) -> None:
        self.folder, self.course = folder, Course(Corpus.open(folder), "topics")
        found = [trial for trial in trials(self.course.corpus, self.course.splitter.task, 1, seed) if trial.budget]
        self.trials = found[:: max(1, len(found) // most)][:most] if most else found

    def shares(self, kinds: Sequence[str | type[Strategy]], clock: Clock | None) -> Shares:
        """The share of the oracle's area that each strategy has on each topic."""
        rows = [self._trial(trial, kinds, clock) for trial in self.trials]
        return {name: np.array([row[name] for row in rows]) for name in rows[0]}

    def _trial(self, trial: Trial, kinds: Sequence[str | type[Strategy]], clock: Clock | None) -> dict[str, float]:
        job = Job(self.folder, "topics", trial, (), 50, "auto", clock=clock)
        given, truth = self.course.given(trial, "auto"), self.course.truth(trial)
        planned = given | {"truth": self.course.worth(trial)}
        told = given | {"truth": dict.fromkeys(trial.split.targets, 1.0)}
        knows = {"oracle": planned, Judged: given | {"truth": dict.fromkeys(trial.split.relevant, 1.0)}}
        ceiling = self.course.oracle_arrivals(job, planned) if clock else []
        runs = {}
        for kind in ("oracle", *kinds):
            run = self.course.outcome(job, spec_of(kind), knows.get(kind, told), truth, None, ceiling)
            assert isinstance(run, Run), run
            runs[_name(kind)] = run
        oracle = runs.pop("oracle")
        found = {name: run.auc / oracle.auc for name, run in runs.items()}
        timed = {
            name + TIMED: run.timed.auc / oracle.timed.auc for name, run in runs.items() if run.timed and oracle.timed
        }
        return found | timed


def chosen(found: dict[str, Shares], corpus: str) -> str:
    """The first weights that are best in the mean over all the other corpora."""
    names = list(found[corpus])
    others = [shares for name, shares in found.items() if name != corpus]
    return (
        max(names, key=lambda name: float(np.mean([shares[name].mean() for shares in others]))) if others else names[0]
    )


def show(part: str, found: dict[str, Shares]) -> None:
    counts = [f"{name} ({len(shares[_name(Blend)])})" for name, shares in found.items()]
    print(f"\n| {part} | {' | '.join(counts)} |\n| --- |{' --- |' * len(found)}")
    for name in next(iter(found.values())):
        print(f"| {name} | {' | '.join(_cell(part, name, shares) for shares in found.values())} |")
    if part == "priors":
        picked = {corpus: chosen(found, corpus) for corpus in found}
        cells = (f"{found[corpus][name].mean():.3f} ({name})" for corpus, name in picked.items())
        print(f"| chosen by the others | {' | '.join(cells)} |")
    sys.stdout.flush()


def _cell(part: str, name: str, shares: Shares) -> str:
    blend = shares[_name(Blend)]
    return _change(shares[name] - blend) if part in CHANGES and name != _name(Blend) else f"{shares[name].mean():.3f}"


def _name(kind: str | type[Strategy]) -> str:
    return kind if isinstance(kind, str) else kind.__name__


def _change(differences: np.ndarray) -> str:
    error = differences.std(ddof=1) / np.sqrt(len(differences)) if len(differences) > 1 else float("nan")
    return f"{differences.mean():+.3f} ± {error:.3f}"


def grounds(corpora: Sequence[Path], synth: Sequence[int], topics: int, seed: int, scratch: Path) -> dict[str, Ground]:
    """Recorded corpora, and synthetic webs that are made in a folder, by name."""
    made = {f"synthetic {number}": scratch / str(number) for number in synth}
    for number in synth:
        write_synth(Web(PAGES, number), scratch / str(number))
    folders = {folder.name: folder for folder in corpora} | made
    return {name: Ground(folder, topics, seed) for name, folder in folders.items()}


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("corpora", nargs="*", type=Path, metavar="DIR")
    asked.add_argument("--synth", nargs="*", type=int, default=[], metavar="SEED")
    asked.add_argument("--parts", nargs="*", choices=list(PARTS), default=list(PARTS))
    asked.add_argument("--topics", type=int, default=0, metavar="N")
    asked.add_argument("--seed", type=int, default=0)
    asked.add_argument("--clock", action="store_true")
    given = asked.parse_args()
    with tempfile.TemporaryDirectory(prefix="opilio-blend-") as scratch:
        found = grounds(given.corpora, given.synth, given.topics, given.seed, Path(scratch))
        for part in given.parts:
            clock = Clock() if given.clock and part == "others" else None
            show(part, {name: ground.shares((Blend, *PARTS[part]), clock) for name, ground in found.items()})


if __name__ == "__main__":
    main()
