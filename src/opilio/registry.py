"""Finds strategies and topic models, and makes a strategy out of what a task can give.

Ours go by their file names. Those of others are found by entry points of installed packages (`opilio.strategies`,
`opilio.topics`), which are looked at only for a name that is not ours, or by an address such as `path/to/file.py:Class`.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from . import plugins, specs
from . import strategies as strategy_folder
from .errors import ConfigError, TooFewExamples, unknown
from .model_file import Saved
from .nouns import Material, Strategy, Topic
from .system.files import read_text
from .topics import models as topic_folder

T = TypeVar("T")
SITE = "site"  # the setting of strategies that can start from a file of what is known of a site
ANY_MATERIAL = "auto"  # the model that makes do with what there is
GROUPS = {"strategy": "opilio.strategies", "model": "opilio.topics"}  # of entry points
NEEDS = {
    "topic": "a topic",
    "seed": "a random seed",
    "truth": "the ground truth, which only benchmarks have",
    "example": "an example page",
    "like": "a page that the wanted ones are like",
    "goal": "a goal",
    "tag": "a tag to start from",
    "words": "a topic",
    "perimeter": "the edge of a recording, which only benchmarks have",
}


class Missing(Exception):
    """A strategy needs something that was not given."""

    def __init__(self, strategy: str, need: str) -> None:
        super().__init__(f"{strategy} needs {NEEDS[need]}")
        self.strategy, self.need = strategy, need


@cache
def strategies() -> Mapping[str, type[Strategy]]:
    """Every strategy of ours, by the name that users type."""
    return Found(strategy_folder, Strategy)  # type: ignore[type-abstract]


@cache
def topics() -> Mapping[str, type[Topic]]:
    """Every topic model of ours, by the name that users type."""
    return Found(topic_folder, Topic)  # type: ignore[type-abstract]


def spec_of(strategy: str | type) -> str:
    """The spec of a strategy or a topic model; a class is named by where it is found again, or as `here:Class` (`is_here`)."""
    if not isinstance(strategy, str | type):
        raise ConfigError(f"{strategy!r} is neither the name of a strategy nor a class; give one of these")
    return strategy if isinstance(strategy, str) else plugins.address_of(strategy)


def is_here(spec: str) -> bool:
    """Whether the spec names a class that no other process can find: one of a notebook or inside of a function."""
    return plugins.is_here(spec.strip())


def kind_of(spec: str) -> type[Strategy]:
    """The class of the strategy that a spec names; a ConfigError says why there is none."""
    return _strategy_kind(specs.parts("strategy", spec)[0])


def names_of_others() -> list[str]:
    """The strategies that installed packages bring."""
    return [entry.name for entry in plugins.installed("opilio.strategies") if entry.name not in strategies()]


def _strategy_kind(name: str) -> type[Strategy]:
    if name in strategies():
        return strategies()[name]
    kind = _others("strategy", name, strategies())
    if not isinstance(kind, type) or not issubclass(kind, Strategy):
        raise ConfigError(f"{name} is not a strategy; derive it from opilio.Strategy, as in: class Mine(Strategy)")
    plugins.check_strategy_class(name, kind)
    for key, parameter in _parameters(kind).items():
        if parameter.default is parameter.empty and key not in NEEDS:
            raise ConfigError(
                f'strategy {name}: its constructor needs "{key}", which neither a crawl nor a benchmark can give; give it a '
                f"default to make it a setting, or ask for one of {', '.join(NEEDS)}"
            )
    return kind


def _topic_kind(name: str) -> type[Topic]:
    if name in topics():
        return topics()[name]
    kind = _others("model", name, topics())
    if not (isinstance(kind, type) and issubclass(kind, Topic) and issubclass(kind, Saved) and _learns(kind)):
        raise ConfigError(
            f"{name} is not a topic model; derive it from opilio.model_file.Saved and opilio.Topic, with a "
            "class method learn(material)"
        )
    if lacking := sorted(kind.__abstractmethods__):
        raise ConfigError(f"model {name} has no method {lacking[0]}; write one, as Topic describes it")
    return kind


def _learns(kind: type[Topic]) -> bool:
    """Whether a topic is a model that learns from material."""
    return kind.learn.__func__ is not Topic.learn.__func__  # type: ignore[attr-defined]


def _others(what: str, name: str, ours: Mapping[str, Any]) -> object:
    """What an address or an entry point names."""
    if plugins.is_address(name):
        return plugins.load(name)
    installed = {entry.name: entry for entry in plugins.installed(GROUPS[what])}
    if name not in installed:
        raise ConfigError(unknown(what, name, {*ours, *installed}))
    return plugins.load_installed(installed[name])


def learn(spec: str, material: Material) -> Topic:
    """The topic that the model of a spec like `linear` or `semantic(folder=DIR)` makes of the material."""
    from threadpoolctl import threadpool_limits  # not needed by a crawl without a topic

    name, chosen = parse_model(spec)
    kind = _topic_kind(name)
    with threadpool_limits(1):  # the matrices are small: threads of several workers would only wait for each other
        return kind.learn(material, **chosen)


def learn_as_method(strategy: str, material: Material) -> tuple[Topic, str]:
    """The topic by the model that a strategy's method judges by; by `auto` where the material is not enough, and why, else ""."""
    model = kind_of(strategy).topic_model
    try:
        return learn(model, material), ""
    except TooFewExamples as few:
        lacking = str(few).partition(":")[0]
        return learn(
            ANY_MATERIAL, material
        ), f"{lacking}; so {specs.parts('strategy', strategy)[0]} judges by {ANY_MATERIAL}"


