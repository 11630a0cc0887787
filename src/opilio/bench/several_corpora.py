"""The same question to several corpora: results of each, and the standings over all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import ConfigError
from .results import Results, Row, as_json, rounded, write
from .run import Question, answer, check_out, prepare, workers_for
from .standings import Standing, cells, standings
from .workers import Progress

OVERALL = "overall.json"


class Ground(Row):
    """A task of a corpus, and the folder beside overall.json that holds its results."""

    corpus: str
    task: str
    kind: str
    folder: str


class Overall(Row):
    """What came of several corpora together."""

    corpora: list[Ground]
    standings: list[Standing]


def bench_all(
    folders: Sequence[Path],
    asked: Question,
    out: Path,
    progress: Progress | None = None,
    workers: int | None = None,
) -> tuple[Overall, dict[str, dict[str, Any]]]:
    """Standings over all corpora, and the results of each by the name of its folder in `out`, where all of it is written.

    What is wrong with the question, or with one of the corpora, is said before anything runs.
    """
    names = _names(folders)
    _check(out, names)
    ready = [prepare(folder, asked) for folder in folders]
    count = workers_for(asked.specs, workers)
    total = len(asked.specs) * sum(len(one.able) for one in ready)
    results, done = {}, 0
    for name, one in zip(names, ready, strict=True):
        results[name] = answer(one, asked, count, out / name, _part(progress, done, total, name))
        done += len(asked.specs) * len(one.able)
    overall = _overall(results, asked.seed)
    write(out / OVERALL, as_json(rounded(overall.model_dump())))
    return overall, results


def load_overall(path: Path) -> Overall:
    """What a file of earlier standings holds."""
    return Overall.model_validate_json(path.read_bytes())


def _overall(results: dict[str, dict[str, Any]], seed: int) -> Overall:
    checked = {name: Results.model_validate(one) for name, one in results.items()}
    grounds = [Ground(corpus=one.corpus, task=one.task, kind=one.kind, folder=name) for name, one in checked.items()]
    return Overall(corpora=grounds, standings=standings(cells(checked), seed))


def _part(progress: Progress | None, before: int, total: int, name: str) -> Progress | None:
    """Progress on one corpus as progress on all."""
    return progress and (lambda done, _, label: progress(before + done, total, f"{name}, {label}"))


def _names(folders: Sequence[Path]) -> list[str]:
    """A name for the results of each corpus: that of its folder, with a number where two have the same."""
    seen: Counter[str] = Counter()
    names = []
    for folder in folders:
        name = folder.resolve().name
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name}-{seen[name]}")
    return names


def _check(out: Path, names: Sequence[str]) -> None:
    if out.is_dir() and (out / OVERALL).is_file():
        for name in names:
            check_out(out / name)
        return
    if (out / "results.json").exists():
        raise ConfigError(f"{out}: the results of a single corpus are there; name another folder with --out")
    check_out(out)
