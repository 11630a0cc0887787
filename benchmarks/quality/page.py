"""The leaderboard as a page: one table, one picture, and what they were measured on."""

from __future__ import annotations

import subprocess
from collections.abc import Collection, Sequence
from pathlib import Path

from opilio.bench.results import as_json, rounded
from opilio.bench.results import write as write_file
from opilio.bench.standings import Standing
from opilio.bench.standings_plot import picture
from opilio.bench.standings_table import by_corpus, caption, markdown

from .grounds import SEED, Ground, Scale

OLD = " †"


def write(out: Path, scale: Scale, played: Sequence[Ground], rows: Sequence[Standing], old: Collection[str]) -> str:
    """Write the page, the picture and the numbers; the table for the terminal."""
    (out / "pictures").mkdir(parents=True, exist_ok=True)
    table = markdown(rows, dict.fromkeys(old, OLD))
    write_file(out / "pictures" / "leaderboard.svg", picture(rows))
    write_file(out / "leaderboard.json", as_json({"standings": [rounded(row.model_dump()) for row in rows]}))
    write_file(out / "leaderboard.md", _page(scale, played, rows, table, bool(old)))
    return f"{table}\n{_corpora(rows)}\n{out / 'leaderboard.md'}"


def _page(scale: Scale, played: Sequence[Ground], rows: Sequence[Standing], table: str, marked: bool) -> str:
    return f"""# Leaderboard

Every strategy on every recorded corpus available and on synthetic webs, by pages and by a simulated clock
([benchmarks.md](benchmarks.md) explains both). `make bench-quality` measures it; this page was written by
{_command(scale)} at commit {_commit()}.

{caption(rows)} "By time" every crawl has the time that the oracle takes for its pages. CPU is what strategy and frontier
take for a page that has been parsed and judged before.
All judge relevance by the model `auto`, whatever their papers say.
Only strategies that a kind of task gives what they need take part in it.
{"A dagger marks results that were measured with earlier code." if marked else ""}
![share of the oracle's area](pictures/leaderboard.svg)

{table}
## Corpus by corpus

Share of the oracle's area by pages / by time. A strategy that is good on one kind of web may be poor on another: this is what the
intervals above are made of.

{_corpora(rows)}
## What was played

At most {scale.topics} topics of a task ({scale.web_topics} of a synthetic web), drawn by seed {SEED}; at most {scale.most:,}
pages a crawl, else the task's own budget. {scale.webs} synthetic webs of {scale.pages:,} pages count as one corpus.

{_played(played)}"""


def _corpora(rows: Sequence[Standing]) -> str:
    """A table for each kind of task."""
    parts = []
    for head, *body in by_corpus(rows):
        lines = [head, ["---", *["---:"] * (len(head) - 1)], *body]
        parts.append("\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n")
    return "\n".join(parts)


def _played(played: Sequence[Ground]) -> str:
    lines = []
    for ground in played:
        what = ", ".join(f"{trial.topic.rpartition('/')[2]} ({trial.budget:,})" for trial in ground.trials)
        lines.append(f"- {ground.corpus}, {ground.task.name}: {what}")
    return "\n".join(lines) + "\n"


def _command(scale: Scale) -> str:
    return f"`python -m benchmarks.quality{'' if scale.name == 'full' else ' --' + scale.name}`"


def _commit() -> str:
    told = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"]
    return subprocess.run(told, capture_output=True, text=True).stdout.strip() or "unknown"
