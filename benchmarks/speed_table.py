"""What the speed benchmark prints, and where it puts it."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from .tables import marked

FROM, TO = "<!-- from here: printed by make bench-speed -->\n", "<!-- to here -->\n"
MEASURED = (
    "benchmarks/speed.py src/opilio/fetchers src/opilio/html src/opilio/shard src/opilio/store src/opilio/frontier"
)
OURS = ("opilio otie + relevance", "opilio breadth-first")


class Measured(NamedTuple):
    """One crawl."""

    pages: int
    cpu: float  # seconds
    seconds: float  # by the clock
    memory: float  # bytes, at most

    @property
    def cpu_ms(self) -> float:
        return 1000 * self.cpu / self.pages

    @property
    def rate(self) -> float:
        return self.pages / self.seconds


def numbers(found: Mapping[str, Sequence[Measured]], ceiling: float | None, pages: int, connections: int) -> str:
    """All of it as Markdown."""
    count = max(map(len, found.values()))
    served = f"{ceiling:,.0f} pages a second by wrk" if ceiling else "not measured, wrk is not installed"
    about = f"{pages:,} pages, {connections} connections, {_rounds(count)}. "
    about += f"The server alone: {served}. Python {platform.python_version()}, {os.cpu_count()} cores."
    return "\n".join([about, "", *_table(found), "", *_ratios(found), ""])


def _rounds(count: int) -> str:
    return f"{count} rounds in turns, medians with lowest and highest" if count > 1 else "one round"


def _table(found: Mapping[str, Sequence[Measured]]) -> list[str]:
    lines = ["| crawler | CPU ms a page | pages/s | memory at most, MB |", "| --- | --- | --- | --- |"]
    for name, some in found.items():
        cpu, rate = [one.cpu_ms for one in some], [one.rate for one in some]
        memory = median(one.memory for one in some) / 1e6
        lines.append(f"| {name} | {_spread(cpu, 2)} | {_spread(rate, 0)} | {memory:.0f} |")
    return lines


def _ratios(found: Mapping[str, Sequence[Measured]]) -> list[str]:
    """How much more CPU time a page each of the others needs, round by round."""
    ours = [name for name in OURS if name in found]
    lines = [f"| CPU time a page against | {' | '.join(ours)} |", "| --- |" + " --- |" * len(ours)]
    for name, some in found.items():
        if name not in OURS:
            cells = [_spread([_ratio(a, b) for a, b in zip(some, found[own], strict=False)], 1) for own in ours]
            lines.append(f"| {name} | {' | '.join(f'{cell} ×' for cell in cells)} |")
    return lines if ours else []


def shares(spent: Sequence[tuple[float, str]]) -> str:
    """Where the time of one crawl goes, as Markdown; nothing for nothing."""
    if not spent:
        return ""
    whole = sum(ms for ms, _ in spent)
    lines = [f"| {part} | {ms:.2f} | {ms / whole:.0%} |" for ms, part in spent]
    head = [
        f"One more crawl, {OURS[0]}, with its parts timed:",
        "",
        "| part | CPU ms a page | share |",
        "| --- | --- | --- |",
    ]
    return "\n".join(["", *head, *lines, ""])


def _ratio(theirs: Measured, ours: Measured) -> float:
    return theirs.cpu_ms / ours.cpu_ms


def _spread(values: Sequence[float], digits: int) -> str:
    middle = f"{median(values):.{digits}f}"
    return f"{middle} ({min(values):.{digits}f} to {max(values):.{digits}f})" if len(values) > 1 else middle


def publish(path: Path, text: str) -> None:
    """Put the numbers between their marks in a page."""
    before, _, rest = path.read_text(encoding="utf-8").partition(FROM)
    after = rest.partition(TO)[2]
    told = marked(text, "make bench-speed", MEASURED)
    path.write_text(f"{before}{FROM}\n{told}\n{TO}{after}", encoding="utf-8")
