"""Writes the parts of the docs that follow from the code: `make docs`. A test fails when they are out of date."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from opilio.cli.commands import app
from opilio.config import SCRAPY, Config, groups, schema

FOLDER = Path(__file__).parent


def commands(command: Any, name: str) -> Iterator[str]:
    """One section a command, with its arguments and options."""
    if hasattr(command, "commands"):
        for key in command.list_commands(None):
            yield from commands(command.get_command(None, key), f"{name} {key}")
        return
    arguments = [p.metavar or p.name.upper() for p in command.params if p.param_type_name == "argument"]
    yield f"## {name}\n\n{(command.help or '').strip()}\n\n    {' '.join([name, *arguments, '[OPTIONS]'])}\n"
    options = [p for p in command.params if p.param_type_name == "option" and "--help" not in p.opts]
    if options:
        yield "| option | meaning | default |\n| --- | --- | --- |\n" + "".join(map(option, options))


def option(p: Any) -> str:
    default = "" if p.default in (None, False) or callable(p.default) else f"`{p.default}`"
    return f"| `{', '.join(p.opts)}` | {p.help or ''} | {default} |\n"


def cli() -> str:
    head = (
        "# The command line\n\nMade by `make docs` from the code.\n\nstdout carries results, stderr progress and messages; "
        "progress bars appear only on a terminal. Exit codes: 0 done (a crawl that has fetched its `max_pages` is done); "
        "1 a fault of ours, or nothing could be fetched; 2 wrong usage or configuration; 3 stopped by a limit of time or bytes; "
        "4 a corpus, run folder or file cannot be read; 5 pages were fetched, but none is about the topic; "
        "130 interrupted, with the state safe.\n"
    )
    return head + "\n" + "\n".join(commands(typer.main.get_command(app), "opilio"))


def config() -> str:
    head = (
        "# Configuration\n\nMade by `make docs` from the code. One flat TOML file, `opilio crawl CONFIG.toml`; any setting can "
        "be given on the command line too, as `-s key=value`, or in the environment, as `OPILIO_MAX_PAGES=500` for `max_pages`; "
        "the command line goes before the environment, and that before the file. `opilio config init` writes a file with all of "
        "them, `check` "
        "says what is wrong with one, `show` how it is understood; `opilio config` alone prints the defaults;"
        " `schema` prints [config.schema.json](config.schema.json), "
        "with which editors check and complete a file. The last column is what Scrapy calls a setting, or its nearest one.\n"
    )
    return head + "".join(group(title, names) for title, names in groups())


def group(title: str, names: list[str]) -> str:
    rows = "\n".join(setting(name, Config.model_fields[name]) for name in names)
    return f"\n## {title}\n\n| setting | default | meaning | in Scrapy |\n| --- | --- | --- | --- |\n{rows}\n"


def setting(name: str, field: Any) -> str:
    scrapy = f"`{SCRAPY[name]}`" if name in SCRAPY else ""
    return f"| `{name}` | `{field.default!r}` | {field.description} | {scrapy} |"


def json_schema() -> str:
    return json.dumps(schema(), indent=2) + "\n"


# Programs of the README, with the strategy of ours that chooses pages as they do unless told otherwise.
PEERS = {
    "Opilio": (
        ("blend", "link-context-plus"),
        "topic, links and site structure: all signals together, or one strategy by name",
        "goes on after kill -9, with the same trace",
    ),
    "Scrapy": ((), "integer priorities that a spider sets", "goes on with a JOBDIR, if it was stopped cleanly"),
    "Heritrix": (
        ("breadth-first",),
        "generally breadth-first, with precedence policies",
        "goes on from the last checkpoint",
    ),
    "Nutch": (
        ("opic",),
        "scoring filters such as OPIC, from one generated batch to the next",
        "goes on from the last finished batch",
    ),
    "Crawl4AI": (
        ("best-first",),
        "keywords in a URL (best-first), or a query (adaptive)",
        "goes on from a saved state",
    ),
}
BEGIN, END = "<!-- compared: docs/generate.py, from docs/leaderboard.json -->\n", "<!-- end -->\n"


def readme() -> str:
    """The README with the figures of the leaderboard in its table."""
    text = (FOLDER.parent / "README.md").read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    return before + BEGIN + compared() + END + rest.split(END)[1]


def compared() -> str:
    """A row for each program; the share is that of topics, over all corpora of the leaderboard."""
    rows = json.loads((FOLDER / "leaderboard.json").read_text(encoding="utf-8"))["standings"]
    shares = {row["strategy"]: row["pages"]["share"] for row in rows if row["kind"] == "topic"}
    head = "| | chooses the next page by | of what an oracle finds | after a stop |\n| --- | --- | ---: | --- |\n"
    lines = []
    for program, (strategies, chooses, stop) in PEERS.items():
        known = [name for name in strategies if name in shares]
        share = f"{shares[known[0]]:.0%} ({known[0]})" if known else ""
        lines.append(f"| {program} | {chooses} | {share} | {stop} |\n")
    return f"\n{head}{''.join(lines)}\n"


PAGES = {"cli.md": cli, "config.md": config, "config.schema.json": json_schema, "../README.md": readme}

if __name__ == "__main__":
    for name, make in PAGES.items():
        (FOLDER / name).write_text(make(), encoding="utf-8")
