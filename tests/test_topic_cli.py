"""`opilio topic`, and every form in which a crawl takes its topic: what it makes, and a sentence for what it cannot use."""

from __future__ import annotations

import csv
import json
import signal
import sqlite3
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from opilio.cli.commands import run
from opilio.codec import unpack
from opilio.engine import labelled_pages
from opilio.model_file import MAGIC
from opilio.store.warc import index
from opilio.synth.corpus import write
from opilio.synth.web import Web
from opilio.topics.models.auto import Auto
from opilio.topics.models.svm import Svm

from .test_topics import BEES, BOATS, FILLER, TRAINS, page

Opilio = Callable[..., "Said"]


class Said(tuple[int, str, str]):
    """Exit code, stdout, stderr."""

    @property
    def sentence(self) -> str:
        return self[2].strip()


@pytest.fixture
def opilio(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Opilio:
    def said(*words: object) -> Said:
        monkeypatch.setattr(sys, "argv", ["opilio", *map(str, words)])
        before = signal.getsignal(signal.SIGINT)
        try:
            code = run()
        finally:
            signal.signal(signal.SIGINT, before)  # `run` is the end of a program: it lets no Ctrl-C in after it
        return Said((code, *capsys.readouterr()))

    return said


def html(subject: Sequence[str], number: int) -> str:
    one = page(subject, number)
    return f"<html><title>{one.title}</title><body><p>{one.text}</p></body></html>"


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    """A CSV with all three ways to name a page: text, file; 12 on bees, 12 on boats and trains."""
    rows = []
    for number in range(12):
        for subject, label in ((BEES, "bees"), (BOATS if number % 2 else TRAINS, "other")):
            name = f"{label}{number}.html"
            (tmp_path / name).write_text(html(subject, number))
            rows.append(["", name, label] if number % 3 else [page(subject, number).text, "", label])
    return table(tmp_path / "labels.csv", ["text", "file", "kind"], rows)


def table(path: Path, header: list[str], rows: Sequence[Sequence[str]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([header, *rows])
    return path


def test_train_show_and_test(opilio: Opilio, labels: Path, tmp_path: Path) -> None:
    model = tmp_path / "bees.model"
    code, out, err = opilio("topic", "train", f"{labels}:bees", "-o", model)
    assert (code, out.strip()) == (0, str(model))
    assert "contrast of 12 examples and 12 pages off the topic with the web at large" in err
    learned = Auto.load(model)
    assert learned.page(page(BEES, 70)) > 0.5 > learned.page(page(BOATS, 70))

    told = json.loads(opilio("topic", "show", model, "--json")[1])
    assert told["model"] == "contrast"
    assert told["examples_on_the_topic"] == 12
    best = max(told["words"], key=told["words"].get)
    assert any(word.startswith(best[:4]) for word in BEES)
    shown = opilio("topic", "show", model, "--words", 6)[1]
    assert "speaks against it" in shown
    assert best in shown

    again = json.loads(opilio("topic", "test", f"{labels}:bees", "--model", model, "--json")[1])
    assert again["found"] == 12


def test_five_folds_with_every_measure_and_a_plot(opilio: Opilio, labels: Path, tmp_path: Path) -> None:
    words = ("topic", "test", f"{labels}:bees", "--model", "svm", "-o", tmp_path / "plot.svg")
    code, out, _ = opilio(*words)
    assert code == 0
    for name in ("precision", "recall", "F1", "ROC-AUC", "Brier", "judged relevant", "not relevant"):
        assert name in out
    told = json.loads(opilio(*words, "--json")[1])
    assert told["pages"] == told["found"] + told["missed"] + told["wrongly_found"] + told["rightly_left"] == 24
    assert told["precision"] == told["found"] / (told["found"] + told["wrongly_found"])
    assert told["auc"] > 0.9
    assert 0 < told["brier"] < 0.25
    assert ElementTree.parse(tmp_path / "plot.svg").getroot().tag.endswith("svg")


def test_labels_that_say_yes_or_no_need_no_more_words(opilio: Opilio, tmp_path: Path) -> None:
    rows = [[page(subject, n).text, said] for n in range(6) for subject, said in ((BEES, "Yes"), (BOATS, "no"))]
    path = table(tmp_path / "l.csv", ["text", "relevant"], [*rows, ["not judged yet", ""]])
    assert opilio("topic", "train", path, "-o", tmp_path / "m")[0] == 0
    assert len(Auto.load(tmp_path / "m").kept.positives) == 6


def test_all_forms_together_and_on_top_of_a_saved_model(opilio: Opilio, labels: Path, tmp_path: Path) -> None:
    (tmp_path / "about.txt").write_text("bees gather nectar and pollen")
    first, second = tmp_path / "first", tmp_path / "second"
    assert opilio("topic", "train", "--topic", "honey", "-o", first)[0] == 0
    forms = [
        "--topic-file",
        tmp_path / "about.txt",
        "--example",
        tmp_path / "bees1.html",
        "--example",
        tmp_path / "bees2.html",
    ]
    assert opilio("topic", "train", "--model", first, *forms, "-o", second)[0] == 0
    grown = Auto.load(second)
    assert "contrast of the words and 2 examples with" in grown.why
    assert grown.kept.words == "honey bees gather nectar and pollen"
    assert opilio("topic", "train", f"{labels}:kind=bees", "--model", second, "-o", first)[0] == 0
    whole = Auto.load(first)
    assert "12 pages off the topic with" in whole.why
    assert (len(whole.kept.positives), len(whole.kept.negatives)) == (12, 12)  # two of the examples have labels, too


def test_a_model_that_was_asked_for_is_asked_for_again(opilio: Opilio, labels: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    assert opilio("topic", "train", f"{labels}:bees", "--model", "svm", "-o", first)[0] == 0
    more = ("--model", first, "--example", tmp_path / "bees1.html")
    assert opilio("topic", "train", *more, "-o", second)[0] == 0
    assert isinstance(Auto.load(second).model, Svm)


@pytest.mark.slow
def test_a_corpus_folder_is_a_set_of_labels(opilio: Opilio, web: Path, tmp_path: Path) -> None:
    words = ("topic", "train", f"{web}:topic=arts", "-o", tmp_path / "m")
    assert opilio(*words)[0] == 0  # whatever is below arts counts as well
    told = json.loads(opilio("topic", "show", tmp_path / "m", "--json")[1])
    rows = [line.split(",")[1] for line in (web / "labels.csv").read_text().splitlines()[1:]]
    on = sum(row.startswith("arts/") for row in rows)
    assert on > 0
    assert told["examples_on_the_topic"] == on
    assert told["examples_off_the_topic"] == sum(map(bool, rows)) - on
    url = next(entry.url for entry in index(next(web.glob("*.warc.gz"))) if entry.status == 200)
    assert opilio("topic", "train", "--example", url, "--corpus", web, "-o", tmp_path / "m")[0] == 0


def test_a_huge_set_is_sampled_the_same_each_time(
    opilio: Opilio, labels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(labelled_pages, "MOST", 7)
    for name in ("one", "two"):
        assert opilio("topic", "train", f"{labels}:bees", "-o", tmp_path / name)[0] == 0
    one, two = (Auto.load(tmp_path / name).kept for name in ("one", "two"))
    assert (len(one.positives), len(one.negatives)) == (7, 7)
    assert one == two


MISTAKES = [
    (
        "unknown label",
        ":beez",
        [],
        2,
        'column kind: label "beez" is not known; did you mean "bees"? (bees, other)',
    ),
    ("labels that are no yes", "", [], 2, 'labels.csv, line 2: label "bees" is not known; write yes or no'),
    ("unknown column", ":knd=bees", [], 2, 'line 1: column "knd" is not known; did you mean "kind"?'),
    (
        "unknown model",
        ":bees",
        ["--model", "linnear"],
        2,
        'model "linnear" is not known; did you mean "linear"?',
    ),
    ("setting of a model", ":bees", ["--model", "svm(c=1)"], 2, 'model svm: setting "c" is not known'),
    (
        "no such example",
        ":bees",
        ["--example", "gone.html"],
        2,
        'example "gone.html": this is not an http(s) URL and there is no such file',
    ),
    (
        "example to fetch",
        ":bees",
        ["--example", "http://a.example/"],
        2,
        "it has to be fetched; name the folder",
    ),
    ("no such text", ":bees", ["--topic-file", "gone.txt"], 4, "gone.txt: cannot be read"),
    ("no saved model", ":bees", ["--model", __file__], 4, "this is not a saved model"),
]


@pytest.mark.parametrize(
    ("which", "words", "code", "said"), [row[1:] for row in MISTAKES], ids=[row[0] for row in MISTAKES]
)
def test_a_mistake_is_a_sentence_and_no_file(
    which: str, words: list[str], code: int, said: str, opilio: Opilio, labels: Path, tmp_path: Path
) -> None:
    answer = opilio("topic", "train", f"{labels}{which}", *words, "-o", tmp_path / "never")
    assert answer[0] == code
    assert said in answer.sentence
    assert answer.sentence.count("\n") == 0
    assert not (tmp_path / "never").exists()


TABLES = {
    "nothing but a header": (["text", "kind"], [], 4, "no row has a label in column kind"),
    "no page named": (["name", "kind"], [["a", "yes"]], 4, "line 1: no column names the pages"),
    "two columns of labels": (
        ["text", "a", "b"],
        [["honey", "yes", "no"]],
        2,
        "which column has the labels? (there are a, b)",
    ),
    "a row too short": (["text", "kind"], [["honey"]], 4, "line 2: 1 fields, not 2 as in line 1"),
    "an empty page": (["text", "kind"], [["", "yes"]], 4, "line 2: the row names no page"),
    "one class only": (["text", "kind"], [["honey hive", "no"]] * 6, 2, "the topic is empty"),
    "pages without words": (["text", "kind"], [["...", "yes"]] * 6, 2, "there is no text in it"),
    "no fetcher": (
        ["url", "kind"],
        [["http://a.example/", "yes"]],
        2,
        "name the folder where it is recorded with --corpus DIR",
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_that_is_no_use_is_a_sentence(name: str, opilio: Opilio, tmp_path: Path) -> None:
    header, rows, code, said = TABLES[name]
    answer = opilio("topic", "train", table(tmp_path / "l.csv", header, rows), "-o", tmp_path / "never")
    assert (answer[0], said in answer.sentence) == (code, True), answer.sentence
    assert not (tmp_path / "never").exists()


def test_too_few_pages_for_five_folds(opilio: Opilio, tmp_path: Path) -> None:
    path = table(tmp_path / "l.csv", ["text", "kind"], [["honey hive", "yes"], ["mast", "no"]] * 4)
    answer = opilio("topic", "test", path)
    assert answer[0] == 2
    assert "needs 5 pages of each kind, and there are 4 pages on the topic and 4 off it" in answer.sentence
    assert opilio("topic", "train", "-o", tmp_path / "m")[0] == 2
    assert opilio("topic", "train", "--topic", "of the", "-o", tmp_path / "m")[0] == 2
    assert not (tmp_path / "m").exists()


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("topic") / "web"
    write(Web(600, 2), folder)
    return folder


@pytest.mark.slow
def test_a_crawl_takes_every_form_and_keeps_its_topic(opilio: Opilio, web: Path, labels: Path, tmp_path: Path) -> None:
    (tmp_path / "about.txt").write_text("bees gather nectar and pollen for honey")
    model, run = tmp_path / "m", tmp_path / "run"
    assert opilio("topic", "train", "--topic", "beekeeping", "-o", model)[0] == 0
    forms = ["--topic", "bees", "--topic-file", tmp_path / "about.txt", "--example", tmp_path / "bees1.html"]
    forms += ["--labels", f"{labels}:bees", "--model", model]
    code, _, err = opilio("crawl", "--corpus", web, *forms, "--max-pages", 60, "--out", run)
    assert code == 0, err
    assert "relevance is judged by contrast of the words, 12 examples and 12 pages off the topic with" in err
    assert Auto.load(run / "topic.model").kept.words.startswith("beekeeping bees")
    for path in (labels, model, tmp_path / "about.txt", tmp_path / "bees1.html"):
        path.unlink()  # what was learned does not hang on them
    code, _, err = opilio("resume", run, "--max-pages", 90)
    assert code == 0, err
    assert "relevance is judged by contrast of the words, 12 examples and 12 pages off the topic with" in err


def test_seeds_are_places_to_start(opilio: Opilio, web: Path, labels: Path, tmp_path: Path) -> None:
    words, seed = tmp_path / "words", (web / "labels.csv").read_text().split()[1].partition(",")[0]
    assert opilio("topic", "train", "--topic", "beekeeping", "-o", words)[0] == 0
    none = table(tmp_path / "none.csv", ["text", "kind"], [[page(BOATS, n).text, "no"] for n in range(3)])
    for number, (forms, example) in enumerate(((("--model", words), False), (("--labels", none), True))):
        run = tmp_path / f"run{number}"
        code, _, err = opilio("crawl", "--corpus", web, "--seed", seed, *forms, "--max-pages", 5, "--out", run)
        assert code in (0, 5), err  # 5: none of the few is relevant
        kept = Auto.load(run / "topic.model").kept
        assert (len(kept.positives), len(kept.around)) == ((1, 0) if example else (0, 1))
        assert ("the seeds count as examples, since there is nothing else" in err) == example


def test_an_example_that_is_a_seed_counts_once(opilio: Opilio, web: Path, tmp_path: Path) -> None:
    seed = (web / "labels.csv").read_text().split()[1].partition(",")[0]
    forms = ("--seed", seed, "--example", seed, "--example", seed)
    code, _, err = opilio("crawl", "--corpus", web, *forms, "--max-pages", 5, "--out", tmp_path / "run")
    assert code == 0, err
    assert "contrast of 1 example with" in err


def test_a_crawl_that_adapts_keeps_what_it_learned(opilio: Opilio, web: Path, tmp_path: Path) -> None:
    words = ("crawl", "--corpus", web, "--topic", "pottery clay", "--out", tmp_path / "run")
    assert opilio(*words, "--max-pages", 60)[0] in (0, 5)  # 5: nothing relevant yet
    before = int(state(tmp_path / "run", "topic seen_"))
    assert before > 30
    assert opilio("resume", tmp_path / "run", "--max-pages", 90)[0] in (0, 5)
    seen = int(state(tmp_path / "run", "topic seen_"))
    assert before < seen <= 90
    assert len(state(tmp_path / "run", "topic sample_")) == seen


def state(run: Path, name: str) -> Any:
    db = sqlite3.connect(run / "state.db")
    (data,) = db.execute("SELECT data FROM state WHERE name = ?", (name,)).fetchone()
    db.close()
    return unpack(data)


def test_what_is_written_is_ours(opilio: Opilio, tmp_path: Path) -> None:
    opilio("topic", "train", "--topic", " ".join(FILLER[-3:]) + " honey", "-o", tmp_path / "m")
    assert (tmp_path / "m").read_bytes().startswith(MAGIC)


def test_a_crawl_says_what_it_understood(opilio: Opilio, web: Path, tmp_path: Path) -> None:
    urls = [entry.url for entry in index(next(web.glob("*.warc.gz"))) if entry.status == 200][:2]
    (tmp_path / "copy.html").write_text(html(BEES, 1))
    (tmp_path / "other.html").write_text(html(BEES, 1).replace("<p>", "<p>again "))
    files = ["--example", tmp_path / "copy.html", "--example", tmp_path / "other.html"]
    named = ["--example", urls[0], "--example", urls[0], "--example", "http://gone.example/", *files, "--seed", urls[0]]
    said = opilio(
        "crawl", "--corpus", web, "--topic", "about the bees", *named, "--max-pages", 5, "--out", tmp_path / "o"
    )[2]
    assert "looking for pages with the words bees (about, the do not count)" in said
    assert f"example {urls[0]}: it is named twice; it counts once" in said
    assert "example http://gone.example/: cannot be fetched" in said
    assert f"other.html: it says the same as {(tmp_path / 'copy.html').as_uri()}; it counts once" in said
    assert f"example {urls[0]}: it is a seed, too" in said
    assert "contrast of the words and 2 examples with" in said
    assert "starting from 1 seed;" in said


def test_a_crawl_needs_one_example_that_is_there(opilio: Opilio, web: Path, tmp_path: Path) -> None:
    code, _, said = opilio("crawl", "--corpus", web, "--example", "http://gone.example/", "--out", tmp_path / "o")
    assert (code, "example http://gone.example/: cannot be fetched" in said) == (2, True)
    assert not (tmp_path / "o").exists()


@pytest.mark.parametrize(
    ("strategy", "model", "judges"),
    [
        ("otie", "", "svm"),
        ("link-context", "", "svm"),
        ("genre", "", "multinomial"),
        ("otie-plus", "", "contrast"),
        ("otie", "auto", "contrast"),
        ("otie-plus", "svm", "svm"),
    ],
)
def test_a_crawl_judges_by_the_model_of_its_method_unless_one_is_named(
    strategy: str, model: str, judges: str, opilio: Opilio, web: Path, labels: Path, tmp_path: Path
) -> None:
    named = ["--model", model] if model else []
    words = ["--labels", f"{labels}:bees", "--strategy", strategy, *named, "--max-pages", 5, "--out", tmp_path / "run"]
    code, _, err = opilio("crawl", "--corpus", web, *words)
    assert code in (0, 5), err  # 5: none of the few is relevant
    topic = Auto.load(tmp_path / "run" / "topic.model")
    assert type(topic.model).__name__.lower() == judges
    assert topic.asked == (judges != "contrast")  # such a model learns nothing from the pages of a crawl, as printed
    assert "judges by auto" not in err


def test_words_alone_are_not_enough_for_the_model_of_a_method(opilio: Opilio, web: Path, tmp_path: Path) -> None:
    said = ["--topic", "bees", "--strategy", "otie(a=1)", "--max-pages", 5, "--out", tmp_path / "run"]
    code, _, err = opilio("crawl", "--corpus", web, *said)
    assert code in (0, 5), err
    sentence = "model svm learns from pages on and off the topic, and there are 0 positive ones (at least 2)"
    assert f"{sentence}; so otie judges by auto" in " ".join(err.split())
    code, _, err = opilio("crawl", "--corpus", web, *said[:-1], tmp_path / "other", "--model", "svm")
    assert (code, "add some, or take model auto" in err) == (2, True)  # it was asked for by name
