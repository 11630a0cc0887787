"""What engine, store and report ask of a strategy or a topic is declared on Strategy and Topic, with defaults."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

import opilio
from opilio import registry
from opilio.errors import ConfigError
from opilio.nouns import Material, Page, Say, Strategy, Topic
from opilio.registry import strategies, takes

# What Python, a platform or a library may have or not: it is not ours to declare.
OF_OTHERS = {"strerror", "__file__", "mallopt", "epoll", "sched_getaffinity", "selectolax"}


class Own(Strategy):
    """A strategy that somebody else wrote."""

    known = ""

    def observe(self, page: Page) -> Iterable[Say]:
        return ()

    def know_site(self, text: str, name: str) -> None:
        self.known = f"{name} says {text}"


class Plain(Topic):
    def text(self, text: str) -> float:
        return 0.0


def test_any_strategy_can_start_from_a_site_file(tmp_path: Path) -> None:
    (tmp_path / "site.txt").write_text("hello")
    strategy = registry.make(f"{registry.spec_of(Own)}(site={tmp_path / 'site.txt'})", {})
    assert isinstance(strategy, Own)
    assert strategy.known == f"{tmp_path / 'site.txt'} says hello"


def test_what_nobody_declared_has_a_default() -> None:
    assert Own().why() == ""
    assert Plain().why == ""
    assert Plain().decisive() == []
    with pytest.raises(NotImplementedError, match="Plain does not learn"):
        Plain.learn(Material("bees"))


def test_a_model_is_a_topic_that_learns() -> None:
    with pytest.raises(ConfigError, match="is not a topic model"):
        registry.learn(registry.spec_of(Plain), Material("bees"))


def test_a_strategy_takes_what_its_constructor_names() -> None:
    assert takes(strategies()["structure"], "example")
    assert takes(strategies()["otie"], "topic")
    assert not takes(strategies()["breadth-first"], "topic")


def test_nothing_is_asked_by_a_hidden_name() -> None:
    files = Path(opilio.__file__).parent.rglob("*.py")
    assert [found for path in files for found in hidden_names(path)] == []


def hidden_names(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("getattr", "hasattr"):
            name = node.args[1]
            if isinstance(name, ast.Constant) and name.value not in OF_OTHERS:
                yield f"{path}, line {node.lineno}: {name.value!r}"
