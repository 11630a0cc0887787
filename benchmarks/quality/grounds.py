"""What the leaderboard is played on: every recorded corpus available and synthetic webs, and which of their trials."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import opilio.synth
from opilio.bench.corpus import Corpus, Task
from opilio.bench.corpus_cache import cache_folder
from opilio.bench.tasks import KINDS, Trial, trials
from opilio.synth.corpus import write
from opilio.synth.web import Web

from .code_version import files_digest

RECORDED = Path(__file__).parents[3] / "shared" / "corpora"
SYNTHETIC = "synthetic"  # one corpus in the table, whatever number of webs it has
SEED = 1
SYNTH = Path(opilio.synth.__path__[0])


@dataclass(frozen=True)
class Scale:
    """How much is measured. Which trials are, the seed decides: the same for everybody."""

    name: str
    topics: int  # most of a task
    most: int  # pages a crawl
    webs: int  # synthetic ones, each with its own seed
    pages: int  # of a synthetic web
    web_topics: int


FULL = Scale("full", topics=10, most=1500, webs=3, pages=4000, web_topics=3)
QUICK = Scale("quick", topics=2, most=300, webs=1, pages=1500, web_topics=2)


@dataclass(frozen=True)
class Ground:
    """A task of a corpus, and the trials of it that are played."""

    corpus: str  # its name in the table
    folder: Path
    task: Task
    trials: Sequence[Trial]


def grounds(scale: Scale) -> Iterator[Ground]:
    """All of them, corpus by corpus."""
    for name, folder, topics in [*_recorded(scale), *_synthetic(scale)]:
        corpus = Corpus.open(folder)
        for task in corpus.tasks:
            if task.kind in KINDS and (sample := _sample(corpus, task, topics, scale.most)):
                yield Ground(name, folder, task, sample)


def _recorded(scale: Scale) -> Iterator[tuple[str, Path, int]]:
    if not RECORDED.is_dir():
        print(f"recorded corpora: left out, there is no {RECORDED}")
        return
    for folder in sorted(path.parent for path in RECORDED.glob("*/corpus.toml")):
        yield folder.name, folder, scale.topics


def _synthetic(scale: Scale) -> Iterator[tuple[str, Path, int]]:
    for seed in range(1, scale.webs + 1):
        folder = cache_folder() / "quality" / f"web-{scale.pages}-{seed}-{files_digest(SYNTH.glob('*.py'))[:12]}"
        if not folder.exists():
            write(Web(scale.pages, seed), folder)
        yield SYNTHETIC, folder, scale.web_topics


def _sample(corpus: Corpus, task: Task, most: int, budget: int) -> list[Trial]:
    """Some topics of a task that can be reached, drawn by the seed, none with more than this many pages."""
    able = [trial for trial in trials(corpus, task, 1, SEED) if trial.budget]
    drawn = random.Random(f"{SEED} {corpus.name} {task.name}").sample(able, min(most, len(able)))
    return [_capped(trial, budget) for trial in sorted(drawn, key=lambda trial: trial.topic)]


def _capped(trial: Trial, budget: int) -> Trial:
    return Trial(trial.topic, trial.run, trial.seed, trial.split, trial.unreachable, min(trial.budget, budget))
