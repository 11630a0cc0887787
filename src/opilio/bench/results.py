"""The results of a benchmark: their form, checked, and their file."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from ..errors import UnreadableError
from ..system.files import written

DIGITS = 6
Count = Annotated[int, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]
Point = int | str  # pages; or "1x", "2x", "5x" (of the targets) and "quarter", "half", "budget" where budgets differ


class Row(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class Timed(Row):
    """A crawl by the simulated clock."""

    seconds: Annotated[float, Field(gt=0)]  # that it had: as many as the oracle took for the budget
    fetched: Count
    auc: Share
    curve: dict[str, list[int | float]]  # over "seconds"


class Run(Row):
    """One strategy on one trial."""

    strategy: str
    topic: str
    run: Count
    fetched: Count
    targets: Count
    seconds: Annotated[float, Field(ge=0)]
    auc: Share
    curve: dict[str, list[int | float]]
    timed: Timed | None = None
    model: str = ""  # that it judged relevance by; "" where it asked for none

    @model_validator(mode="after")
    def _curves_fit(self) -> Self:
        pages = self.curve.get("pages", [])
        if not pages or pages[0] < 1 or pages != sorted(set(pages)):
            raise ValueError('"pages" must be there, start at 1 or later and go up')
        if any(len(curve) != len(pages) for curve in self.curve.values()):
            raise ValueError('every curve must be as long as "pages"')
        return self

    def at(self, metric: str, pages: int) -> float:
        """A metric after this many fetches, which must be one of the points of the curve."""
        return self.auc if metric == "auc" else self.curve[metric][self.curve["pages"].index(pages)]


class Summary(Row):
    """A metric of one strategy, over all trials."""

    strategy: str
    metric: str
    at: Point
    mean: float
    se: Annotated[float, Field(ge=0)]  # 0 when n is 1
    n: Annotated[int, Field(ge=1)]
    of_oracle: float | None  # None where the oracle has 0


class Test(Row):
    """One-tailed paired t-test over the trials: is `better` better than `worse`?"""

    __test__ = False  # pytest looks for classes of this name
    metric: str
    at: Point
    better: str
    worse: str
    t: float
    p: Share


class TrialRow(Row):
    """What one trial was; without a reachable target it was not run and its budget is 0."""

    topic: str
    run: Count
    seeds: Count
    targets: Count
    unreachable: Count
    budget: Count


class Skipped(Row):
    strategy: str
    reason: str


class Results(Row):
    corpus: str
    task: str
    kind: str
    outside: Count = 0  # URLs that pages link to and that have no record
    clock: dict[str, float] | None = None  # delay, fetch and connections of the simulated clock, where there was one
    budget: Point  # pages; as a multiple of the targets, or "budget", where trials differ
    seed: int
    version: str
    runs: list[Run]
    summary: list[Summary]
    tests: list[Test]
    trials: list[TrialRow]
    skipped: list[Skipped]


def validate(results: Mapping[str, Any]) -> Results:
    """The results as typed rows; ValidationError, a ValueError, says what is wrong with them."""
    return Results.model_validate(results)


def load(path: Path) -> Results:
    """The results in a file."""
    try:
        return Results.model_validate_json(path.read_bytes())
    except OSError as error:
        raise UnreadableError(
            f"{path}: it cannot be read ({error.strerror}); give the results.json of a benchmark"
        ) from None
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        raise UnreadableError(f"{path}, {place}: {first['msg']}; run the benchmark again") from None


def rounded(value: Any) -> Any:
    """The same with every float rounded, so that the last bits of a sum do not make two files differ."""
    match value:
        case float():
            return round(value, DIGITS)
        case dict():
            return {key: rounded(item) for key, item in value.items()}
        case list():
            return [rounded(item) for item in value]
    return value


def as_json(results: Mapping[str, Any]) -> str:
    return json.dumps(results, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def write(path: Path, text: str) -> None:
    """Write a file whole or not at all."""
    with written(path):
        _write(path, text)


def _write(path: Path, text: str) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with open(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(name, 0o644)  # mkstemp lets nobody else read it
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
