"""What an experiment is, and what it brings: a table of ours beside theirs, numbers by name, and a sentence."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

RESULTS = Path(__file__).with_name("results")  # of the last run of each; docs/papers.md is made of them
CORPORA = Path(__file__).parents[3] / "shared" / "corpora"
ONE = 1  # page at a time: but for 003, whose lists have 50 URLs, the texts take the next page from a queue
TEXTS = Path(__file__).with_name("experiments.toml")


class Result(NamedTuple):
    """What a run brought."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    sentence: str  # whether the order is the paper's, and where it differs
    facts: dict[str, float]  # for the claims at the head of docs/papers.md

    def markdown(self) -> str:
        lines = [self.head, ["---", *["---:"] * (len(self.head) - 1)], *self.rows]
        return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


Run = Callable[[], Result]


class Experiment(NamedTuple):
    paper: str  # its number
    name: str  # figure3, table2 ...
    title: str
    theirs: str  # what the paper reports
    ours: str  # how its procedure is carried out here
    run: Run
    also: tuple[str, ...] = ()  # further tables and figures of the paper that this one has

    @property
    def names(self) -> tuple[str, ...]:
        return self.name, *self.also

    @property
    def file(self) -> Path:
        return RESULTS / f"{self.paper}-{self.name}.json"

    def saved(self) -> Result | None:
        """What the last run of it brought."""
        if not self.file.exists():
            return None
        kept: dict[str, Any] = json.loads(self.file.read_text(encoding="utf-8"))
        return Result(**kept)

    def save(self, result: Result) -> None:
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(json.dumps(result._asdict(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    def text(self, result: Result) -> str:
        """As printed, and as in docs/papers.md."""
        head = (
            f"### {self.paper} {self.name}: {self.title}\n\n    python -m benchmarks.papers {self.paper} {self.name}\n"
        )
        return f"{head}\n{self.ours}\n\n*The paper:* {self.theirs}\n\n{result.markdown()}\n\n{result.sentence}\n"


def described(runs: Mapping[str, Run]) -> list[Experiment]:
    """The experiments, with what is said of them; KeyError where nothing is."""
    texts = tomllib.loads(TEXTS.read_text(encoding="utf-8"))
    return [_described(key, texts[key], run) for key, run in runs.items()]


def _described(key: str, said: Mapping[str, Any], run: Run) -> Experiment:
    paper, name = key.split()
    return Experiment(paper, name, said["title"], said["theirs"], said["ours"], run, tuple(said.get("also", ())))


def corpus(name: str) -> Path:
    """A recorded corpus; it is no part of the project."""
    folder = CORPORA / name
    if not folder.is_dir():
        raise SystemExit(f"there is no {folder}; this experiment needs the recorded corpus {name} there")
    return folder


def said(holds: bool, so: str, otherwise: str) -> str:
    return f"Held: {so}" if holds else f"Differs: {otherwise}"
