"""Topic models on their own: train one, test it, look into it."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from ..bench.corpus import Corpus
from ..bench.folds import FOLDS, Verdict, drawn, five_fold, judged
from ..bench.results import write as write_file
from ..engine.topic import TopicSettings, gather, make, saved
from ..errors import ConfigError
from ..nouns import Material
from ..registry import parse_model
from ..topics.models.auto import Auto
from .terminal import AsJson, draw, print_pairs, progress, say
from .topic_view import show_run, show_words

app = typer.Typer()
models = typer.Typer(no_args_is_help=True, help="Models of relevance: train one, test it, look into it.")
app.add_typer(models, name="topic")

Labels = Annotated[
    str,
    typer.Argument(
        metavar="[LABELS]",
        help="judged pages: a CSV file or a corpus folder; FILE:LABEL or FILE:COLUMN=LABEL where labels do not say yes or no",
    ),
]
Words = Annotated[str, typer.Option(help="what the pages should be about, in a few words")]
TextFile = Annotated[str, typer.Option(help="a text that says what the pages should be about")]
Examples = Annotated[list[str] | None, typer.Option(help="URL or file of a page about the topic; may be repeated")]
Pages = Annotated[Path | None, typer.Option("--corpus", help="folder with recorded pages, where URLs are looked for")]


@models.command()
def train(
    into: Annotated[Path, typer.Option("-o", help="the file to write the model to")],
    labels: Labels = "",
    topic: Words = "",
    topic_file: TextFile = "",
    example: Examples = None,
    pages: Pages = None,
    model: Annotated[
        str,
        typer.Option(help="the name of a model; a file that was trained before: the rest is learned on top of it"),
    ] = "auto",
) -> None:
    """Learn a topic from words, examples or judged pages, and save it as a file."""
    known = _known(model)
    learned = make(known or model, _gathered(TopicSettings(topic, topic_file, example or (), labels), pages))
    learned.save(into)
    say(f"relevance is judged by {learned.why}")
    print(into)


@models.command("test")
def try_out(
    labels: Labels,
    topic: Words = "",
    pages: Pages = None,
    model: Annotated[
        str, typer.Option(help="the name of a model; a file that was trained before judges as it is, not in folds")
    ] = "auto",
    plot: Annotated[Path | None, typer.Option("-o", help="draw the reliability plot here, as SVG")] = None,
    as_json: AsJson = False,
) -> None:
    """Test a model on judged pages: in 5 folds, each page judged by a model that has not seen it."""
    known = _known(model)
    material = _gathered(TopicSettings(topic, labels=labels), pages)
    if known:
        verdict = judged(known, material)
    else:
        with progress("folds") as step:
            verdict = five_fold(model, material, lambda done: step(done, FOLDS, ""))
    if plot:
        write_file(plot, drawn({Path(model).name: verdict}))
    _print_verdict(verdict, as_json)


@models.command()
def show(
    place: Annotated[
        Path,
        typer.Argument(metavar="RUN|MODEL", help="a run folder, or a file that `opilio topic train` wrote"),
    ],
    words: Annotated[int, typer.Option(min=1, help="how many words")] = 20,
    as_json: AsJson = False,
) -> None:
    """Say what a topic rests on: the words and pages that decide, the most doubtful pages, what an answer would change.

    Of a saved model: what it is, what it learned from, and the words.
    """
    if not place.is_file():
        show_run(place, words, as_json)
        return
    learned = Auto.load(place)
    about = _about(learned)
    weighty = learned.decisive(words)
    if as_json:
        print(json.dumps({**about, "words": dict(weighty)}, ensure_ascii=False))
        return
    for name, value in about.items():
        print(f"{name.replace('_', ' '):>9}  {value}")
    show_words(weighty)


def _known(model: str) -> Auto | None:
    """The model of a file; None for a name, which must be known."""
    if known := saved(model):
        return known
    parse_model(model)
    return None


def _gathered(given: TopicSettings, pages: Path | None) -> Material:
    if not any(given):
        raise ConfigError("nothing to learn from: give a file of labels, --topic WORDS, --topic-file or --example")
    fetcher = Corpus.open(pages).fetcher() if pages else None
    return asyncio.run(gather(given, fetcher, say))


def _print_verdict(verdict: Verdict, as_json: bool) -> None:
    hit, miss, false, calm = verdict.confusion
    counts = {"found": hit, "missed": miss, "wrongly_found": false, "rightly_left": calm}
    if as_json:
        print(json.dumps({"pages": len(verdict.scores), **verdict.measures, **counts}))
        return
    names = {"f1": "F1", "auc": "ROC-AUC", "brier": "Brier"}
    print_pairs({names.get(name, name): f"{value:.4f}" for name, value in verdict.measures.items()})
    confusion = Table("", "judged relevant", "judged not", box=None)
    confusion.add_row("relevant", str(hit), str(miss))
    confusion.add_row("not relevant", str(false), str(calm))
    draw(confusion)


def _about(learned: Auto) -> dict[str, Any]:
    kept = learned.kept
    return {
        "model": type(learned.model).__name__.lower(),
        "why": learned.why,
        "words": kept.words,
        "examples_on_the_topic": len(kept.positives),
        "examples_off_the_topic": len(kept.negatives),
    }
