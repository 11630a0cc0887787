"""How the code is kept readable: short main files, small classes, nothing that is found by its name."""

from __future__ import annotations

import ast
import re
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
# Classes that have more methods; none may be added.
LARGE = {"strategies/structure_plus/harvest.py Harvest"}
LATER = {"strategies/blend.py"}  # main files that are longer


@cache
def modules() -> dict[str, tuple[str, ast.Module]]:
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(SOURCE.rglob("*.py"))}
    return {path.relative_to(SOURCE).as_posix(): (text, ast.parse(text)) for path, text in texts.items()}


def test_main_files_of_strategies_are_short() -> None:
    mains = [name for name in modules() if re.fullmatch(r"strategies/(\w+|\w+/__init__)\.py", name)]
    assert len(mains) > 20
    long = {name for name in mains if modules()[name][0].count("\n") > MAIN_FILE}
    assert long <= LATER


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
    assert large <= LARGE


@pytest.mark.parametrize("pattern", [r"[A-Z]\w+\(\*self\.\w+_\)", r"(hasattr|getattr)\(self\.(strategy|topic)\b"])
def test_state_is_objects_and_interfaces_are_declared(pattern: str) -> None:
    assert [name for name, (text, _) in modules().items() if re.search(pattern, text)] == []
