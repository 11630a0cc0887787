"""Templates that a loose cluster had swallowed: what comes out of it, and what stays in."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from opilio.bench.agreement import agreement
from opilio.bench.corpus import Corpus
from opilio.learning.cluster_split import View, contained, page_types, parted, told_anew, view
from opilio.learning.clusters import OUTLIER, cluster, distances
from opilio.learning.likeness import LEAST_PAGES
from opilio.learning.page_types import learn, learn_styled
from opilio.learning.paths import marked, weights

MANUAL = Path(__file__).parents[1].parent / "shared" / "corpora" / "postgresql-doc"
WIDE = 0.6  # an eps at which everything is one cluster
FRAME = {"html/body/nav/a": 4, "html/body/h1": 1}
REFERENCE = {f"html/body/div/{tag}": 1 for tag in ("h2", "h2/span", "pre", "dl/dt", "dl/dd/p", "dl/dd/p/code")}

Bags = list[dict[str, int]]


def prose(rng: random.Random) -> dict[str, int]:
    """A page as writers make them: no two have the same elements."""
    return FRAME | {f"html/body/p/x{n}": rng.randrange(1, 9) for n in rng.sample(range(30), rng.randrange(3, 10))}


def reference(rng: random.Random) -> dict[str, int]:
    return FRAME | {path: count + rng.randrange(3) for path, count in REFERENCE.items()}


def manual(references: int, seed: int = 1) -> tuple[Bags, list[str]]:
    rng = random.Random(seed)
    bags = [prose(rng) for _ in range(60)] + [reference(rng) for _ in range(references)]
    return bags, ["prose"] * 60 + ["reference"] * references


def wide(bags: Bags) -> View:
    return view(bags)._replace(eps=WIDE)


def whole(bags: Bags) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.zeros(len(bags), dtype=np.int64)


def test_a_dense_template_comes_out_of_loose_prose() -> None:
    bags, kinds = manual(20)
    assert set(cluster(weights(bags).rows(bags)).labels[60:]) & set(cluster(weights(bags).rows(bags)).labels[:60])
    found = Counter(zip(kinds, parted(wide(bags), whole(bags)).tolist(), strict=True))
    assert found == {("prose", 0): 60, ("reference", 1): 20}


def test_a_handful_of_pages_is_no_template() -> None:
    bags, _ = manual(LEAST_PAGES - 1)
    assert not parted(wide(bags), whole(bags)).any()


def test_a_variant_stays_where_it_is() -> None:
    rng = random.Random(2)
    short = [reference(rng) for _ in range(30)]
    quoting = [reference(rng) | {"html/body/div/dl/dd/q": 3, "html/body/div/dl/dd/q/p": 3} for _ in range(70)]
    assert not parted(wide(short + quoting), whole(short + quoting)).any()


def test_contained_asks_the_smaller_of_two() -> None:
    small, large = np.array([1.0, 1.0, 0.0, 0.0]), np.array([1.0, 1.0, 3.0, 5.0])
    assert contained(small, large) == contained(large, small) == 1.0
    assert contained(np.array([1.0, 0.0, 0.0, 1.0]), np.array([1.0, 2.0, 0.0, 0.0])) == 0.5
    assert contained(np.zeros(4), large) == 1.0


def test_the_fringe_of_a_template_goes_with_it() -> None:
    places = np.array([0.0, 0.1, 0.2, 0.3, 5.0, 5.1, 5.2, 4.5, 9.0, 9.1])[:, None]
    before, labels = np.array([0] * 8 + [1] * 2), np.array([0] * 4 + [2] * 3 + [0] + [1] * 2)
    assert told_anew(distances(places, places), before, labels).tolist() == [0] * 4 + [2] * 4 + [1] * 2
    assert told_anew(distances(places, places), before, before).tolist() == before.tolist()


def test_the_cluster_of_an_example_is_left_whole() -> None:
    bags, _ = manual(20)
    assert len(set(page_types(wide(bags)).labels.tolist())) == 2
    assert len(set(page_types(wide(bags), example=True).labels.tolist())) == 1


def test_classes_tell_templates_apart_whose_tags_are_the_same() -> None:
    frame = {"html/body/nav.menu/a": 4, "html/body/h1": 1}
    kinds = ["command", "function"] * 15
    bags = [frame | {f"html/body/div.{kind}-{part}/p": 3 for part in ("name", "text", "notes")} for kind in kinds]
    plain = [{"html/body/nav/a": 4, "html/body/h1": 1, "html/body/div/p": 9} for _ in bags]
    assert set(learn(plain).names) == {0}
    found = Counter(zip(kinds, learn_styled(bags).names, strict=True))
    assert sorted(found.values()) == [15, 15]


def test_many_outliers_have_an_eps_of_their_own() -> None:
    rng = random.Random(5)
    same = [FRAME | {"html/body/dl/dt": 3, "html/body/dl/dd": 3} for _ in range(60)]
    bags = same + [reference(rng) for _ in range(40)]
    assert set(cluster(weights(bags).rows(bags)).labels[60:].tolist()) == {OUTLIER}
    sitemap, names, _ = learn(bags)
    assert sorted(Counter(name for name in names if name != OUTLIER).values())[-1] == 60
    assert names.count(OUTLIER) < 10
    fresh = [sitemap.classify(sitemap.row(reference(rng))) for _ in range(20)]
    assert fresh.count(names[-1]) > 15
    renamed = learn(bags).renamed([], 7)
    assert renamed.sitemap.wider.keys() == {renamed.names[-1]}


def test_a_marked_path_has_the_nearest_classes_without_their_numbers() -> None:
    assert marked("html/body.section-news/div.post.post-137/em/b") == "html/body/div/em/b[post post-0]"
    assert marked("html/body/p") == "html/body/p"


@pytest.mark.skipif(not MANUAL.is_dir(), reason=f"the recorded manual is not at {MANUAL}")
def test_commands_and_catalogs_of_a_manual_are_apart_from_its_chapters() -> None:
    corpus = Corpus.open(MANUAL)
    urls = random.Random(7).sample(sorted(corpus.urls), 500)
    kinds = [corpus.labels[url]["page_type"] for url in urls]
    found = agreement(learn_styled([corpus.page(url).styled for url in urls]).names, kinds)
    rows = weights(bags := [corpus.page(url).paths for url in urls]).rows(bags)
    loose = agreement(cluster(rows).labels.tolist(), kinds)
    assert loose.purity < 0.7
    assert found.purity > 0.85
    assert found.micro > loose.micro
