"""Judge the pages that a crawl is least sure of; its topic and its frontier follow."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from ..engine.labels import Doubtful, add_label, doubtful, excerpt, labels
from ..engine.run import configured
from ..start import made
from ..store.lock import is_running
from .terminal import AsJson, RunFolder, draw, printable, say

ANSWERS = {"y": True, "yes": True, "n": False, "no": False}
app = typer.Typer()


@app.command()
def label(
    folder: RunFolder,
    most: Annotated[int, typer.Option("-n", min=1, help="how many pages to ask about")] = 10,
    yes: Annotated[
        list[str] | None, typer.Option(metavar="URL", help="this page is about the topic; no questions")
    ] = None,
    no: Annotated[list[str] | None, typer.Option(metavar="URL", help="this page is not; no questions")] = None,
    as_json: AsJson = False,
) -> None:
    """Show the pages that the topic is least sure of, take yes or no, and learn from that.

    A crawl that runs follows by itself within seconds. With --json the pages are printed and nothing is asked.
    """
    if as_json:
        print(json.dumps([page._asdict() for page in doubtful(folder, most)], ensure_ascii=False))
        return
    before = labels(folder)
    for url, relevant in [*((url, True) for url in yes or ()), *((url, False) for url in no or ())]:
        add_label(folder, url, relevant)
    if not (yes or no):
        _ask(folder, most)
    if yes or no or labels(folder) != before:
        _follow(folder)


def _ask(folder: Path, most: int) -> None:
    skipped: set[str] = set()
    for count in range(1, most + 1):
        page = next((page for page in doubtful(folder, most + len(skipped)) if page.url not in skipped), None)
        if page is None:
            say("no page is left to ask about")
            return
        draw(_shown(folder, page, count, most))
        word = _answer()
        if word.startswith("q"):
            return
        if word in ANSWERS:
            add_label(folder, page.url, ANSWERS[word])
        else:
            skipped.add(page.url)


def _answer() -> str:
    """What the user says; who says nothing more is done."""
    question = "about the topic? [y]es, [n]o, [s]kip, [q]uit"
    try:
        return str(typer.prompt(question, default="s", show_default=False, err=True)).strip().lower()
    except typer.Abort:  # the end of the input: Ctrl-C does not come this way
        return "q"


def _shown(folder: Path, page: Doubtful, count: int, most: int) -> Text:
    head = f"\n{count} of {most}: {printable(page.title) or '(no title)'}"
    told = f"  relevance {page.relevance:.2f}"
    return Text.assemble((head, "bold"), told, "\n", (page.url, "cyan"), "\n", printable(excerpt(folder, page.number)))


def _follow(folder: Path) -> None:
    if is_running(folder):
        say("the crawl that runs learns from this now")
        return
    run = made(folder, configured(folder), remark=say)
    try:
        run.follow_labels()
        why = run.topic.why if run.topic else ""
    finally:
        run.close()
    say(f"learned; relevance is judged by {why}" if why else "noted; this crawl has no topic to learn")
