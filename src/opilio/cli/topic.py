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
from ..engine.topic import Said, gather, make
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
    str, typer.Argument(metavar="[LABELS]", help="judged pages: a CSV file, or a corpus folder with labels.csv")
]
Column = Annotated[str, typer.Option(help="the column with the labels; may be left out if there is only one")]
Positive = Annotated[
    str, typer.Option(help="the label of pages about the topic; may be left out if labels say yes or no")
]
Words = Annotated[str, typer.Option(help="what the pages should be about, in a few words")]
TextFile = Annotated[str, typer.Option(help="a text that says what the pages should be about")]
Examples = Annotated[list[str] | None, typer.Option(help="URL or file of a page about the topic; may be repeated")]
Pages = Annotated[Path | None, typer.Option("--corpus", help="folder with recorded pages, where URLs are looked for")]
Model = Annotated[str, typer.Option(help="the name of a model; auto picks the best that there is material for")]
Saved = Annotated[str, typer.Option(help="a model that was trained before; the rest is learned on top of it")]


@models.command()
def train(
    into: Annotated[Path, typer.Option("-o", help="the file to write the model to")],
    labels: Labels = "",
    label_column: Column = "",
    positive: Positive = "",
    topic: Words = "",
    topic_file: TextFile = "",
    example: Examples = None,
    pages: Pages = None,
    model: Model = "auto",
    topic_model: Saved = "",
) -> None:
    """Learn a topic from words, examples or judged pages, and save it as a file."""
    parse_model(model)
    said = Said(topic, topic_file, example or (), labels, label_column, positive)
    learned = make(model, _gathered(said, pages), topic_model)
    learned.save(into)
    say(f"relevance is judged by {learned.why}")
    print(into)


@models.command("test")
def try_out(
    labels: Labels,
    label_column: Column = "",
    positive: Positive = "",
    topic: Words = "",
    pages: Pages = None,
    model: Model = "auto",
    topic_model: Annotated[str, typer.Option(help="judge by this trained model as it is, not in folds")] = "",
    plot: Annotated[Path | None, typer.Option("-o", help="draw the reliability plot here, as SVG")] = None,
    as_json: AsJson = False,
) -> None:
    """Test a model on judged pages: in 5 folds, each page judged by a model that has not seen it."""
    parse_model(model)
    material = _gathered(Said(topic, labels=labels, label_column=label_column, positive=positive), pages)
    if topic_model:
        verdict = judged(Auto.load(Path(topic_model)), material)
    else:
        with progress("folds") as step:
            verdict = five_fold(model, material, lambda done: step(done, FOLDS, ""))
    if plot:
        write_file(plot, drawn({Path(topic_model).name or model: verdict}))
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


def _gathered(said: Said, pages: Path | None) -> Material:
    if not any((*said,)):
        raise ConfigError("nothing to learn from: give a file of labels, --topic WORDS, --topic-file or --example")
    fetcher = Corpus.open(pages).fetcher() if pages else None
    return asyncio.run(gather(said, fetcher, say))


def _print_verdict(verdict: Verdict, as_json: bool) -> None:
    hit, miss, false, calm = verdict.confusion
    counts = {"found": hit, "missed": miss, "wrongly_found": false, "rightly_left": calm}
    if as_json:
        print(json.dumps({"pages": len(verdict.said), **verdict.measures, **counts}))
        return
    names = {"f1": "F1", "auc": "ROC-AUC", "brier": "Brier"}
    print_pairs({names.get(name, name): f"{value:.4f}" for name, value in verdict.measures.items()})
    confusion = Table("", "said relevant", "said not", box=None)
    confusion.add_row("relevant", str(hit), str(miss))
    confusion.add_row("not relevant", str(false), str(calm))
    draw(confusion)


def _about(learned: Auto) -> dict[str, Any]:
    kept = learned.kept
    return {
        "model": type(learned.model).__name__.lower(),
        "why": learned.why,
        "said": kept.words,
        "examples_on_the_topic": len(kept.positives),
        "examples_off_the_topic": len(kept.negatives),
    }
