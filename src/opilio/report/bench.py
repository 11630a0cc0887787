"""A benchmark as a page to look at: one file, without scripts and without the network."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from shlex import quote
from string import Template

from ..bench.palette import PLAIN, css
from ..bench.plots import plots, styles, title
from ..bench.results import Results, load
from ..bench.results import write as write_file
from ..bench.significance import LEVEL, beaten
from ..bench.table import caption, columns, final, letters, of_oracle, of_oracle_heads, pace
from .shipped_files import shipped

URL_HINT = (
    "<li>Page types were derived from URLs by rule in some corpora: there, a strategy that reads URL patterns has an "
    "advantage that it would not have elsewhere.</li>"
)


def write(folder: Path, command: str = "") -> Path:
    """Write report.html from the results.json in a folder; where it is."""
    path = folder / "report.html"
    write_file(path, page(load(folder / "results.json"), command))
    return path


def page(results: Results, command: str = "") -> str:
    """The report as HTML."""
    template = Template(shipped("bench.html"))
    return template.substitute(
        title=escape(f"{results.corpus}: {results.task}"),
        about=escape(_about(results)),
        colours=css(),
        style=shipped("style.css"),
        table=_table(results),
        legend=_legend(results),
        skipped=_skipped(results),
        bands=_bands(results),
        plots="\n".join(f"<figure>{svg}</figure>" for svg in plots(results).values()),
        points=_points(results),
        topics=_topics(results),
        hint=URL_HINT if results.kind in ("type", "user-content") else "",
        command=escape(command or _command(results)),
        version=escape(results.version),
    )


def _about(results: Results) -> str:
    topics = len({trial.topic for trial in results.trials})
    runs = len({trial.run for trial in results.trials})
    return (
        f"Task of kind “{results.kind}”, seed {results.seed}; {topics} topic{'s' * (topics > 1)}, "
        f"{runs} run{'s' * (runs > 1)} of each: {caption(results)}"
    )


def _table(results: Results) -> str:
    shown = columns(results)
    heads = ["strategy", *map(title, shown), *of_oracle_heads(results), "ms/page"]
    rows = []
    for strategy, letter in letters(results).items():
        cells = [_name(results, strategy, letter)]
        cells += [_cell(results, strategy, metric) for metric in shown]
        cells += [*of_oracle(results, strategy), f"{pace(results, strategy):.1f}"]
        labelled = (f"<span>{cell}</span>" for cell in cells)
        rows.append(_row(list(labelled), "reference" if strategy in PLAIN else "", heads=heads))
    return f'<table class="stack"><thead>{_row(heads, tag="th")}</thead><tbody>{"".join(rows)}</tbody></table>'


def _row(cells: Sequence[str], kind: str = "", tag: str = "td", heads: Sequence[str] = ()) -> str:
    marked = f' class="{kind}"' if kind else ""
    labels = [f' data-label="{escape(head)}"' for head in heads] or [""] * len(cells)
    row = (f"<{tag}{label}>{cell}</{tag}>" for label, cell in zip(labels, cells, strict=True))
    return f"<tr{marked}>{''.join(row)}</tr>"


def _name(results: Results, strategy: str, letter: str) -> str:
    style = styles(results)[strategy]
    key = f'<svg class="key" width="22" height="8" aria-hidden="true"><path class="key {style}" d="M0 4h22"/></svg>'
    return f'<span class="letter">{escape(letter)}</span>{key}{escape(strategy)}'


def _cell(results: Results, strategy: str, metric: str) -> str:
    rows = final(results, metric)
    row = rows[strategy]
    best = max(other.mean for name, other in rows.items() if name not in PLAIN or len(rows) == len(PLAIN))
    number = f"{row.mean:.3f}"
    if strategy not in PLAIN and row.mean == best:
        number = f'<span class="best">{number}</span>'
    spread = f" <small>±{row.se:.3f}</small>" if row.n > 1 else ""
    marks = letters(results)
    signs = "".join(sorted(marks[name] for name in beaten(results.tests, row)))
    # As wide for all, so that the numbers stand below each other.
    room = max(len(beaten(results.tests, other)) for other in rows.values())
    return f'{number}{spread}<sup style="min-width:{room}ch">{escape(signs)}</sup>'


def _legend(results: Results) -> str:
    caption = "Mean at the end of the budget; the best strategy in bold."
    if any(row.n > 1 for row in results.summary):
        caption = "Mean ± one standard error at the end of the budget; the best strategy in bold."
    if not results.tests:
        return f"{caption} No tests: they need two trials or more that differ."
    return (
        f"{caption} Raised letters name the strategies that this one beats at p &lt; {LEVEL} "
        "(one-tailed paired t-test over trials)."
    )


def _skipped(results: Results) -> str:
    if not results.skipped:
        return ""
    return f"<p>Left out: {escape('; '.join(row.reason for row in results.skipped))}.</p>"


def _bands(results: Results) -> str:
    if all(row.n == 1 for row in results.summary):
        return "One trial, so there are no bands of error."
    return "Mean over all trials; the band is one standard error to either side."


def _points(results: Results) -> str:
    """Every metric at the points where strategies are compared."""
    blocks = []
    for metric in dict.fromkeys(row.metric for row in results.summary if not row.metric.startswith("auc")):
        rows = [row for row in results.summary if row.metric == metric]
        points = list(dict.fromkeys(row.at for row in rows))
        heads = ["strategy", *(f"{at:,}" if isinstance(at, int) else escape(at) for at in points)]
        found = {(row.strategy, row.at): row.mean for row in rows}
        body = [[escape(name), *(f"{found[name, at]:.3f}" for at in points)] for name in letters(results)]
        blocks.append(_details(f"{title(metric)} along the way", heads, body))
    return "\n".join(blocks)


def _topics(results: Results) -> str:
    """The area of each strategy, trial by trial."""
    names = list(letters(results))
    areas = {(run.topic, run.run, run.strategy): run.auc for run in results.runs}
    body = []
    for trial in results.trials:
        cells = [f"{areas[trial.topic, trial.run, name]:.3f}" if trial.budget else "–" for name in names]
        what = [escape(trial.topic), str(trial.run + 1), f"{trial.targets:,}", f"{trial.unreachable:,}"]
        body.append([*what, f"{trial.budget:,}", *cells])
    heads = ["topic", "run", "targets", "not reachable", "budget", *map(escape, names)]
    return _details("AUC, trial by trial", heads, body)


def _details(summary: str, heads: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    rows = "".join(_row(cells) for cells in body)
    head = _row(heads, tag="th")
    return (
        f"<details><summary>{escape(summary)}</summary>"
        f'<div class="wide" tabindex="0"><table><thead>{head}</thead><tbody>{rows}</tbody></table></div></details>'
    )


def _command(results: Results) -> str:
    """A command that gives these results, where the corpus lies in a folder of its name."""
    strategies = [name for name in dict.fromkeys(run.strategy for run in results.runs) if name not in PLAIN]
    words = ["opilio", "bench", results.corpus, "--task", results.task]
    words += ["--strategies", ",".join(strategies)] if strategies else []
    words += ["--budget", str(results.budget)] if results.budget != "budget" else []
    words += (
        ["--clock", ",".join(f"{name}={value:g}" for name, value in results.clock.items())] if results.clock else []
    )
    words += ["--runs", str(1 + max(trial.run for trial in results.trials)), "--seed", str(results.seed)]
    return " ".join(map(quote, words))
