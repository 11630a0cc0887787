"""Finds strategies and topic models by their file names, and makes a strategy out of what a task can give."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator, Mapping
from functools import cache
from types import ModuleType
from typing import Any, TypeVar

from . import strategies as strategy_folder
from .errors import ConfigError, unknown
from .nouns import Material, Strategy, Topic
from .topics import models as topic_folder

T = TypeVar("T")
NEEDS = {
    "topic": "a topic",
    "seed": "a random seed",
    "truth": "the ground truth, which only benchmarks have",
    "example": "an example page",
    "goal": "a goal",
    "tag": "a tag to start from",
}


class Missing(Exception):
    """A strategy needs something that was not given."""

    def __init__(self, strategy: str, need: str) -> None:
        super().__init__(f"{strategy} needs {NEEDS[need]}")
        self.need = need


@cache
def strategies() -> Mapping[str, type[Strategy]]:
    """Every strategy there is, by the name that users type."""
    return Found(strategy_folder, Strategy)  # type: ignore[type-abstract]


@cache
def topics() -> Mapping[str, type[Topic]]:
    """Every topic model there is, by the name that users type."""
    return Found(topic_folder, Topic)  # type: ignore[type-abstract]


def learn(spec: str, material: Material) -> Topic:
    """The topic that the model of a spec like `linear` or `semantic(folder=DIR)` makes of the material."""
    from threadpoolctl import threadpool_limits  # not needed by a crawl without a topic

    name, chosen = parse_model(spec)
    kind: Any = topics()[name]
    with threadpool_limits(1):  # the matrices are small: threads of several workers would only wait for each other
        topic: Topic = kind.learn(material, **chosen)
    return topic


def parse_model(spec: str) -> tuple[str, dict[str, Any]]:
    """Name and settings of a topic model, checked; its settings are what its `learn` takes besides the material."""
    name, inside = _parts("model", spec, topics())
    pairs = _pairs("model", spec, inside)
    defaults = _model_settings(name) if pairs else {}  # a name alone is known without its module
    return name, {key: _checked(f"model {name}", key, text, defaults) for key, text in pairs}


def _model_settings(name: str) -> dict[str, Any]:
    learned: Any = topics()[name].learn  # type: ignore[attr-defined]
    return {key: p.default for key, p in inspect.signature(learned).parameters.items() if key != "material"}


def needs(kind: type[Strategy]) -> list[str]:
    """What the strategy cannot do without."""
    return [name for name, p in _parameters(kind).items() if name in NEEDS and p.default is p.empty]


def takes(kind: type[Strategy], need: str) -> bool:
    """Whether the strategy can make use of something that a task or a crawl gives."""
    return need in _parameters(kind)


def settings(kind: type[Strategy]) -> dict[str, Any]:
    """The strategy's settings with their defaults."""
    return {name: p.default for name, p in _parameters(kind).items() if name not in NEEDS}


def make(spec: str, given: Mapping[str, Any]) -> Strategy:
    """The strategy that a spec like `otie` or `otie(a=0.5,d=5)` names, made of what is given."""
    name, chosen = parse(spec)
    kind = strategies()[name]
    for need in needs(kind):
        if need not in given:
            raise Missing(name, need)
    taken = {key: given[key] for key in _parameters(kind) if key in NEEDS and key in given}
    return kind(**taken, **chosen)


def parse(spec: str) -> tuple[str, dict[str, Any]]:
    """Name and settings of a spec, checked: an unknown name or setting is a ConfigError."""
    name, inside = _parts("strategy", spec, strategies())
    defaults = settings(strategies()[name])
    return name, {
        key: _checked(f"strategy {name}", key, text, defaults) for key, text in _pairs("strategy", spec, inside)
    }


def split(text: str) -> list[str]:
    """The specs of a list such as `a,b(c=1,d=2)`."""
    return [part.strip() for part in re.split(r",(?![^(]*\))", text) if part.strip()]


def _parts(what: str, spec: str, known: Mapping[str, Any]) -> tuple[str, str]:
    """The name in a spec, and what stands in its brackets."""
    match = re.fullmatch(r"\s*([\w-]+)\s*(?:\((.*)\))?\s*", spec)
    if not match:
        raise ConfigError(f'{what} "{spec}" cannot be read; write NAME or NAME(setting=value,...)')
    if match[1] not in known:
        raise ConfigError(unknown(what, match[1], known))
    return match[1], match[2] or ""


def _pairs(what: str, spec: str, inside: str) -> list[tuple[str, str]]:
    pairs = [part.partition("=") for part in inside.split(",") if part.strip()]
    for key, sign, value in pairs:
        if not sign or not value.strip():
            raise ConfigError(f'{what} "{spec}": "{key.strip()}" has no value; write setting=value')
    return [(key.strip(), value.strip()) for key, _, value in pairs]


def _checked(place: str, key: str, text: str, defaults: Mapping[str, Any]) -> Any:
    if key not in defaults:
        raise ConfigError(f"{place}: " + unknown("setting", key, defaults))
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        value = {"true": True, "false": False}.get(text, text)
    default = defaults[key]
    if isinstance(default, float) and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if default is not None and type(value) is not type(default):
        raise ConfigError(f"{place}: {key}={text} is not of the kind of its default, {default!r}")
    return value


def _parameters(kind: type[Strategy]) -> Mapping[str, inspect.Parameter]:
    if kind.__init__ is object.__init__:
        return {}
    return {name: p for name, p in inspect.signature(kind.__init__).parameters.items() if name != "self"}


class Found(Mapping[str, type[T]]):
    """The one class of a kind in each file of a folder, by the file's name; loaded when it is asked for."""

    def __init__(self, folder: ModuleType, kind: type[T]) -> None:
        self._folder, self._kind = folder, kind
        self._files = {module.name.replace("_", "-"): module.name for module in pkgutil.iter_modules(folder.__path__)}
        self._loaded: dict[str, type[T]] = {}

    def __getitem__(self, name: str) -> type[T]:
        if name not in self._loaded:
            self._loaded[name] = self._load(self._files[name])
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __len__(self) -> int:
        return len(self._files)

    def __contains__(self, name: object) -> bool:
        return name in self._files

    def _load(self, file: str) -> type[T]:
        module = importlib.import_module(f"{self._folder.__name__}.{file}")
        classes = [
            value
            for value in vars(module).values()
            if isinstance(value, type) and issubclass(value, self._kind) and value.__module__ == module.__name__
        ]
        if len(classes) != 1:
            raise TypeError(f"{module.__name__} must define one {self._kind.__name__}, not {len(classes)}")
        return classes[0]
