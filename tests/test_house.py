"""How the code is kept readable: short main files, small classes, nothing that is found by its name."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "opilio"
MAIN_FILE, MODULE, FUNCTION, METHODS = 130, 300, 40, 20  # lines, lines, lines, methods
# What is longer, and why.
LONGER = {
    "cli/crawl.py crawl": "every option is a parameter",
    "cli/bench.py bench": "every option is a parameter",
    "html/walk.py walk": "it runs for every node of a page, and a call for each would cost more than what it does",
}


@cache
def modules() -> dict[str, tuple[str, ast.Module]]:
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(SOURCE.rglob("*.py"))}
    return {path.relative_to(SOURCE).as_posix(): (text, ast.parse(text)) for path, text in texts.items()}


def test_main_files_of_strategies_are_short() -> None:
    mains = [name for name in modules() if re.fullmatch(r"strategies/(\w+|\w+/__init__)\.py", name)]
    assert len(mains) > 20
    assert not {name for name in mains if modules()[name][0].count("\n") > MAIN_FILE}


def test_modules_are_short() -> None:
    assert {name: lines for name, (text, _) in modules().items() if (lines := text.count("\n")) > MODULE} == {}


def test_functions_are_short() -> None:
    long = {
        f"{name} {node.name}": node.end_lineno - node.lineno + 1
        for name, (_, tree) in modules().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno
        if node.end_lineno - node.lineno >= FUNCTION
    }
    assert long.keys() <= LONGER.keys(), long


def test_classes_are_small() -> None:
    large = {
        f"{name} {node.name}"
        for name, (_, tree) in modules().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        if sum(isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) for one in node.body) >= METHODS
    }
    assert large == set()


@pytest.mark.parametrize("pattern", [r"[A-Z]\w+\(\*self\.\w+_\)", r"(hasattr|getattr)\(self\.(strategy|topic)\b"])
def test_state_is_objects_and_interfaces_are_declared(pattern: str) -> None:
    assert [name for name, (text, _) in modules().items() if re.search(pattern, text)] == []


OLD_NAMES = {"said", "told", "heard", "telling", "desk", "shelf", "gift", "gifts", "wishes", "dearer", "dearest"}
NOT_YET = ("strategies/structure_plus/",)  # which have some


def test_names_are_what_an_engineer_would_say() -> None:
    found = {
        f"{path}: {name}"
        for path, (_, tree) in modules().items()
        for node in ast.walk(tree)
        if not path.startswith(NOT_YET)
        for name in {*names_of(node)} & OLD_NAMES
    }
    assert found == set()


def names_of(node: ast.AST) -> Iterator[str]:
    """What a piece of code defines or uses."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) | ast.keyword(arg=str(name)):
            yield name
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name.lower()


# File names that several packages have, because they mean the same thing in each of them.
SHARED = {
    "api": "what programs can call", "bench": "benchmarks", "changes": "lanes, leases and hosts that changed",
    "communities": "communities of sites", "compare": "runs compared", "config": "settings of a crawl",
    "corpus": "recorded pages with ground truth", "errors": "what can go wrong", "explain": "why a URL was fetched or not",
    "export": "files for other programs", "frontier": "the frontier", "labels": "what people say of pages",
    "lanes": "lanes of offers", "memory": "in memory alone", "new_crawl": "the form for a new crawl", "oracle": "the oracle",
    "page_types": "page types", "path_strings": "path strings", "picture": "what a strategy shows of what it knows",
    "recrawl": "visiting pages again", "restore": "going on after the last commit", "robots": "robots.txt",
    "rows": "what is known of a URL", "run": "one run", "search": "full-text search", "server": "what answers requests",
    "standings": "strategies over several corpora", "structure": "the structure of a site", "tables": "tables of a database",
    "tags": "tags of media sites", "tasks": "tasks of a corpus", "topic": "a topic", "topic_view": "what a topic rests on",
    "harvest": "what a crawl found",
}  # fmt: skip


def test_a_file_name_means_one_thing() -> None:
    names = Counter(
        path.rpartition("/")[2].removesuffix(".py") for path in modules() if not path.endswith("__init__.py")
    )
    several = {name for name, count in names.items() if count > 1}
    assert several <= SHARED.keys(), "name the new file otherwise, so that it is found at the first try"
