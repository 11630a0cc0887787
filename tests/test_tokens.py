"""Words out of texts in several languages, and how common they are."""

from __future__ import annotations

import pickle
import time
import unicodedata
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from opilio.errors import ConfigError
from opilio.text import tokens as module
from opilio.text.background import RARE, shares
from opilio.text.tokens import LONGEST, MARK, Stems, guess, languages, stop_words, tokens, words
from opilio.text.vocabulary import FIRST, NOTHING, OTHER, Vocabulary, sums

SENTENCES = {
    "en": "The harvestman is an animal that looks like a spider but does not spin a web.",
    "de": "Der Weberknecht ist ein Tier, das wie eine Spinne aussieht, aber kein Netz spinnt.",
    "fr": "L'opilion est un animal qui ressemble à une araignée mais qui ne tisse pas de toile.",
    "es": "El opilión es un animal que se parece a una araña, pero que no teje ninguna tela.",
    "ja": "ザトウムシはクモに似ている動物ですが、網を張りません。",
    "zh": "盲蛛是一种看起来像蜘蛛的动物，但是它不会结网。",
    "vi": "Con chôm chôm là một loài động vật giống như nhện nhưng không giăng tơ.",
}


def test_english_words_are_stemmed_and_stop_words_left_out() -> None:
    assert words("The chemical ELEMENTS of the sun's fires!", "en") == ["chemic", "element", "sun", "fire"]
    assert words("The chemical elements") == ["the", "chemical", "elements"]


def test_a_region_does_not_change_a_language() -> None:
    assert words("running dogs", "en-GB") == words("running dogs", "en") == ["run", "dog"]


def test_languages_without_spaces_are_cut_into_pairs() -> None:
    assert words("化学元素", "zh") == ["化学", "学元", "元素"]
    assert words("ニュースと化学", "ja") == ["ニュース", "化学"]
    assert words("Kernkraft 原子力", "de") == ["kernkraft", "原子", "子力"]
    assert words("หนังสือ")[:2] == ["หน", "นั"]


def test_full_width_letters_are_letters() -> None:
    assert words("ＡＢＣ株式") == ["abc", "株式"]


def test_vietnamese_keeps_its_accents_in_one_form() -> None:
    apart = unicodedata.normalize("NFD", "hóa học và nguyên tố")
    assert words(apart, "vi") == words("hóa học và nguyên tố", "vi") == ["hóa", "học", "nguyên", "tố"]


def test_vowel_signs_do_not_cut_words() -> None:
    assert words("हिन्दी भाषा") == ["हिन्दी", "भाषा"]


def test_what_is_no_word_does_not_count() -> None:
    assert words(f"a 7 1998 20261115 {'x' * (LONGEST + 1)} {MARK} snake_case", "en") == ["1998", "snake", "case"]


@pytest.mark.parametrize("language", sorted(SENTENCES))
def test_language_is_guessed(language: str) -> None:
    assert guess(SENTENCES[language]) == language


def test_a_short_english_topic_is_english_and_noise_is_nothing() -> None:
    assert guess("information technology") == "en"
    assert guess("qwrt zxcvb plmkn") == guess("") == ""


def test_stop_words_exist_for_seven_languages_and_a_missing_one_is_said() -> None:
    assert set(languages()) >= set(SENTENCES)
    assert "the" in stop_words("en")
    with pytest.raises(ConfigError, match=r'language "sw" has no stop words here .there are: de, en'):
        stop_words("sw")
    assert words("mimi ni mtu", "sw") == ["mimi", "ni", "mtu"]


def test_memory_of_stems_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KNOWN", 100)
    stems = Stems("en")
    found = [stems[f"word{number}s"] for number in range(1000)]
    assert found[-1] == "word999"
    assert len(stems) <= 100


@given(st.text(max_size=300))
def test_every_text_gives_words_and_words_are_stable(text: str) -> None:
    found = tokens(text)
    assert all(found)
    assert tokens(" ".join(found)) == found or any(map(str.isspace, found)) or not text.isascii()
    assert words(text, "en") == words(text, "en")


def test_common_words_are_told_from_rare_ones() -> None:
    known = shares(["inform", "year", "thoracopod"], "en")
    assert known[0] > 0.1
    assert known[1] > 10 * RARE
    assert known[2] == RARE
    assert shares(["abc"], "sw").tolist() == [RARE]


def test_a_vocabulary_numbers_its_words() -> None:
    vocabulary = Vocabulary("en", ["atom", "element"])
    numbers = vocabulary.numbers("The elements: atoms, atoms and molecules")
    assert numbers.tolist() == [NOTHING, FIRST + 1, FIRST, FIRST, NOTHING, OTHER]
    found, counts = vocabulary.bag("The elements: atoms, atoms and molecules")
    assert dict(zip(found.tolist(), counts.tolist(), strict=True)) == {OTHER: 1, FIRST: 2, FIRST + 1: 1}


def test_rows_are_the_texts_one_by_one() -> None:
    vocabulary = Vocabulary("en", ["atom", "element"])
    weights = vocabulary.array([1.0, 10.0])
    texts = ["atom", "", f"element {MARK} atoms", "nothing of it", "elements element"]
    assert sums(weights, *vocabulary.rows(texts)).tolist() == [1.0, 0.0, 11.0, 0.0, 20.0]
    assert sums(weights, *vocabulary.rows([""])).tolist() == [0.0]


@given(
    st.lists(st.text(alphabet=st.sampled_from(f"atom el{MARK}{chr(0x5316)}{chr(0x5B66)}é."), max_size=30), min_size=1)
)
def test_rows_agree_with_single_texts(texts: list[str]) -> None:
    vocabulary = Vocabulary("en", ["atom", "element", "el", "化学", "é"])
    weights = vocabulary.array(np.arange(1.0, 6.0))
    alone = [float(weights[vocabulary.numbers(text.replace(MARK, " "))].sum()) for text in texts]
    assert sums(weights, *vocabulary.rows(texts)).tolist() == pytest.approx(alone)


LETTERS = st.sampled_from("aAbBzéÉßüİñşЖж –—“”’…•·×\u00a0\u00adﬁａ化学のカ한กหิेế7_-.,'\u0301")


@given(st.lists(st.text(LETTERS, max_size=12), max_size=20))
def test_the_short_way_to_numbers_agrees_with_the_long_one(parts: list[str]) -> None:
    text = " ".join(parts)
    vocabulary = Vocabulary("de", sorted({"ab", "zé", *words(text, "de")}))
    found = [number for number in vocabulary.numbers(text).tolist() if number != NOTHING]
    assert [vocabulary.words[number - FIRST] for number in found if number >= FIRST] == words(text, "de") or "×" in text
    counts = Counter(found)
    assert dict(zip(*(array.tolist() for array in vocabulary.bag(text)), strict=True)) == counts or "×" in text


def test_a_vocabulary_can_be_sent_to_another_process() -> None:
    sent = pickle.loads(pickle.dumps(Vocabulary("en", ["atom"])))
    assert sent.numbers("atoms").tolist() == [FIRST]


def test_a_thousand_words_take_less_than_a_millisecond() -> None:
    text = " ".join(SENTENCES["en"].split() * 63)
    words(text, "en")
    fastest = min(_seconds(text) for _ in range(20))
    assert fastest < 0.001  # 0.15 ms on an idle machine


def _seconds(text: str) -> float:
    start = time.process_time()
    for _ in range(10):
        words(text, "en")
    return (time.process_time() - start) / 10
