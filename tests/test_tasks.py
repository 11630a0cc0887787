"""Splits and budgets on corpora small enough to count by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opilio.bench.corpus import Corpus
from opilio.bench.graph import Graph
from opilio.bench.oracle import Plan, draw, worth
from opilio.bench.tasks import Splitter, Trial, check_budget, choose, trials
from opilio.bench.trial_runs import Course
from opilio.errors import ConfigError

from .tiny_corpus import labelled, task, url, urls, write

BEES = [f"bee{i}" for i in range(9)]
STONES = [f"stone{i}" for i in range(9)]


@pytest.fixture
def topical(tmp_path: Path) -> Corpus:
    """Nine pages on bees in a ring, nine on stones in a ring, one bee page that nothing links to."""
    ring = {name: names[(i + 1) % 9] for names in (BEES, STONES) for i, name in enumerate(names)}
    labels = {name: {"kind": "Nature/Bees"} for name in [*BEES, "lost"]}
    labels |= {name: {"kind": "Nature/Stones/Hard|Other"} for name in STONES} | {"s": {"kind": ""}}
    return write(
        tmp_path / "corpus",
        {"s": "bee0 stone0", **ring, "lost": "bee0"},
        labels,
        task("topic", column="kind", min_pages=5, max_pages=10, seeds=2, train=3),
    )


def split(corpus: Corpus, seed: int = 1, runs: int = 1, budget: int | str | None = None) -> list[Trial]:
    return trials(corpus, corpus.tasks[0], runs, seed, budget)


def test_topics_are_levels_below_the_first_that_are_of_the_right_size(topical: Corpus) -> None:
    assert Splitter(topical, topical.tasks[0]).topics() == ["Nature/Bees", "Nature/Stones", "Nature/Stones/Hard"]


def test_without_levels_every_label_is_a_topic(tmp_path: Path) -> None:
    labels = labelled(bee="a b", stone="c")
    corpus = write(
        tmp_path, {"a": "b", "b": "c", "c": "a"}, labels, task("topic", column="kind", min_pages=1, max_pages=2)
    )
    assert Splitter(corpus, corpus.tasks[0]).topics() == ["bee", "stone"]


def test_topic_split(topical: Corpus) -> None:
    trial, *_ = split(topical)
    mine = trial.split
    seeds, train = set(mine.seeds), set(mine.positives)
    assert trial.topic == "Nature/Bees"
    assert (len(seeds), len(train), len(mine.negatives)) == (2, 3, 6)
    assert not seeds & train
    assert not mine.targets & (seeds | train)
    assert set(mine.negatives) <= {url(name) for name in STONES}
    everything = {url(name) for name in [*BEES, "lost"]}
    reachable = everything if url("lost") in seeds else everything - {url("lost")}
    assert mine.relevant == reachable
    assert mine.targets == reachable - seeds - train


def test_unreachable_targets_are_counted_and_left_out(topical: Corpus) -> None:
    for trial in split(topical, runs=20):
        given = {*trial.split.seeds, *trial.split.positives}
        lost = trial.topic == "Nature/Bees" and url("lost") not in given
        assert trial.unreachable == lost
        assert url("lost") not in trial.split.targets


def test_same_seed_same_split_other_run_other_split(topical: Corpus) -> None:
    assert split(topical, seed=4, runs=3) == split(topical, seed=4, runs=3)
    first, second, third = split(topical, seed=4, runs=3)[:3]
    assert len({first.split.seeds, second.split.seeds, third.split.seeds}) == 3
    assert split(topical, seed=5, runs=3) != split(topical, seed=4, runs=3)


def test_topic_with_too_few_pages(tmp_path: Path) -> None:
    tasks = task("topic", column="kind", topics=["bee"], seeds=1, train=1)
    corpus = write(tmp_path, {"a": "b", "b": "a"}, labelled(bee="a b"), tasks)
    with pytest.raises(ConfigError, match='task "topic": topic "bee" has 2 pages; with seeds and train it needs 3'):
        split(corpus)


@pytest.fixture
def forum(tmp_path: Path) -> Corpus:
    """s -> h -> r, a redirect -> t1 -> t2 -> p and a dead link; nothing links to the thread t3."""
    return write(
        tmp_path / "forum",
        {"s": "h", "h": "r", "r": "-> t1", "t1": "t2", "t2": "gone p", "p": "s", "t3": "s"},
        labelled(thread="t1 t2 t3", profile="p", list="s h"),
        task("type", column="kind", target="thread", start=[url("s")])
        + task("user-content", column="kind", user_content=["thread", "profile"], start=[url("s")]),
    )


def test_type_split(forum: Corpus) -> None:
    (trial,) = split(forum)
    assert trial.split.seeds == (url("s"),)
    assert {trial.split.example} | trial.split.targets == set(urls("t1 t2"))
    assert trial.split.example not in trial.split.targets
    assert (trial.unreachable, trial.budget) == (1, 1)


def test_every_strategy_starts_from_the_page_that_shows_a_type(forum: Corpus) -> None:
    (trial,) = split(forum)
    course = Course(forum, "type")
    assert [page.url for page in course.known(trial)] == [trial.split.example]


def test_user_content_split(forum: Corpus) -> None:
    (trial,) = trials(forum, choose(forum, "user-content"), 1, 1)
    assert trial.topic == "thread|profile"
    assert trial.split.targets == set(urls("t1 t2 p"))
    assert trial.budget == 1  # a quarter of the five pages within reach


@pytest.mark.parametrize(("asked", "pages"), [(7, 7), ("7", 7), ("1x", 1), ("2x", 2), ("1.5x", 2), ("9x", 5)])
def test_budget(forum: Corpus, asked: int | str, pages: int) -> None:
    assert split(forum, budget=asked)[0].budget == pages


def test_budget_of_the_task(tmp_path: Path) -> None:
    tasks = task("type", column="kind", target="thread", start=[url("s")], budget=4)
    corpus = write(tmp_path, {"s": "a", "a": "s"}, labelled(thread="a s"), tasks)
    assert split(corpus)[0].budget == 4
    assert split(corpus, budget=2)[0].budget == 2


def test_a_type_of_one_page_leaves_nothing_to_look_for(tmp_path: Path) -> None:
    tasks = task("type", column="kind", target="thread", start=[url("s")])
    with pytest.raises(ConfigError, match='only one page has "thread" in column "kind"'):
        split(write(tmp_path, {"s": "a", "a": "s"}, labelled(thread="a"), tasks))


@pytest.mark.parametrize("wrong", ["", "0", "-3", "many", "x", "5 x", "1e3", 0, -1, 2.5])
def test_budget_that_is_none(wrong: int | str) -> None:
    with pytest.raises(ConfigError, match="budget"):
        check_budget(wrong)


def test_tag_split(tmp_path: Path) -> None:
    types = labelled(detail="d1 d2 d3", list="s", profile="p")
    tags = {"d1": "rock|pop", "d2": "pop", "d3": "rock", "p": "rock", "s": "rock"}
    labels = {name: {**row, "tags": tags[name]} for name, row in types.items()}
    tasks = task("tag", column="tags", types="kind", topics=["rock", "pop|rock"], start=[url("s")])
    corpus = write(tmp_path, {"s": "d1 d2 p", "p": "d3", "d1": "", "d2": "", "d3": ""}, labels, tasks)
    rock, either = split(corpus)
    assert rock.split.targets == set(urls("d1 d3"))  # neither the list nor the profile, whatever their tags
    assert either.split.targets == set(urls("d1 d2 d3"))
    assert Splitter(corpus, corpus.tasks[0]).details() == set(urls("d1 d2 d3"))


def test_choose(forum: Corpus) -> None:
    assert choose(forum, None).name == "type"
    assert choose(forum, "user-content").kind == "user-content"
    with pytest.raises(ConfigError, match=r'corpus.toml: task "typ" is not known; did you mean "type"\?'):
        choose(forum, "typ")


def test_choose_among_tasks_that_are_no_crawls(tmp_path: Path) -> None:
    corpus = write(tmp_path, {"s": ""}, labelled(blog="s"), task("genre", column="kind"))
    with pytest.raises(ConfigError, match='task "genre" is of kind "genre"'):
        choose(corpus, "genre")
    with pytest.raises(ConfigError, match="no task of a kind that can be run"):
        choose(corpus, None)


def test_the_map(tmp_path: Path) -> None:
    links = {"s": "hub one", "hub": "t1 t2 t3", "one": "t1", "t1": "s", "t2": "", "t3": "", "end": ""}
    corpus = write(tmp_path, links, labelled(t="t1 t2 t3"), "")
    drawn = draw(corpus.graph(), urls("t1 t2 t3"))
    assert drawn[url("hub")] == pytest.approx((3, 1, 3 / 4))  # three of four fetches bring a target
    assert drawn[url("one")] == pytest.approx((1, 1, 1 / 2))
    assert drawn[url("s")] == pytest.approx((3, 2, 3 / 5))  # by way of the hub
    assert set(drawn) == {url(name) for name in ("s", "hub", "one")}


def test_what_the_oracle_is_told(tmp_path: Path) -> None:
    """The second hub leads to nothing that the first one did not show, so the plan goes round it."""
    links = {
        "s": "hub again small dull",
        "hub": "t1 t2 t3",
        "again": "t1 t2",
        "small": "t4",
        "dull": "dull2",
        "dull2": "",
    }
    corpus = write(tmp_path, links | {f"t{i}": "" for i in range(1, 5)}, labelled(t="t1 t2 t3 t4"), "")
    told = worth(corpus.graph(), urls("t1 t2 t3 t4"), urls("s"), 20)
    assert Plan(corpus.graph(), urls("t1 t2 t3 t4"), urls("s")).follow(20) == urls("s hub small")
    assert {told[url(f"t{i}")] for i in range(1, 5)} == {1.0}
    assert 1 > told[url("s")] > told[url("hub")] > told[url("small")] > 0.5 > told[url("again")]
    assert url("dull") not in told


def test_the_plan_finds_the_way_to_a_far_hub(tmp_path: Path) -> None:
    links = {"s": "near way", "near": "t0", "way": "way2", "way2": "hub", "hub": " ".join(f"t{i}" for i in range(1, 9))}
    links |= {f"t{i}": "" for i in range(9)}
    targets = [url(f"t{i}") for i in range(9)]
    corpus = write(tmp_path, links, labelled(t=" ".join(f"t{i}" for i in range(9))), "")
    assert Plan(corpus.graph(), targets, urls("s")).follow(50) == urls("s way way2 hub near")
    assert Plan(corpus.graph(), targets, urls("s")).follow(3) == urls("s way way2")


webs = st.lists(st.lists(st.integers(0, 11), max_size=4), min_size=12, max_size=12)


@given(webs, st.frozensets(st.integers(0, 11), min_size=1))
def test_the_plan_reaches_every_target_that_can_be_reached(web: list[list[int]], chosen: frozenset[int]) -> None:
    nodes = [f"p{i}" for i in range(12)]
    graph = Graph.build(nodes, ((nodes[i], [nodes[j] for j in links]) for i, links in enumerate(web)))
    targets = {nodes[i] for i in chosen} & graph.reachable([nodes[0]])
    plan = Plan(graph, targets, [nodes[0]])
    order = plan.follow(1000)
    assert not plan.unseen
    assert len(order) == len(set(order))
    assert not targets & set(order)
    told = worth(graph, targets, [nodes[0]], 1000)
    assert all((value == 1.0) == (page in targets) for page, value in told.items())
