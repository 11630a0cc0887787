"""Results of single runs, kept in files: what was measured with the same code is not measured again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from opilio.bench.corpus_cache import cache_folder
from opilio.bench.results import Run, as_json, rounded, write
from opilio.bench.simulated_time import Clock
from opilio.bench.tasks import Trial

from .code_version import version
from .grounds import Ground, Scale

CLOCK = Clock()


class Place(NamedTuple):
    """One strategy on one trial of a ground."""

    scale: Scale
    ground: Ground
    trial: Trial
    spec: str

    def _name(self) -> str:
        """The same for the same question, whatever the code."""
        corpus = f"{self.ground.corpus} {(self.ground.folder / 'labels.csv').stat().st_size}"
        split = self.trial.split
        asked = repr(
            [
                corpus,
                trial_name(self.ground, self.trial),
                self.trial.budget,
                self.trial.seed,
                split.seeds,
                split.positives,
                CLOCK,
            ]
        )
        readable = f"{self.ground.corpus}-{self.ground.task.name}-{self.spec}".replace("/", "_")
        return f"{readable}-{blake2b(asked.encode(), digest_size=8).hexdigest()}"

    def _files(self) -> Iterator[Path]:
        """Of any code, the latest first."""
        found = folder().glob(f"{_escaped(self._name())}.*.json")
        return iter(sorted(found, key=lambda path: -path.stat().st_mtime))

    def _file(self) -> Path:
        return folder() / f"{self._name()}.{version(self.spec)}.json"

    def find(self, any_code: bool = False) -> tuple[Run | None, bool] | None:
        """The run, None when the strategy cannot take part, and whether the code is the same; None if there is none."""
        if (file := self._file()).exists():
            return _read(file), True
        older = next(self._files(), None) if any_code else None
        return (_read(older), False) if older else None

    def keep(self, run: Run | None) -> None:
        folder().mkdir(parents=True, exist_ok=True)
        write(self._file(), as_json({"run": rounded(run.model_dump()) if run else None}))


def trial_name(ground: Ground, trial: Trial) -> str:
    """Names a trial within its corpus."""
    return f"{ground.folder.name} {ground.task.name} {trial.topic} {trial.run}"


def folder() -> Path:
    """Where results are: in the cache, so that all work trees share them."""
    return cache_folder() / "quality" / "cells"


def _read(file: Path) -> Run | None:
    run = json.loads(file.read_bytes())["run"]
    return Run.model_validate(run) if run else None


def _escaped(name: str) -> str:
    return name.replace("[", "[[]").replace("*", "[*]").replace("?", "[?]")