def is_saved_model(model: str) -> bool:
    """Whether a user means a file that `opilio topic train` made, and not the name of a model."""
    if model in topics() or "(" in model or specs.is_address(model):
        return False
    return "/" in model or "." in model or Path(model).is_file()


def parse_model(spec: str) -> tuple[str, dict[str, Any]]:
    """Name and settings of a topic model, checked; its settings are what its `learn` takes besides the material."""
    name, inside = specs.parts("model", spec)
    if name not in topics():
        _topic_kind(name)
    pairs = specs.pairs("model", spec, inside)
    defaults = _model_settings(name) if pairs else {}  # a name alone is known without its module
    return name, {key: specs.checked(f"model {name}", key, text, defaults) for key, text in pairs}


def _model_settings(name: str) -> dict[str, Any]:
    learned = inspect.signature(_topic_kind(name).learn).parameters
    return {key: p.default for key, p in learned.items() if key != "material"}


def about(kind: type[Strategy]) -> str:
    """What a strategy does, in one sentence: the first line of its file."""
    return (sys.modules[kind.__module__].__doc__ or "").strip().partition("\n")[0]


def needs(kind: type[Strategy]) -> list[str]:
    """What the strategy cannot do without."""
    return [name for name, p in _parameters(kind).items() if name in NEEDS and p.default is p.empty]


def takes(kind: type[Strategy], need: str) -> bool:
    """Whether the strategy can make use of something that a task or a crawl gives."""
    return need in _parameters(kind)


def settings(kind: type[Strategy]) -> dict[str, Any]:
    """The strategy's settings with their defaults."""
    own = {name: p.default for name, p in _parameters(kind).items() if name not in NEEDS}
    tag = {"tag": ""} if takes(kind, "tag") else {}  # the topic's words, unless it is named
    return own | tag | ({SITE: ""} if kind.know_site is not Strategy.know_site else {})


def make(strategy: str | type[Strategy], given: Mapping[str, Any], restored: bool = False) -> Strategy:
    """The strategy that a spec like `otie` or `otie(a=0.5,d=5)` names, or of that class, made of what is given.

    One that is about to be restored reads no site file: what was in it is in its state.
    """
    name, chosen = parse(spec_of(strategy))
    kind, site = _strategy_kind(name), chosen.pop(SITE, "")
    given = {**given, **chosen}
    for need in needs(kind):
        if need not in given:
            raise Missing(name, need)
    if kind.one_of and not any(given.get(need) for need in kind.one_of):
        raise Missing(name, kind.one_of[0])
    arguments = {key: given[key] for key in _parameters(kind) if key in given}
    ours = name in strategies()
    made = kind(**arguments) if ours else plugins.running(f"strategy {name}", lambda: kind(**arguments), "made")
    if site and not restored:
        made.know_site(read_text(Path(site), "make it with `opilio structure -o` or `opilio site`"), site)
    return made


def site_file(spec: str) -> str:
    """The file that a strategy starts from; "" if there is none."""
    return str(parse(spec)[1].get(SITE, ""))


def parse(spec: str) -> tuple[str, dict[str, Any]]:
    """Name and settings of a spec, checked: an unknown name or setting is a ConfigError."""
    name, inside = specs.parts("strategy", spec)
    defaults = settings(_strategy_kind(name))
    return name, {
        key: specs.checked(f"strategy {name}", key, text, defaults)
        for key, text in specs.pairs("strategy", spec, inside)
    }


def _parameters(kind: type[Strategy]) -> Mapping[str, inspect.Parameter]:
    if kind.__init__ is object.__init__:
        return {}
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    parameters = list(inspect.signature(kind.__init__).parameters.items())[1:]  # the first is self
    return {name: p for name, p in parameters if p.kind in named}


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
