"""Judge pages of a crawl: those where an answer teaches most are asked for, and each answer says what it changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from ..engine.labels import add_label, excerpt, labels, take_back
from ..engine.questions import Question
from ..engine.teaching import Change, Teaching
from ..start import learn_labels
from .terminal import AsJson, RunFolder, draw, printable, say

ANSWERS = {"y": True, "yes": True, "n": False, "no": False}
UNDO, QUIT = ("u", "undo"), ("q", "quit")
ASK = "about the topic? [y]es, [n]o, [s]kip, [u]ndo, [q]uit"
NAMED = 3  # pages that are named after an answer
TITLE = 40  # letters of a title
app = typer.Typer()

Urls = list[str] | None


@app.command()
def label(
    folder: RunFolder,
    most: Annotated[int, typer.Option("-n", min=1, help="how many answers to ask for")] = 10,
    yes: Annotated[Urls, typer.Option(metavar="URL", help="this page is about the topic; no questions")] = None,
    no: Annotated[Urls, typer.Option(metavar="URL", help="this page is not; no questions")] = None,
    undo: Annotated[Urls, typer.Option(metavar="URL", help="take back the last label of this page")] = None,
    as_json: AsJson = False,
) -> None:
    """Show pages where an answer teaches most, take yes or no, say what that changed, and learn from it.

    A crawl that runs follows by itself within seconds. With --json the pages are printed and nothing is asked.
    """
    if as_json:
        print(json.dumps([page._asdict() for page in Teaching(folder).questions()[:most]], ensure_ascii=False))
        return
    before = labels(folder)
    for url in undo or ():
        take_back(folder, url)
    for url, relevant in [*((url, True) for url in yes or ()), *((url, False) for url in no or ())]:
        add_label(folder, url, relevant)
    is_answered = bool(yes or no or undo)
    if not is_answered:
        Asking(folder, most).go()
    if is_answered or labels(folder) != before:
        say(str(learn_labels(folder) or "the crawl that runs learns from this now"))


class Asking:
    """A person in front of a terminal, and the topic that learns from them."""

    def __init__(self, folder: Path, most: int) -> None:
        self.folder, self.most = folder, most
        self.teaching = Teaching(folder)
        self.answered: list[str] = []  # URLs, the last one last
        self.skipped: set[str] = set()

    def go(self) -> None:
        draw(self._topic())
        while len(self.answered) < self.most:
            page = next(iter(self.teaching.questions(self.skipped)), None)
            if page is None:
                say("no page is left to ask about")
                return
            draw(self._shown(page))
            word = _answer()
            if word in QUIT:
                return
            self._take(page, word)

    def _take(self, page: Question, word: str) -> None:
        if word in UNDO:
            self._undo()
        elif word in ANSWERS:
            add_label(self.folder, page.url, ANSWERS[word])
            self.answered.append(page.url)
            _tell(self.teaching.answer(page.url, ANSWERS[word]))
        else:
            self.skipped.add(page.url)

    def _undo(self) -> None:
        if not self.answered:
            say("there is nothing to take back: no answer was given yet")
            return
        url = self.answered.pop()
        take_back(self.folder, url)
        say(f"taken back: {url}")
        _tell(self.teaching.answer(url, labels(self.folder).get(url)))

    def _topic(self) -> Text:
        topic = self.teaching.topic
        words = printable(topic.given.kept.words) or "(no words: as the examples)"
        count = f"relevant pages now: {self.teaching.relevant:,}"
        return Text.assemble(("topic: ", "bold"), words, f"\njudged by {topic.why}\n{count}")

    def _shown(self, page: Question) -> Text:
        head = f"\n{len(self.answered) + 1} of {self.most}: {printable(page.title) or '(no title)'}"
        judged = f"  relevance {page.relevance:.2f}, {page.why} page"
        text = printable(excerpt(self.folder, page.number))
        return Text.assemble((head, "bold"), judged, "\n", (page.url, "cyan"), "\n", text)


def _answer() -> str:
    """What the user says; who says nothing more is done."""
    try:
        return str(typer.prompt(ASK, default="s", show_default=False, err=True)).strip().lower()
    except typer.Abort:  # the end of the input: Ctrl-C does not come this way
        return QUIT[0]


def _tell(change: Change) -> None:
    """What an answer changed."""
    say(f"  {change}")
    for what, pages in (("now relevant", change.gained), ("no longer", change.lost)):
        if pages:
            say(f"  {what}: {', '.join(printable(page.title)[:TITLE] or page.url for page in pages[:NAMED])}")
