"""Words and examples against the pages around: what a site's pages share counts for nothing; little help, little certainty."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from opilio.nouns import Material, Page
from opilio.topics.adaptive import Growing
from opilio.topics.bags import Bags
from opilio.topics.boilerplate import LEAST, shared, stripped
from opilio.topics.contrasting import _comparable
from opilio.topics.evidence import Evidence, Scale, counts
from opilio.topics.first_look import ENOUGH, doubts
from opilio.topics.ground import query_words
from opilio.topics.kept_material import shown
from opilio.topics.material import language
from opilio.topics.models.auto import Auto
from opilio.topics.models.contrast import Contrast

from .test_topics import BEES, BOATS, TRAINS, made, page

MENU = "Home Download Documentation Community About Copyright Imprint Contact Newsletter"
SCALE = Scale(0.2, 0.1, 1.0)


def framed(subject: list[str], number: int, host: str = "manual.example") -> Page:
    """A page of a site with the same menu, footer and house words on each page."""
    inner = page(subject, number).text
    html = f"<title>The Manual</title><nav>{MENU}</nav><p>{inner}</p><footer>The manual of the manual project</footer>"
    return made(html, f"http://{host}/{subject[0]}{number}")


AROUND = tuple(framed((BOATS, TRAINS)[n % 2], n) for n in range(40))
TWO = (framed(BEES, 1), framed(BEES, 2))
TWELVE = tuple(framed(BEES, n) for n in range(20, 32))


def test_two_examples_are_told_apart_from_the_rest_of_their_site() -> None:
    topic = Contrast.learn(Material("", TWO, (), AROUND))
    good = [topic.page(framed(BEES, n)) for n in range(10, 20)]
    bad = [topic.page(framed((BOATS, TRAINS)[n % 2], n)) for n in range(50, 60)]
    assert min(good) > 0.5 > 0.2 > max(bad)
    empty = made(f"<title>Copyright</title><nav>{MENU}</nav><p>Copyright of the manual</p>", "http://manual.example/c")
    assert topic.page(empty) < 0.2
    decisive = {word for word, weight in topic.decisive(10) if weight > 0}
    assert not decisive & {"manual", "download", "copyright", "imprint", "newslett"}


def test_a_word_whose_stem_is_a_stop_word_names_a_topic() -> None:
    topic = Contrast.learn(Material("exceptions", (), (), AROUND))
    assert topic.text("Exceptions are raised by code; an exception that nobody handles ends it. " * 20) > 0.5


def test_links_are_judged_by_the_same_contrast() -> None:
    topic = Contrast.learn(Material("", TWO, (), AROUND))
    good, bad = (topic.links(page(subject, 40)) for subject in (BEES, BOATS))
    assert min(good) > max(bad)


def test_what_pages_of_a_host_share_is_left_out() -> None:
    bags = Bags("en")
    tallies = [bags.tally(framed(BOATS, n)) for n in range(LEAST)]
    hosts = shared(tallies, len(bags.numbers))
    left = stripped(tallies, hosts, len(bags.numbers))
    names = list(bags.numbers)
    first = {names[number] for number in left[0].fields[1].words}
    assert not first & {"download", "imprint"}
    assert first & {"sail", "mast", "keel", "rudder", "harbour", "anchor"}
    assert not shared(tallies[1:], len(bags.numbers))  # too few to know


def test_examples_alone_do_not_make_the_topic_boilerplate() -> None:
    """Eight pages of one host on bees: what they share is what is wanted."""
    topic = Contrast.learn(Material("", tuple(framed(BEES, n) for n in range(8))))
    assert topic.page(framed(BEES, 50, "other.example")) > topic.page(framed(BOATS, 50, "other.example"))


@pytest.mark.parametrize(
    ("material", "most"),
    [
        (Material("honey hive", (), (), AROUND), 4 / 5),
        (Material("", TWO[:1], (), AROUND), 2 / 3),
        (Material("", TWO, (), AROUND), 3 / 4),
        (Material("honey", TWO, (), AROUND), 6 / 7),
        (Material("", TWELVE, (), AROUND), 8 / 9),  # twelve examples do not show where the topic ends
        (Material("honey", TWELVE, (), AROUND), 11 / 12),
        (Material("", TWELVE, AROUND[:4], AROUND[4:]), 13 / 14),  # four pages off the topic do, and no more
    ],
)
def test_nothing_is_more_certain_than_what_was_said_allows(material: Material, most: float) -> None:
    topic = Contrast.learn(material)
    found = [topic.page(framed(BEES, n)) for n in range(10)]
    assert max(found) <= most
    assert topic.evidence.most == pytest.approx(math.log(most / (1 - most)))


def test_more_help_counts_more() -> None:
    assert [round(counts(n, False)[2], 1) for n in (1, 2, 5, 30)] == [1.5, 2.1, 2.8, 3.4]
    assert counts(0, True)[2] == 0
    likeness = [Evidence.supposed(n, True, SCALE).chance(0.2, 1.2, 0.0) for n in (1, 2, 5, 30)]
    assert likeness == sorted(likeness)


def test_where_words_name_the_topic_no_likeness_outweighs_them_by_itself() -> None:
    """A page may be as much like two examples as can be, and in what was not meant; with more examples that is less likely."""
    much = np.array([50.0])
    two, thirty = (Evidence.supposed(examples, True, SCALE) for examples in (2, 30))
    assert two.base + float(two.alike(much)[0]) < 0 < thirty.base + float(thirty.alike(much)[0])
    assert two.chance(0.0, 50.0, 0.0) < 0.5 < two.chance(0.5, 1.0, 0.0)
    unnamed = Evidence.supposed(2, False, SCALE)
    assert unnamed.alike(much)[0] == pytest.approx(unnamed.likeness * SCALE.strength(much)[0])


def test_one_page_is_judged_as_many_are() -> None:
    evidence = replace(Evidence.supposed(5, True, SCALE), difference=0.7, apart=Scale(0.1, 0.5, 1.0))
    for words, likeness, difference in product((0.0, 0.3, 1.0), (0.0, 0.2, 0.9, 9.0), (-2.0, 0.4)):
        logs = evidence.logs(*(np.array([score]) for score in (words, likeness, difference)))
        assert evidence.chance(words, likeness, difference) == pytest.approx(float(evidence.bounded(logs)[0]))


def test_odds_are_as_steep_as_examples_stand_apart() -> None:
    """Ten examples, each judged without itself: above nearly all pages around, or lost among them."""
    evidence, around = Evidence.supposed(10, False, SCALE), np.repeat([-3.5, -1.5, 1.0], [150, 40, 10])
    apart, lost = (
        evidence.agreeing(np.repeat(held, 2), around)
        for held in ([0.5, 1.0, 1.0, 1.5, 2.0], [-3.5, -3.0, -2.0, -1.0, 0.0])
    )
    assert evidence.likeness > apart.likeness > 1.2 * lost.likeness > 0
    assert evidence.agreeing(np.full(10, 3.0), np.zeros(0)) == evidence  # no page around to compare with


def test_examples_much_shorter_than_pages_say_nothing_of_how_steep_odds_are() -> None:
    """Rows of a table stand apart from whole pages, whatever they are about."""
    rows, pages = [shown("", "", "bees " * 5)] * 3, [shown("", "", "many words " * 50)] * 3
    assert not _comparable(rows, pages)
    assert _comparable(pages, pages)
    assert not _comparable(pages, [])


def test_nine_examples_say_nothing_of_how_steep_odds_are() -> None:
    evidence, around = Evidence.supposed(9, False, SCALE), np.repeat([-3.5, 1.0], [150, 50])
    assert evidence.agreeing(np.full(9, 9.0), around) == evidence
    assert evidence.agreeing(np.full(10, 9.0), around) != evidence


def test_the_base_rate_follows_the_pages_around_but_not_far() -> None:
    evidence = Evidence.supposed(5, True, SCALE)
    assert evidence.moved(np.full(200, -6.0)).base < evidence.base < evidence.moved(np.full(200, 1.0)).base
    assert abs(evidence.moved(np.full(200, -30.0)).base - evidence.base) <= 1.5
    assert evidence.moved(np.zeros(0)) == evidence


def test_with_little_help_odds_reach_as_far_as_pays_on_the_pages_around() -> None:
    """What half of the best F1 that can be expected was the probability of is one half; five examples leave odds as they are."""
    around = np.repeat([1.0, -2.0], [10, 190])
    moves = []
    for examples in (1, 2, 5):
        evidence = Evidence.supposed(examples, False, SCALE)
        moves.append(evidence.reaching(examples, around).base - evidence.base)
    assert moves[0] > moves[1] > moves[2] == 0
    chances = Evidence.supposed(1, False, SCALE).bounded(around)
    expected = max(2 * chances[:size].sum() / (size + chances.sum()) for size in range(1, 201))
    assert moves[0] == pytest.approx(math.log((2 - expected) / expected) * 200 / 220 * 4 / 5)
    assert evidence.reaching(1, np.zeros(0)) == evidence  # nothing to go by yet


def test_what_is_like_two_examples_but_less_so_is_found() -> None:
    """Pages of which half is on the topic: two examples that are about nothing else do not shut them out."""
    mixed = [
        made(f"<p>{page(BEES, n).text[:400]} {page(TRAINS, n).text[:400]}</p>", f"http://other.example/{n}")
        for n in range(9)
    ]
    topic = Contrast.learn(Material("", TWO, (), AROUND))
    assert min(map(topic.page, mixed)) > 0.5 > 0.2 > max(topic.page(framed(TRAINS, n)) for n in range(50, 60))


def test_answers_teach_what_words_cannot() -> None:
    """The word is on all pages; which of them are meant, only labels say."""
    on, off = ([framed(subject, n) for n in range(100, 106)] for subject in (BEES, TRAINS))
    words = Contrast.learn(Material("work every day", (), (), AROUND))
    told = Contrast.learn(Material("work every day", tuple(on), tuple(off), AROUND))
    for topic, right in ((words, False), (told, True)):
        good, bad = ([topic.page(framed(subject, n)) for n in range(200, 210)] for subject in (BEES, TRAINS))
        assert (min(good) > 0.5 > max(bad)) == right


@pytest.mark.parametrize(("times", "kept"), [(1, True), (30, False)])
def test_a_few_answers_of_no_do_not_make_likeness_count_nothing(times: int, kept: bool) -> None:
    """Asked are pages that are like the examples, more so than those are among themselves; many such pages do show it."""
    parts = np.array([[0.0, 2.0, 1.0], [0.0, 2.5, 1.0], [0.0, 4.0, -1.0], [0.0, 4.5, -1.0]] * times)
    labels = np.array([1.0, 1.0, 0.0, 0.0] * times)
    around = np.column_stack([np.zeros(50), np.linspace(0, 3, 50) ** 2, np.linspace(-1, 1, 50)])
    before = Evidence.supposed(2, False, SCALE)
    after = before.learned(parts, labels, around, SCALE)
    assert (after.likeness > before.likeness / 2) == kept
    assert after.difference > 0


def test_pages_off_the_topic_do_not_change_how_certain_a_judgement_may_be() -> None:
    """Neither those that are far from it, nor two of ten that look, held back, as if they were on it."""
    on, off = [0.0, 5.0, 2.0], [0.0, 0.5, -2.0]
    labels, around = np.repeat([1.0, 0.0], [5, 10]), np.array([off, on] * 20)
    before = Evidence.supposed(5, False, SCALE)
    for rows in ([on] * 5 + [off] * 10, [on] * 5 + [off] * 8 + [on] * 2):
        assert before.learned(np.array(rows), labels, around, SCALE).most == pytest.approx(before.most)


def test_the_order_in_which_words_were_met_does_not_matter() -> None:
    material = Material("honey", TWO, (), AROUND)
    first = Contrast.learn(material)
    for n in range(30):
        Contrast.learn(Material(f"other words {n}", (framed(TRAINS, 300 + n),)))
    again = Contrast.learn(material)
    assert again.vocabulary.words == first.vocabulary.words
    assert again.page(framed(BEES, 9)) == first.page(framed(BEES, 9))


@pytest.mark.parametrize(
    ("words", "subjects", "said"),
    [
        ("honey hive", (BOATS, TRAINS), "none of 100 pages so far counts as relevant; what decides: "),
        ("honey hive queen", (BEES, BOATS, TRAINS), ""),
    ],
)
def test_a_look_at_the_first_hundred_pages(words: str, subjects: tuple[list[str], ...], said: str) -> None:
    topic = Growing(Auto.learn(Material(words, TWO if not said else ())), adapts=True)
    for number in range(ENOUGH):
        assert doubts(topic) == ""
        topic.observe(framed(subjects[number % len(subjects)], 400 + number), 0.0)
    assert doubts(topic).startswith(said)
    assert bool(doubts(topic)) == bool(said)


def test_a_word_that_is_on_every_page_around_still_names_the_topic() -> None:
    topic = Contrast.learn(Material("manual", (), (), AROUND))
    assert 0.0 <= topic.page(framed(BEES, 1)) <= 0.8
    assert topic.evidence.most > 0


def test_words_whose_stems_have_another_stem_count() -> None:
    """The stem of "course" is "cours", and the stem of that is "cour"."""
    about = [
        made(f"<title>CS {n}</title><p>{'course ' * 5} lecture notes {n}</p>", f"http://a.example/{n}")
        for n in range(9)
    ]
    topic = Contrast.learn(Material("course", (), (), AROUND))
    assert min(map(topic.page, about)) > 0.5 > max(map(topic.page, AROUND))


@pytest.mark.parametrize(
    ("words", "spoken"),
    [("full text search", "en"), ("project", "en"), ("Brot und Käse", "de"), ("la historia de Francia", "es")],
)
def test_a_few_words_do_not_make_a_topic_foreign(words: str, spoken: str) -> None:
    """Words that are as common in the manuals of another language say nothing; stop words and letters do."""
    assert language(Material(words)) == spoken


def test_the_pages_around_say_in_which_language_a_few_words_are() -> None:
    german = tuple(
        made(
            f"<p>Der Rechner und das Netz sind für die Arbeit da, und nicht für {n} andere</p>", f"http://d.example/{n}"
        )
        for n in range(6)
    )
    assert language(Material("Text", (), (), german)) == "de"
    assert language(Material("", (german[0],), (), AROUND)) == "de"


def test_a_sentence_is_worth_its_words() -> None:
    asked = "I am looking for pages about honey bees, with explanations, details and examples."
    assert list(query_words(asked, "en")) == list(query_words("honey bees", "en"))
    assert list(query_words("web page examples", "en")) == ["web", "page", "exampl"]  # a name is taken as it is


def test_words_near_the_topics_words_count_more_in_examples() -> None:
    """A page about two things is an example of the one that was named."""
    both = made(
        f"<p>{' '.join(BEES * 6)} bees</p><p>{' '.join(TRAINS * 30)}</p>", "http://manual.example/bees-and-trains"
    )
    around = tuple(framed(BOATS, n) for n in range(40))
    alone, named = (Contrast.learn(Material(words, (both,), (), around)) for words in ("", BEES[0]))
    apart = [topic.page(framed(BEES[1:], 50)) - topic.page(framed(TRAINS, 50)) for topic in (alone, named)]
    assert apart[1] > apart[0]


def test_what_every_page_around_has_of_the_topics_words_does_not_count() -> None:
    around = tuple(made(f"<p>{' '.join(BOATS)} time {n}</p>", f"http://a.example/{n}") for n in range(30))
    topic = Contrast.learn(Material("time", (), (), around))
    often = made(f"<p>{' '.join(BOATS)} {'time ' * 12}</p>", "http://a.example/often")
    assert topic.page(often) > 0.5 > 0.1 > topic.page(around[0])
