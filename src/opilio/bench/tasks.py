"""A task of a corpus becomes trials: what a crawl starts from, what it may learn from, what it has to find."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..errors import ConfigError, unknown
from .corpus import Corpus, Task

KINDS = ("topic", "type", "user-content", "tag")
DEFAULT = {"topic": "5x", "type": "1x"}  # as multiples of the number of targets
SEEDS, TRAIN = 10, 30  # of a topic, unless the task says otherwise
LARGEST_SHARE = 4  # where targets are most of a site, a crawl of more than a quarter of it tells nothing


@dataclass(frozen=True, slots=True)
class Split:
    """The pages of a topic by what they are for."""

    seeds: tuple[str, ...]
    relevant: frozenset[str]
    targets: frozenset[str]
    positives: tuple[str, ...] = ()
    negatives: tuple[str, ...] = ()
    example: str = ""

    @property
    def known(self) -> tuple[str, ...]:
        """Pages that a user has: every strategy starts from them, too, at no cost, and they are no targets."""
        return (*self.positives, self.example) if self.example else self.positives


@dataclass(frozen=True, slots=True)
class Trial:
    """One topic and one run of it: every strategy gets the same."""

    topic: str
    run: int
    seed: int  # for strategies
    split: Split  # its targets and relevant pages are those that links lead to
    unreachable: int
    budget: int


def choose(corpus: Corpus, name: str | None) -> Task:
    """The task of that name, or the first one that can be run; ConfigError when there is none."""
    fitting = [task for task in corpus.tasks if task.kind in KINDS]
    for task in fitting if name is None else corpus.tasks:
        if name not in (None, task.name):
            continue
        if task not in fitting:
            what = f'task "{name}" is of kind "{task.kind}"; a benchmark needs one of kind {", ".join(KINDS)}'
            raise ConfigError(f"{_place(corpus)}: {what}")
        return task
    if not fitting:
        raise ConfigError(f"{_place(corpus)}: it has no task of a kind that can be run ({', '.join(KINDS)})")
    raise ConfigError(f"{_place(corpus)}: {unknown('task', name or '', [task.name for task in fitting])}")


def trials(corpus: Corpus, task: Task, runs: int, seed: int, budget: int | str | None = None) -> list[Trial]:
    """Every topic of the task `runs` times, shuffled anew each time; one without a reachable target has budget 0."""
    asked = check_budget(task.settings.get("budget") if budget is None else budget)
    if runs < 1:
        raise ConfigError(f"runs = {runs} is too few; give 1 or more")
    splitter = Splitter(corpus, task)
    return [_trial(splitter, topic, run, seed, asked) for topic in splitter.topics() for run in range(runs)]


def check_budget(budget: int | str | None) -> int | str | None:
    """The budget as pages, as a multiple of the targets ("5x"), or None for the task's own; else ConfigError."""
    text = "" if budget is None else str(budget).strip()
    if budget is not None and not re.fullmatch(r"0*[1-9]\d*|(\d+(\.\d+)?|\.\d+)x", text):
        raise ConfigError(f'budget "{budget}" is not a number of pages such as 500 or of targets such as 5x')
    return int(text) if text.isdigit() else text or None


def values(labels: Mapping[str, str], column: str) -> list[str]:
    """The values of one column of a page's labels."""
    return [value for part in labels.get(column, "").split("|") if (value := part.strip())]


def _trial(splitter: Splitter, topic: str, run: int, seed: int, asked: int | str | None) -> Trial:
    rng = random.Random(f"{seed} {run} {splitter.task.name} {topic}")
    split = splitter.split(topic, rng)
    reached = splitter.corpus.graph().reachable([*split.seeds, *split.known])
    near = Split(
        split.seeds, split.relevant & reached, split.targets & reached, split.positives, split.negatives, split.example
    )
    fetches = len(reached & splitter.pages)
    budget = _budget(asked, splitter.task.kind, len(near.targets), fetches) if near.targets else 0
    return Trial(topic, run, rng.getrandbits(31), near, len(split.targets) - len(near.targets), budget)


def _budget(asked: int | str | None, kind: str, targets: int, reachable: int) -> int:
    if isinstance(asked, int):
        return asked
    multiple = float((asked or DEFAULT.get(kind, "5x")).removesuffix("x"))
    most = reachable if asked or kind in DEFAULT else reachable // LARGEST_SHARE
    return max(1, min(round(multiple * targets), most))


