"""What kind of page it is: words, features, the forest, the shipped model, the commands."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from typer.testing import CliRunner

from opilio.cli.commands import app
from opilio.errors import ConfigError, UnreadableError
from opilio.fetchers.to_page import answered
from opilio.nouns import Link, Offer, Page
from opilio.report.genres import classify, labelled, made_up, of_a_web, train
from opilio.store.warc_records import response_record
from opilio.strategies.genre import forest as forests
from opilio.strategies.genre.features import FURTHER, NINE, all_features, dates, matrix, nine
from opilio.strategies.genre.forest import Forest
from opilio.strategies.genre.model import GENRES, SHIPPED, guess, learn, model
from opilio.strategies.genre.word_counts import KINDS, counts, lists
from tests import tiny_corpus

URL = "http://www.paper.example/today"
DATE = "2020-01-01T00:00:00Z"


def page(html: str, url: str = URL) -> Page:
    return answered(Offer(Link(url)), 200, {"content-type": "text/html; charset=utf-8"}, html.encode())


def found(text: str) -> dict[str, int]:
    return {kind: count for kind, count in zip(KINDS, counts(text.encode()), strict=True) if count}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("News of the day: more news, NEWS!", {"news": 3}),
        ("newsletter", {}),
        ("BLOGS, Xblog, FotoX, BildX", {"blog": 1, "image": 1}),
        ("a weblog, a blogger and two blogs", {"blog": 3}),
        ("Videos und Bilder, aber keine Bildung", {"video": 1, "image": 1}),
        ("les actualités, une vidéo", {"news": 1, "video": 1}),
        ("noticias e imágenes", {"news": 1, "image": 1}),
        ("毎日のブログと動画、写真、新聞のニュース", {"blog": 1, "video": 1, "image": 1, "news": 2}),
        ("新闻视频和图片博客", {"news": 1, "video": 1, "image": 1, "blog": 1}),
        ("", {}),
        ("abc", {}),
    ],
)
def test_words_of_all_languages_are_counted(text: str, expected: dict[str, int]) -> None:
    assert found(text) == expected


def test_every_word_of_every_list_is_found() -> None:
    for genres in lists().values():
        assert set(genres) == set(KINDS)
        for kind, words in genres.items():
            for word in words:
                assert found(f"- {word.removesuffix('*').replace('_', ' ')} -") == {kind: 1}


def test_there_are_lists_for_the_languages_promised() -> None:
    assert {"en", "de", "ja", "zh", "fr", "es"} <= set(lists())


def test_the_nine_numbers_of_a_page() -> None:
    html = (
        '<p>news news blog video image</p><a href="/a">x</a><a href="http://sport.paper.example/b">y</a>'
        '<a href="http://else.example/">z</a><img><img><video></video><object><embed></object>'
    )
    shown = page(html)
    numbers = dict(zip(NINE, nine(shown), strict=True))
    assert numbers == {
        "text length": len(shown.text), "internal links": 2, "external links": 1, "video words": 1, "media": 3,
        "image words": 1, "images": 2, "blog words": 1, "news words": 2,
    }  # fmt: skip


def test_further_numbers() -> None:
    html = (
        '<head><meta property="og:type" content="article"><script type="application/ld+json">'
        '{"@graph": [{"@type": "NewsArticle"}, {"@type": "Person"}]}</script></head>'
        '<div itemscope itemtype="https://schema.org/BlogPosting"><time>1.2.2003</time><ul><li>one</li></ul></div>'
    )
    numbers = dict(zip((*NINE, *FURTHER), all_features(page(html)), strict=True))
    assert [numbers[f"says {kind}"] for kind in ("news", "blog", "image", "video", "article")] == [1, 1, 0, 0, 1]
    assert numbers["dates"] == 2  # the date, and that it is marked as one
    assert numbers["in lists"] == 0.5


@pytest.mark.parametrize(
    ("text", "expected"),
    [("2004-05-31", 1), ("31.5.2004, 5/31/04", 2), ("3.14 and 1-2", 0), ("2004年", 1), ("", 0), ("-", 0)],
)
def test_dates_are_counted(text: str, expected: int) -> None:
    assert dates(text.encode()) == expected


def test_pages_without_anything_have_numbers_too() -> None:
    failed = Page(Offer(Link(URL)), URL, error="timeout")
    assert nine(failed) == [0.0] * len(NINE)
    assert all_features(failed) == [0.0] * (len(NINE) + len(FURTHER))


def test_the_forest_says_what_scikit_learn_says() -> None:
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 50, size=(300, 4)).astype(np.float32)
    labels = [("a", "b", "c")[int(row[0] > 20) + int(row[1] > 30)] for row in rows]
    grown = Forest.learn(rows, labels, ("a", "b", "c"), seed=3)
    theirs = RandomForestClassifier(
        forests.TREES,
        max_depth=forests.DEEPEST,
        min_samples_leaf=forests.LEAST,
        class_weight="balanced",
        random_state=3,
    ).fit(rows, labels)
    unseen = rng.integers(0, 50, size=(100, 4)).astype(np.float32)
    assert np.abs(grown.shares_of(unseen) - theirs.predict_proba(unseen)).max() < 0.01


def test_classes_without_examples_are_never_said() -> None:
    rows = matrix([[0.0], [1.0]] * 10)
    grown = Forest.learn(rows, ["b", "c"] * 10, ("a", "b", "c", "d"))
    assert not grown.shares_of(rows)[:, [0, 3]].any()


def test_a_model_comes_back_from_its_file(tmp_path: Path) -> None:
    pages, labels = zip(*made_up(12, 5), strict=True)
    forest = learn(pages, labels)
    forest.save(tmp_path / "my.model")
    assert guess(pages, model(str(tmp_path / "my.model"))) == guess(pages, forest)


def test_other_files_are_refused(tmp_path: Path) -> None:
    broken = tmp_path / "broken.model"
    broken.write_bytes(SHIPPED.read_bytes()[:-1])
    with pytest.raises(UnreadableError, match="damaged"):
        model(str(broken))
    wide = tmp_path / "wide.model"
    Forest.learn(matrix([[0.0] * 99 + [n] for n in (0.0, 1.0)] * 9), ["news", "blog"] * 9, GENRES).save(wide)
    with pytest.raises(UnreadableError, match="not a model of genres"):
        model(str(wide))


def test_the_shipped_model_is_small_and_knows_pages_that_it_has_not_seen() -> None:
    assert SHIPPED.stat().st_size < 350_000
    pages, labels = zip(*made_up(25, 77), strict=True)
    guesses = guess(pages, model())
    right = sum(one.genre == label for one, label in zip(guesses, labels, strict=True))
    assert right / len(labels) > 0.7
    assert all(0.2 <= one.confidence <= 1 for one in guesses)


def test_the_shipped_model_knows_the_genres_of_a_made_up_web() -> None:
    pages, labels = zip(*of_a_web(20, 78), strict=True)
    assert {*labels} == set(GENRES)
    guesses = guess(pages, model())
    assert sum(one.genre == label for one, label in zip(guesses, labels, strict=True)) / len(labels) > 0.7


def test_made_up_pages_are_the_same_each_time() -> None:
    once, again = ([(page.body, genre) for page, genre in made_up(3, 9)] for _ in range(2))
    assert once == again
    assert {genre for _, genre in once} == set(GENRES)


def test_no_pages_no_guesses() -> None:
    assert guess([], model()) == []


# the commands


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    folder.mkdir()
    rows = ["url,genre,kind"]
    with (folder / "pages.warc.gz").open("wb") as file:
        for shown, genre in made_up(6, 4):
            headers = {"Content-Type": "text/html; charset=utf-8"}
            file.write(response_record(shown.url, 200, headers, shown.body, DATE))
            rows.append(f"{shown.url},{'forum' if genre == 'other' else genre},x")
        file.write(response_record("http://gone.example/", 404, {"Content-Type": "text/html"}, b"<p>gone</p>", DATE))
        file.write(response_record("http://a.example/a.png", 200, {"Content-Type": "image/png"}, b"\x89PNG", DATE))
    (folder / "labels.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (folder / "corpus.toml").write_text('name = "own"\n', encoding="utf-8")
    return folder


def test_genre_of_a_file(corpus: Path) -> None:
    done = CliRunner().invoke(app, ["genre", str(corpus / "pages.warc.gz")])
    assert done.exit_code == 0
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["url"] for line in lines] == [shown.url for shown, _ in made_up(6, 4)]
    assert all(set(line) == {"url", "genre", "confidence"} and line["genre"] in GENRES for line in lines)


def test_train_and_use_a_model_of_ones_own(corpus: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.model"
    trained = CliRunner().invoke(app, ["genre", "train", str(corpus), "-o", str(own), "--alone", "--other", "forum"])
    assert trained.exit_code == 0
    assert trained.stdout == f"{own}: learned from 6 blog, 6 image, 6 news, 6 other, 6 video\n"
    told = CliRunner().invoke(app, ["genre", "--model", str(own), str(corpus / "pages.warc.gz")])
    guesses = [json.loads(line)["genre"] for line in told.stdout.splitlines()]
    assert sum(one == genre for one, (_, genre) in zip(guesses, made_up(6, 4), strict=True)) > 24


def test_labels_that_are_no_genre_are_left_out_and_said_so(corpus: Path, tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["genre", "train", str(corpus), "-o", str(tmp_path / "m"), "--alone"])
    assert "6 forum" in done.stderr
    assert "other" not in done.stdout


def test_further_features_are_used_by_a_model_that_has_them(corpus: Path) -> None:
    forest = train([corpus], others=["forum"], alone=True, further=True).forest
    assert int(forest.asked.max()) >= len(NINE)
    assert [row["genre"] for row in classify(corpus / "pages.warc.gz", forest)]


def test_mistakes_in_what_is_asked(corpus: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match='column "gnre" is not known'):
        train([corpus], "gnre")
    with pytest.raises(ConfigError, match="no page has one of the genres"):
        train([corpus], "kind")
    with pytest.raises(ConfigError, match="two genres"):
        train([_single(corpus)], alone=True)
    asked = ["genre", "train", str(corpus), "-o", str(tmp_path / "nowhere" / "m"), "--alone"]
    assert isinstance(CliRunner().invoke(app, asked).exception, ConfigError)


def _single(corpus: Path) -> Path:
    text = (corpus / "labels.csv").read_text(encoding="utf-8")
    (corpus / "labels.csv").write_text(
        text.replace(",blog,", ",x,").replace(",image,", ",x,").replace(",video,", ",x,")
    )
    return corpus


def test_links_that_lead_out_of_a_recording_count_as_links_of_a_page(tmp_path: Path) -> None:
    """They are left out of crawls in benchmarks; what genre a page has does not depend on what was recorded."""
    tiny_corpus.write(tmp_path / "tiny", {"s": "a gone missing", "a": ""}, {"s": {"genre": "news"}}, "")
    (page,), _, _ = labelled(tmp_path / "tiny", "genre", ())
    assert nine(page)[NINE.index("internal links")] == 3
