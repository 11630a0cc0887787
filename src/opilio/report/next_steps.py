"""What one can do with a crawl that has ended, as commands: the same on a terminal and in a report."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import Any


def next_steps(folder: Path, figures: dict[str, Any], is_judged: bool) -> list[tuple[str, str]]:
    """Commands, each with what it does."""
    name, why = quote(str(folder)), str(figures["why"] or "")
    steps = [
        (f"opilio report {name}", "what it did, as a page to look at"),
        (f"opilio search {name} WORDS", "look for something in it"),
    ]
    if is_judged:
        steps.append((f"opilio label {name}", "say yes or no to pages that it is unsure of"))
    steps.append((f"opilio export {name}", "tables for other programs"))
    if figures["open_urls"] and why != "nothing left to fetch":
        more = f" --max-pages {2 * figures['pages']}" if why.startswith("page limit") else ""
        steps.append((f"opilio resume {name}{more}", f"continue: {figures['open_urls']:,} URLs are waiting"))
    return steps
