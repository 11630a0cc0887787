"""Co-tagging, where tags stand on pages, uploaders and their ranks, and the commands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from opilio.cli.commands import app
from opilio.codec import pack
from opilio.errors import ConfigError, UnreadableError
from opilio.html.leaves import Leaf
from opilio.strategies.profile import uploaders
from opilio.strategies.profile.media_site import MediaSite
from opilio.strategies.profile.page_types import DETAIL, LIST, PageTypes
from opilio.strategies.profile.tag_fields import Field, Term, container, find_fields, headings, terms
from opilio.strategies.profile.tags import Listed, confirmed, discover, distinct, split_tags, tag_name
from opilio.strategies.profile.uploaders import Uploaders, cosine
from tests.test_path_strings import read

RUN = CliRunner()


def items(*groups: tuple[int, str]) -> list[frozenset[str]]:
    """Tag sets, each made different by a tag of its own."""
    return distinct([*names.split(), f"own{n}-{names}"] for count, names in groups for n in range(count))


@pytest.mark.parametrize(
    ("text", "name"), [(" Hip  Hop ", "hip-hop"), ("#Rock", "rock"), ("new_wave", "new-wave"), ("-", "")]
)
def test_tags_have_one_form(text: str, name: str) -> None:
    assert tag_name(text) == name


def test_tags_in_plain_text_are_split_and_sentences_are_none() -> None:
    assert split_tags("Honey, hive;bee  house") == ["honey", "hive", "bee-house"]
    assert split_tags("A long sentence that says what the picture shows.") == []


def test_tags_that_stand_beside_the_topic_are_found_and_common_ones_are_not() -> None:
    found = discover(items((20, "bee hive"), (20, "bee everywhere"), (60, "stone everywhere"), (60, "river")), ["bee"])
    assert [cotag.tag for cotag in found] == ["hive"]
    assert found[0].votes == 20


def test_identical_tag_sets_count_once() -> None:
    sets = distinct([["bee", "series"]] * 50 + [["bee", f"x{n}"] for n in range(10)] + [[f"y{n}"] for n in range(60)])
    assert len(sets) == 71
    assert not discover(sets, ["bee"])


def test_noise_is_left_out_and_the_list_is_yours() -> None:
    sets = items((20, "bee nikon"), (60, "stone"))
    assert not discover(sets, ["bee"])
    assert [cotag.tag for cotag in discover(sets, ["bee"], stop=())] == ["nikon"]


def test_a_tag_seen_often_is_ahead_of_one_seen_a_few_times() -> None:
    found = discover(items((100, "bee hive"), (5, "hive"), (6, "bee rare"), (300, "stone")), ["bee"])
    assert [cotag.tag for cotag in found] == ["hive", "rare"]


def test_second_round_finds_what_stands_beside_the_first_and_ranks_it_lower() -> None:
    sets = items((30, "bee hive"), (30, "hive smoker"), (200, "stone"))
    assert [cotag.tag for cotag in discover(sets, ["bee"], 1)] == ["hive"]
    hive, smoker = discover(sets, ["bee"], 2)
    assert (hive.tag, smoker.tag) == ("hive", "smoker")
    assert hive.score >= smoker.score


def test_command(tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text("\n".join(json.dumps({"tags": sorted(item)}) for item in items((20, "bee hive"), (60, "stone"))))
    done = RUN.invoke(app, ["tags", "--items", str(path), "--topic", "Bee"])
    assert done.exit_code == 0
    tag, score, votes = done.stdout.split()
    assert (tag, votes) == ("hive", "20")
    assert float(score) > 2
    as_json = json.loads(RUN.invoke(app, ["tags", "--items", str(path), "--topic", "bee", "--json"]).stdout)
    assert as_json[0]["tag"] == "hive"


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("{", UnreadableError, "line 1"),
        ('{"tags": "bee"}', UnreadableError, "no list of texts"),
        ('{"tags": ["wasp"]}', ConfigError, 'no item has the tag "bee"'),
    ],
)
def test_command_says_what_is_wrong(tmp_path: Path, text: str, kind: type[Exception], words: str) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text(text)
    done = RUN.invoke(app, ["tags", "--items", str(path), "--topic", "bee"])
    assert isinstance(done.exception, kind)
    assert words in str(done.exception)


# where tags stand


def facts(tags: str, camera: str, number: int) -> str:
    return (
        f"<h1>Picture {number}</h1><table><tr><th>Tags</th><td>{tags}</td></tr><tr><th>Camera</th><td>{camera}</td></tr></table>"
        f"<p>Words about picture {number} that nobody else has written.</p>"
    )


KNOWN = {"honey", "hive", "wax", "bee"}


def test_cells_of_a_table_are_told_apart_by_their_headings() -> None:
    pages = [read(facts(f"honey, {tag}", f"Box {n}", n)) for n, tag in enumerate(sorted(KNOWN))]
    known = headings(pages)
    (field,) = find_fields(pages, known, KNOWN)
    assert field.label == "tags"
    assert [term.name for term in terms(pages[0], [field], known)] == ["honey", "bee"]


def test_links_spans_and_bold_words_are_one_field_and_numbers_behind_are_counts() -> None:
    linked = "<li><a href=/t/1>honey</a> <small>5</small></li><li><span>hive</span> <small>(2)</small></li>"
    html = f"<ul class=t>{linked}<li>wax</li></ul>"
    pages = [read(f"<h1>{n}</h1>{html}") for n in range(4)]
    field = Field(container(pages[0][1].path), "")
    assert field.container == "<li><ul-class/t><body><html>"
    assert terms(pages[0], [field], []) == [Term("honey", 5), Term("hive", 2), Term("wax", 1)]


def test_a_prefix_in_the_text_is_a_heading_too() -> None:
    pages = [
        read(f"<p>Tags: honey, {tag}</p><p>Place: town {n}</p>") for n, tag in enumerate(["wax", "bee", "hive", "x"])
    ]
    (field,) = find_fields(pages, headings(pages), KNOWN)
    assert (field.label, [term.name for term in terms(pages[1], [field], headings(pages))]) == (
        "tags",
        ["honey", "bee"],
    )


def test_no_field_where_nothing_is_known() -> None:
    pages = [read(facts(f"a{n}, b{n}", "Box", n)) for n in range(5)]
    assert find_fields(pages, headings(pages), KNOWN) == []


# uploaders


def test_inner_rank_is_a_cosine() -> None:
    assert cosine([Term("bee", 3), Term("wax", 4)], {"bee": 1.0}) == pytest.approx(0.6)
    assert cosine([], {"bee": 1.0}) == 0.0
    assert cosine([Term("bee", 1)], {}) == 0.0


PROFILES = st.dictionaries(
    st.integers(0, 9).map(str),
    st.tuples(st.floats(0, 1), st.lists(st.integers(0, 12).map(str), max_size=6)),
    max_size=10,
)


@given(PROFILES, st.randoms(use_true_random=False))
def test_ranks_kept_up_to_date_are_those_computed_over_all(
    profiles: dict[str, tuple[float, list[str]]], rng: object
) -> None:
    order = sorted(profiles)
    rng.shuffle(order)  # type: ignore[attr-defined]
    people = Uploaders()
    for name in order:
        people.learn(name, *profiles[name])
        people.learn(name, *profiles[name])  # the second time changes nothing
    for name, (inner, contacts) in profiles.items():
        known = [profiles[other][0] for other in dict.fromkeys(contacts) if other in profiles and other != name]
        inter = sum(known) / len(known) if known else inner
        assert people.rank(people.numbers[name], 0.7, 0.3) == pytest.approx(0.7 * inner + 0.3 * inter)


def test_contacts_in_a_cycle_and_users_without_tags_are_ranked() -> None:
    people = Uploaders()
    ring = ["a", "b", "c"]
    for number, name in enumerate(ring):
        people.learn(name, 0.0 if name == "a" else 0.6, [ring[(number + 1) % 3], name])
    assert people.rank(people.numbers["a"], 0.5, 0.5) == pytest.approx(
        0.3
    )  # no tags of his own, but a contact with some
    assert not people.awaited


def test_what_arrives_moves_those_who_wait_for_it() -> None:
    people = Uploaders()
    people.learn("fan", 0.5, ["star"])
    star, fan = people.numbers["star"], people.numbers["fan"]
    assert people.prospect(star) > 0.0
    assert fan in people.learn("star", 1.0, [])
    assert people.rank(fan, 0.0, 1.0) == 1.0


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploaders, "MOST_USERS", 100)
    people = Uploaders()
    for number in range(500):
        people.learn(str(number), 0.5, [str(number + n) for n in range(1, 400)])
    assert len(people.numbers) == 100
    assert people.number("new") is None
    assert people.learn("new", 1.0, []) == []
    assert len(pack(people)) < 40_000
    assert people.prospect(None) == pytest.approx(0.5)


# what the crawl finds


def test_tags_are_confirmed_on_their_own_lists() -> None:
    known = [Listed(n, True, ["bee", "hive"]) for n in range(10)]  # from lists of the start tag
    known += [Listed(n, False, ["hive"] if n % 2 else ["hive", "bee"]) for n in range(10, 20)]
    known += [Listed(n, False, ["nice"]) for n in range(30, 40)]
    lists = {"hive": range(20), "nice": [0, 1, 2, 3, 4, *range(30, 60)], "unseen": range(80, 90)}
    (hive,) = confirmed(known, lists, ["bee"])
    assert (hive.tag, hive.votes) == ("hive", 15)
    assert hive.score == pytest.approx((10 + 0.5 * 10) / 20 * (1 - 15**-0.5))


def test_a_tag_that_all_pages_of_the_sample_have_is_no_heading() -> None:
    pages = [read(f"<h4>Tags</h4><ul><li>bee</li><li>a{n}</li><li>b{n}</li><li>c{n}</li></ul>") for n in range(8)]
    known = headings(pages)
    assert [text for _, text in known] == ["Tags"]
    field = Field("<li><ul><body><html>", "tags")
    assert "bee" in [term.name for term in terms(pages[0], [field], known)]


def test_where_a_list_turns_pages_its_tag_stays() -> None:
    """ "2" on a list of honey leads to honey; the same link elsewhere, and words, name the list they lead to."""
    bare = MediaSite(PageTypes({}, {}), {}, [], {LIST: [("next", "more")]}, {}, [], False)
    assert bare.list_tag(Leaf("p", "2"), LIST, "honey") == "honey"
    assert bare.list_tag(Leaf("p", "2"), DETAIL, "honey") == "2"
    assert bare.list_tag(Leaf("p", "Queen Bee"), LIST, "honey") == "queen-bee"
    assert bare.list_tag(Leaf("next", "more"), LIST, "honey") == "honey", "a heading of lists"
    assert bare.list_tag(Leaf("next", "more"), DETAIL, "honey") == "more"
