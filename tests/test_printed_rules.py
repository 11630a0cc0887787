"""Rules and constants that the papers print: whoever changes one is told which it is."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from opilio import registry
from opilio.config import Config
from opilio.html import walk
from opilio.learning import clusters, mdl_clusters, paths
from opilio.nouns import RELEVANT
from opilio.strategies.community import similarity
from opilio.strategies.genre import features, prior
from opilio.strategies.genre.model import GENRES, model
from opilio.strategies.irobot.regions import EPSILON, MIN_DEPTH, MIN_R
from opilio.strategies.profile import tags
from opilio.strategies.structure import scores
from opilio.topics import counted, network

COMMUNITY = "Shen, Sun and Yang 2015 (community)"
GENRE = "Qian, Suebchua and Yamana 2017 (genre)"
PROFILE = "Zhang and Nasraoui 2009 (profile)"
OTIE = "Wang et al. 2009 (otie)"
SOURCE = "Xu, Gao and Callan 2018 (structure)"


def default_of(function: Callable[..., Any], argument: str) -> Any:
    return inspect.signature(function).parameters[argument].default


def default(strategy: str, setting: str) -> Any:
    return inspect.signature(registry.kind_of(strategy)).parameters[setting].default


CONSTANTS = [
    (SOURCE, "minPts = 4", lambda: clusters.LEAST_POINTS, 4),
    (SOURCE, "K-dist is the distance to the neighbour minPts", lambda: default_of(clusters.epsilon, "least"), 4),
    (SOURCE, "the search ends at a bin of fewer than minPts pages", lambda: default_of(clusters.epsilon, "thin"), 4),
    (SOURCE, "k = minPts - 1 neighbours tell a new page", lambda: clusters.NEIGHBOURS, 3),
    (SOURCE, "w = 4.8 for 1,000 pages", lambda: (clusters.FEATURES_A_BIN, clusters.PAPER_SAMPLE), (4.8, 1000)),
    (SOURCE, "both readings of NumBins = w · NumFeats", lambda: clusters.BINS, ("divided", "printed")),
    (SOURCE, "paths in fewer than minPts pages are left out", lambda: paths.LEAST_PAGES, 4),
    (SOURCE, "α = 0.5 for user content (5.3)", lambda: scores.CONTENT_ALPHA, 0.5),
    (SOURCE, "α = 0.8 for a target (5.4)", lambda: scores.TARGET_ALPHA, 0.8),
    (SOURCE, "Score = Info · DSim · Balance (eq. 11)", lambda: default("structure", "parts"), "info+dsim+balance"),
    (SOURCE, "one random link of each apath of a page (4.1)", lambda: default("structure", "sampling"), "apath"),
    (SOURCE, "MDL: dt = 0.2", lambda: mdl_clusters.NEAR, 0.2),
    (SOURCE, "iRobot: MinDepth = 3", lambda: MIN_DEPTH, 3),
    (SOURCE, "iRobot: MinR = 0.3", lambda: MIN_R, 0.3),
    (SOURCE, "iRobot: Epsilon = 0.5", lambda: EPSILON, 0.5),
    (OTIE, "a = 0.85 in the revision (eq. 8)", lambda: default("otie", "a"), 0.85),
    (OTIE, "d = 3.0 in the revision (eq. 8)", lambda: default("otie", "d"), 3.0),
    (OTIE, "β = 0.25 in the predicted similarity (eq. 9)", lambda: default("otie", "beta"), 0.25),
    (OTIE, "β = 0.25 of link-context-prediction (eq. 9)", lambda: default("link-context", "beta"), 0.25),
    (OTIE, "OPIC is the greedy one", lambda: default("opic", "select"), "greedy"),
    (OTIE, "OPIC without a virtual page, which only convergence asks for", lambda: default("opic", "virtual"), False),
    (OTIE, "N = 50 URLs in a fetch list", lambda: Config().batch, 50),
    (OTIE, "the fetch list is whole from the start: otie", lambda: registry.kind_of("otie").whole_batches, True),
    (OTIE, "the fetch list is whole from the start: opic", lambda: registry.kind_of("opic").whole_batches, True),
    (
        OTIE,
        "the fetch list is whole from the start: link-context",
        lambda: registry.kind_of("link-context").whole_batches,
        True,
    ),
    (OTIE, "scores of duplicate URLs add up in otie", lambda: registry.kind_of("otie").merge, "sum"),
    (
        OTIE,
        "the higher score of a duplicate URL stays in link-context",
        lambda: registry.kind_of("link-context").merge,
        "max",
    ),
    (OTIE, "T = 20 words around a link", lambda: walk.CONTEXT, 20),
    (OTIE, "2,000 words by χ²", lambda: counted.BEST, 2000),
    (OTIE, "4 hidden nodes", lambda: network.HIDDEN, 4),
    (OTIE, "learning rate 0.3", lambda: network.RATE, 0.3),
    (OTIE, "at most 500 epochs", lambda: network.EPOCHS, 500),
    (OTIE, "30 % of the examples to validate", lambda: network.VALIDATION, 0.3),
    (COMMUNITY, "θ = 0.5 between title and content (formula 2)", lambda: default("community", "theta"), 0.5),
    (COMMUNITY, "α = 0.3 (formula 3)", lambda: default("community", "alpha"), 0.3),
    (COMMUNITY, "β = 0.3 (formula 3)", lambda: default("community", "beta"), 0.3),
    (COMMUNITY, "γ = 0.4 (formula 3)", lambda: default("community", "gamma"), 0.4),
    (COMMUNITY, "sites with more than 1,000 links in or out are left out", lambda: default("community", "most"), 1000),
    (COMMUNITY, "a page is on the topic when SC(D,T) > 0.7", lambda: similarity.ON_TOPIC, 0.7),
    (COMMUNITY, "a link is promising when Score(url) > 0.6", lambda: similarity.PROMISING, 0.6),
    (GENRE, "w_R = 0.95", lambda: default("genre", "relevance"), 0.95),
    (GENRE, "five genres", lambda: set(GENRES), {"news", "blog", "image", "video", "other"}),
    (GENRE, "nine features, and no others, unless asked for", lambda: len(features.NINE), 9),
    (GENRE, "the shipped forest asks for nothing but the nine", lambda: int(model().asked.max()) < 9, True),
    (GENRE, "P of blogs, relevant pages (tables 2 and 3)", lambda: prior.PRINTED["relevant"]["blog"], 0.828),
    (GENRE, "P of images, relevant pages", lambda: prior.PRINTED["relevant"]["image"], 0.534),
    (GENRE, "P of news, relevant pages", lambda: prior.PRINTED["relevant"]["news"], 0.6195),
    (GENRE, "P of videos, relevant pages", lambda: prior.PRINTED["relevant"]["video"], 0.671),
    (GENRE, "P of others, relevant pages", lambda: prior.PRINTED["relevant"]["other"], 0.5545),
    (
        GENRE,
        "P of irrelevant pages",
        lambda: tuple(prior.PRINTED["irrelevant"].values()),
        (0.071, 0.021, 0.0345, 0.0105, 0.0075),
    ),
    (PROFILE, "RANK_TH = 0.01", lambda: default("profile", "threshold"), 0.01),
    (PROFILE, "two rounds of co-tagging", lambda: default("profile", "rounds"), 2),
    (PROFILE, "fifteen tags of a topic (tables 2 and 3)", lambda: tags.MOST_COTAGS, 15),
    (PROFILE, "camera tags are noise", lambda: {"nikon", "canon"} <= tags.STOP, True),
    (OTIE, "a classifier calls a page relevant from 0.5 on", lambda: RELEVANT, 0.5),
]


@pytest.mark.parametrize(("paper", "rule", "ours", "printed"), CONSTANTS, ids=[f"{p}: {r}" for p, r, _, _ in CONSTANTS])
def test_constant_is_as_printed(paper: str, rule: str, ours: Any, printed: Any) -> None:
    assert ours() == printed, f"{paper}: {rule}"
