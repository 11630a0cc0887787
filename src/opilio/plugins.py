"""Classes that are not ours: in a file (`path/to/file.py:Class`), in a module (`package.module:Class`), in an installed package
that names them as entry points, or defined in this very process (`here:Class`)."""

from __future__ import annotations

import importlib.util
import inspect
import sys
import traceback
from collections.abc import Callable, Sequence
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from .errors import ConfigError, unknown
from .nouns import Strategy, Terms

T = TypeVar("T")
HERE = "here:"
# What the code of a module raises when it is written wrongly.
MISTAKES = (
    SyntaxError, ImportError, NameError, AttributeError, TypeError, ValueError, LookupError, ArithmeticError, RuntimeError,
    OSError, AssertionError,
)  # fmt: skip

_here: dict[str, type] = {}


def is_address(name: str) -> bool:
    """Whether it says where a class is, and is not just a name."""
    return ":" in name


def is_here(name: str) -> bool:
    """Whether no other process can find the class."""
    return name.startswith(HERE)


def load(address: str) -> object:
    """What is at `path/to/file.py:Class`, `package.module:Class` or `here:Class`; a ConfigError says why there is nothing."""
    place, _, name = address.rpartition(":")
    if is_here(address):
        return _defined_here(name)
    module = (
        _from_file(Path(place)) if place.endswith(".py") else running(place, lambda: importlib.import_module(place))
    )
    if name not in vars(module):
        raise ConfigError(f"{place}: {unknown('class', name, _classes(module))}")
    return vars(module)[name]


def absolute(address: str) -> str:
    """The same address from whatever folder it is read."""
    place, colon, name = address.rpartition(":")
    return f"{Path(place).absolute()}:{name}" if place.endswith(".py") else place + colon + name


METHODS = {
    "observe": ["page"],
    "start": ["seeds", "pages"],
    "weigh": ["lane"],
}  # that most strategies write, and what they get


def check_strategy_class(name: str, kind: type[Strategy]) -> None:
    """ConfigError where a class cannot be a strategy, whatever it is given."""
    if lacking := sorted(kind.__abstractmethods__):
        raise ConfigError(f"strategy {name} has no method {lacking[0]}; write one, as Strategy describes it")
    for method, arguments in METHODS.items():
        if wrong := _wrong_method(inspect.getattr_static(kind, method), arguments):
            raise ConfigError(f"strategy {name}: {method} {wrong}; write def {method}(self, {', '.join(arguments)})")
    if kind.merge not in ("max", "sum", "join"):
        raise ConfigError(f'strategy {name}: merge = {kind.merge!r} is not known; it must be "max", "sum" or "join"')
    if not isinstance(kind.terms, Terms) or not isinstance(kind.notes, tuple):
        raise ConfigError(f"strategy {name}: terms must be Terms(...), and notes a tuple of texts")


def _wrong_method(method: object, arguments: Sequence[str]) -> str:
    """What is wrong with a method that gets these arguments; "" when it can be called."""
    if not inspect.isroutine(method):
        return "is not a method"
    if inspect.iscoroutinefunction(method) or inspect.isasyncgenfunction(method):
        return "is async, and nobody would wait for it"
    if inspect.isfunction(method):
        try:
            inspect.signature(method).bind(None, *arguments)
        except TypeError:
            return f"is given {' and '.join(arguments)}, which {inspect.signature(method)} does not take"
    return ""


def address_of(kind: type) -> str:
    """Where a class is found again; `here:Class`, which is known in this process alone, when it is in no file or module."""
    module = sys.modules.get(kind.__module__)
    if module is not None and vars(module).get(kind.__name__) is kind:
        spec, file = module.__spec__, getattr(module, "__file__", None) or ""
        if spec is not None and spec.parent:
            return f"{spec.name}:{kind.__name__}"
        if file.endswith(".py") and Path(file).is_file():
            return absolute(f"{file}:{kind.__name__}")
    _here[kind.__name__] = kind
    return f"{HERE}{kind.__name__}"


@cache
def installed(group: str) -> Sequence[EntryPoint]:
    """What installed packages add to `opilio.strategies` or `opilio.topics`; takes a look at every package that is installed."""
    return sorted(entry_points(group=group))


def load_installed(entry: EntryPoint) -> object:
    """The class that an entry point names."""
    package = f"package {entry.dist.name}, " if entry.dist else ""
    return running(f"{package}{entry.group}: {entry.name} = {entry.value}", entry.load)


def _defined_here(name: str) -> type:
    if name not in _here:
        raise ConfigError(
            f"class {name} was defined in another Python process, and in no file; save it in one and write path/to/file.py:{name}"
        )
    return _here[name]


def _from_file(path: Path) -> ModuleType:
    """The module of a file, run once in a process."""
    if not path.is_file():
        raise ConfigError(f"{path}: there is no such file; write path/to/file.py:Class")
    name = str(path.absolute()).replace(".", "_")  # a dot would make it part of a package
    for module in filter(None, map(sys.modules.get, (name, "__main__"))):
        if Path(getattr(module, "__file__", None) or "").absolute() == path.absolute():
            return module
    spec = importlib.util.spec_from_file_location(name, path.absolute())
    if spec is None or spec.loader is None:
        raise ConfigError(f"{path}: this is not a Python file; write path/to/file.py:Class")
    made, loader = importlib.util.module_from_spec(spec), spec.loader
    sys.modules[name] = made  # dataclasses and `inspect` look there
    try:
        running(str(path), lambda: loader.exec_module(made))
    except BaseException:
        del sys.modules[name]
        raise
    return made


def running(place: str, action: Callable[[], T], what: str = "loaded") -> T:
    """What comes of running somebody's code; a mistake in it is a sentence that says where it is."""
    try:
        return action()
    except (*MISTAKES, SystemExit) as error:
        raise ConfigError(
            f"{place}: it cannot be {what}: {type(error).__name__}: {error}{_line(error)}; fix that first"
        ) from error


def _line(error: BaseException) -> str:
    if isinstance(error, SyntaxError):
        return ""  # it says so itself
    last = traceback.extract_tb(error.__traceback__)[-1]
    return "" if last.filename.startswith("<") else f" ({Path(last.filename).name}, line {last.lineno})"


def _classes(module: ModuleType) -> list[str]:
    return [
        name for name, value in vars(module).items() if isinstance(value, type) and value.__module__ == module.__name__
    ]