class Splitter:
    """Topics of a task and their splits; a kind of task is a method here."""

    def __init__(self, corpus: Corpus, task: Task) -> None:
        self.corpus, self.task = corpus, task
        self.pages = frozenset(corpus.urls)
        self.column = str(task.settings["column"])
        self.labels = {url: labels for url, labels in sorted(corpus.labels.items()) if url in self.pages}
        self._levels = {url: _levels(values(labels, self.column)) for url, labels in self.labels.items()}

    def topics(self) -> list[str]:
        """The names of the task's topics."""
        match self.task.kind:
            case "topic" if "topics" not in self.task.settings:
                return self._topics_by_size()
            case "topic" | "tag":
                return self._names("topics")
            case "type":
                return self._names("target")
        return ["|".join(self._names("user_content"))]

    def split(self, topic: str, rng: random.Random) -> Split:
        """Who is who among the pages, shuffled by `rng`."""
        match self.task.kind:
            case "topic":
                return self._topic(topic, rng)
            case "tag":
                return self._tag(topic)
            case "type":
                return self._type(topic, rng)
        return self._of_types(topic)

    def _topic(self, topic: str, rng: random.Random) -> Split:
        pages = [url for url in self.labels if self._is_about(url, topic)]
        others = [url for url, levels in self._levels.items() if levels and not self._is_about(url, topic)]
        seeds, train = self.task.settings.get("seeds", SEEDS), self.task.settings.get("train", TRAIN)
        if len(pages) <= seeds + train:
            raise self._wrong(
                f'topic "{topic}" has {len(pages)} pages; with seeds and train it needs {seeds + train + 1}'
            )
        rng.shuffle(pages)
        rng.shuffle(others)
        return Split(
            tuple(pages[:seeds]),
            frozenset(pages),
            frozenset(pages[seeds + train :]),
            tuple(pages[seeds : seeds + train]),
            tuple(others[: 2 * train]),
        )

    def _type(self, target: str, rng: random.Random) -> Split:
        split = self._of_types(target)
        if len(split.targets) < 2:
            raise self._wrong(
                f'only one page has "{target}" in column "{self.column}" of labels.csv: that one shows the type'
            )
        # An example that the crawl cannot come by would still be fair, but a user picks one from the site.
        near = split.targets & self.corpus.graph().reachable(split.seeds)
        example = rng.choice(sorted(near or split.targets))
        return Split(split.seeds, split.relevant, split.targets - {example}, example=example)

    def _of_types(self, kinds: str) -> Split:
        wanted = frozenset(self._labelled(kinds.split("|"), self.column))
        if not wanted:
            raise self._wrong(f'no page has "{kinds}" in column "{self.column}" of labels.csv')
        return Split(self._start(), wanted, wanted)

    def _tag(self, topic: str) -> Split:
        wanted = self.details() & frozenset(self._labelled(topic.split("|"), self.column))
        if not wanted:
            raise self._wrong(f'no detail page has "{topic}" in column "{self.column}" of labels.csv')
        return Split(self._start(), wanted, wanted)

    def details(self) -> frozenset[str]:
        """In tag tasks, the detail pages; else nothing."""
        if self.task.kind != "tag":
            return frozenset()
        return frozenset(self._labelled([str(self.task.settings.get("detail", "detail"))], self._type_column()))

    def types(self) -> dict[str, str]:
        """The type of each page, where the task knows types."""
        if self.task.kind == "topic":
            return {}
        column = self._type_column()
        return {url: labels[column] for url, labels in self.labels.items() if labels.get(column)}

    def _type_column(self) -> str:
        return str(self.task.settings["types"]) if self.task.kind == "tag" else self.column

    def _labelled(self, wanted: Sequence[str], column: str) -> Iterator[str]:
        return (url for url, labels in self.labels.items() if not set(wanted).isdisjoint(values(labels, column)))

    def _is_about(self, url: str, topic: str) -> bool:
        return topic in self._levels[url]

    def _topics_by_size(self) -> list[str]:
        sizes = Counter(topic for levels in self._levels.values() for topic in levels)
        top = {topic for topic in sizes if "/" not in topic}
        sizes = Counter({topic: n for topic, n in sizes.items() if topic not in top or len(top) == len(sizes)})
        least, most = self.task.settings["min_pages"], self.task.settings["max_pages"]
        fitting = sorted(topic for topic, size in sizes.items() if least <= size <= most)
        if not fitting:
            raise self._wrong(f'no value of column "{self.column}" has {least} to {most} pages (min_pages, max_pages)')
        return fitting

    def _start(self) -> tuple[str, ...]:
        return tuple(self._names("start"))

    def _names(self, key: str) -> list[str]:
        names = self.task.settings[key]
        return [names] if isinstance(names, str) else list(dict.fromkeys(names))

    def _wrong(self, what: str) -> ConfigError:
        return ConfigError(f'{_place(self.corpus)}, task "{self.task.name}": {what}')


def _levels(paths: Sequence[str]) -> set[str]:
    """Every topic that a page with these labels belongs to."""
    split = [path.split("/") for path in paths]
    return {"/".join(levels[:n]) for levels in split for n in range(1, len(levels) + 1)}


def _place(corpus: Corpus) -> str:
    return f"{corpus.folder}/corpus.toml"
