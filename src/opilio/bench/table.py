"""The results in a terminal."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from .plots import title
from .results import Results, Summary, validate
from .significance import LEVEL, beaten

SHOWN = {
    "topic": ("auc", "target_recall", "harvest_rate"),
    "type": ("auc", "target_recall", "harvest_rate", "f_score"),
    "user-content": ("auc", "valid_ratio", "target_recall", "f_score", "entropy"),
    "tag": ("auc", "target_recall", "harvest_rate", "capture_ratio"),
}


def letters(results: Results) -> dict[str, str]:
    """A letter for each strategy, by which the marks of significance name it; the best area first."""
    ranked = sorted((row for row in results.summary if row.metric == "auc"), key=lambda row: (-row.mean, row.strategy))
    return {row.strategy: chr(ord("a") + i) if i < 26 else f"[{i}]" for i, row in enumerate(ranked)}


def final(results: Results, metric: str) -> dict[str, Summary]:
    """Each strategy's row of a metric at the whole budget."""
    rows = [row for row in results.summary if row.metric == metric]
    return {row.strategy: row for row in rows if row.at == rows[-1].at}


def pace(results: Results, strategy: str) -> float:
    """CPU milliseconds that a strategy took for a page, parsing of pages new to the worker counted in."""
    runs = [run for run in results.runs if run.strategy == strategy]
    return 1000 * sum(run.seconds for run in runs) / max(1, sum(run.fetched for run in runs))


def caption(results: Results) -> str:
    """How the numbers came about, in a sentence or two."""
    able = [trial for trial in results.trials if trial.budget]
    lost = sum(trial.unreachable for trial in results.trials)
    mean = statistics.fmean(trial.targets for trial in able)
    caption = f"{len(able)} trial{'s' if len(able) > 1 else ''}, {mean:,.0f} targets on average"
    caption += f", {lost:,} more not reachable" if lost else ""
    budgets = [trial.budget for trial in able]
    fixed = isinstance(results.budget, int)
    caption += f", {results.budget:,} pages each." if fixed else f", {min(budgets):,} to {max(budgets):,} pages each."
    caption += f" {results.outside:,} linked URLs are not recorded." if results.outside else ""
    return " ".join(filter(None, [caption, judges(results), clock_caption(results) if results.clock else ""]))


def judges(results: Results) -> str:
    """Who judged relevance by what, where not all did by the same."""
    by_model: dict[str, list[str]] = {}
    for strategy, model in sorted({(run.strategy, run.model) for run in results.runs if run.model}):
        by_model.setdefault(model, []).append(strategy)
    if len(by_model) < 2:
        return ""
    by_whom = "; ".join(f"by {model}: {', '.join(names)}" for model, names in sorted(by_model.items()))
    return f"Relevance was judged {by_whom} (--model auto: by the same for all)."


def clock_caption(results: Results) -> str:
    """How long the crawls by the simulated clock had, and how fast their web was."""
    clock = results.clock or {}
    times = [run.timed.seconds for run in results.runs if run.timed]
    return (
        f"By the simulated clock, every crawl had the {min(times):,.0f} to {max(times):,.0f} seconds that the oracle takes for "
        f"the budget; {clock['delay']:g} s between visits to a host, {clock['fetch']:g} s a page, {clock['connections']:g} "
        "connections."
    )


def columns(results: Results) -> list[str]:
    """The metrics that tables show."""
    return [*SHOWN[results.kind], *(["auc_over_time"] if results.clock else [])]


def of_oracle(results: Results, strategy: str) -> list[str]:
    """The areas of a strategy as shares of the oracle's: by pages, and by time where there was a clock."""
    shares = [final(results, metric)[strategy].of_oracle for metric in columns(results) if metric.startswith("auc")]
    return ["" if share is None else f"{share:.0%}" for share in shares]


def of_oracle_heads(results: Results) -> list[str]:
    return ["of oracle", *(["of oracle over time"] if results.clock else [])]


def table(results: Mapping[str, Any]) -> Table:
    """Mean ± standard error at the whole budget; after it the letters of the strategies that are beaten at p < 0.05."""
    checked = validate(results)
    marks = letters(checked)
    shown = columns(checked)
    made = Table(
        title=escape(f"{checked.corpus}: {checked.task}"),
        caption=_footer(checked),
        caption_justify="left",
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
    )
    made.add_column("")
    made.add_column("strategy", no_wrap=True)
    for metric in shown:
        made.add_column(title(metric), justify="right")
    for head in [*of_oracle_heads(checked), "ms/page"]:
        made.add_column(head, justify="right")
    for strategy, letter in marks.items():
        cells = [cell(checked, strategy, metric, marks) for metric in shown]
        shares = of_oracle(checked, strategy)
        made.add_row(letter, escape(strategy), *cells, *shares, f"{pace(checked, strategy):.1f}")
    return made


def cell(results: Results, strategy: str, metric: str, marks: Mapping[str, str]) -> str:
    """One number of the table as text."""
    row = final(results, metric)[strategy]
    spread = f"±{row.se:.3f}".replace("±0.", "±.") if row.n > 1 else ""
    signs = "".join(sorted(marks[name] for name in beaten(results.tests, row)))
    return f"{row.mean:.3f}{spread}{' ' + signs if signs else ''}"


def _footer(results: Results) -> str:
    lines = [caption(results)]
    if results.tests:
        lines.append(f"A letter after a number: better than that strategy, p < {LEVEL} (one-tailed paired t-test).")
    lines += [f"Left out: {row.reason}." for row in results.skipped]
    return escape("\n".join(lines))
