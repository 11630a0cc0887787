"""Reads the configuration of a crawl, one flat TOML file and what the command line says, and checks it before anything starts."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from . import registry, specs
from .config import LOOPBACK, Config
from .errors import ConfigError, UnreadableError, unknown
from .fetchers.http.access import read_access
from .system.files import read_text
from .urls import canonical

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

VARIABLE = "OPILIO_"  # what the name of a setting begins with in the environment
LIKE = "structure-plus"  # the strategy of a crawl for pages like others whatever they are about, unless another one is named
ABOUT = ("topic", "topic_file", "examples", "labels")  # what says what pages should be about

# What a value must be, by the kind of mistake that pydantic finds; names in braces are of its context.
RULES = {
    "greater_than_equal": "{ge} or more",
    "greater_than": "more than {gt}",
    "less_than_equal": "{le} or less",
    "finite_number": "a finite number",
    "literal_error": "one of {expected}",
    "string": "text in quotes",
    "list": 'a list, as in ["one", "two"]',
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
}


def load(
    path: Path | None,
    overrides: Mapping[str, Any],
    starts: bool = True,
    source: str = "command line",
    remark: Callable[[str], None] = lambda text: None,
    environment: Mapping[str, Any] | None = None,
) -> Config:
    """The configuration of a file, changed by the environment, and that by the command line; everything is checked before
    anything starts.

    Where a crawl starts from it, it must say from where. `remark` gets a sentence about each part that is left out.
    """
    text = _text(path) if path else ""
    values = {**(_parsed(path, text) if path else {}), **(environment or {})}
    overrides = {
        name: registry.spec_of(value) if isinstance(value, type) else value for name, value in overrides.items()
    }
    where = Where(str(path) if path else "", text, source, overrides, environment or {})
    given = {**values, **overrides}
    _check_names(given, where)
    try:
        config = Config.model_validate({**_usual_strategy(given), **given})
    except ValidationError as error:
        raise ConfigError(_sentence(error.errors()[0], where)) from None
    _check(config, where)
    if starts and not (config.corpus or config.seeds or config.like):
        raise ConfigError(
            f"{where('seeds')}: no seeds given; name a page to start from (--seed URL), a page of the type that is wanted "
            "(--like URL), or a folder of recorded pages (--corpus DIR)"
        )
    _remark(config, given, where, remark)
    places = {"strategy": specs.absolute(config.strategy), "model": specs.absolute(config.model)}
    if registry.is_saved_model(config.model):
        places["model"] = str(Path(config.model).absolute())
    if config.access:
        places["access"] = str(Path(config.access).absolute())
    return config.model_copy(update=places)  # a crawl may be resumed from another folder


def _usual_strategy(given: Mapping[str, Any]) -> dict[str, Any]:
    """What a crawl takes where no strategy is named, if that is not the default."""
    type_alone = given.get("like") and not any(given.get(name) for name in ABOUT)
    return {"strategy": LIKE} if type_alone and not registry.is_saved_model(str(given.get("model", ""))) else {}


def _remark(config: Config, given: Mapping[str, Any], where: Where, remark: Callable[[str], None]) -> None:
    for name in ("seeds", "examples", "like"):
        if name in given and getattr(config, name) != ([given[name]] if isinstance(given[name], str) else given[name]):
            remark(f"{where(name)}: {name}: the name and password in a URL are left out; they are never sent or stored")


def setting(text: str) -> tuple[str, Any]:
    """The name and value of `key=value`."""
    name, sign, value = text.partition("=")
    if not sign:
        raise ConfigError(f'-s {text}: no "="; write key=value')
    return name.strip(), value_of(value)


def value_of(text: str) -> Any:
    """A value in TOML, or plain text where it is not TOML."""
    try:
        return tomllib.loads(f"x = {text}")["x"]
    except (ValueError, RecursionError):
        return text.strip()


class Where:
    """Says where a setting was read: the command line goes before the environment, and that before the file."""

    def __init__(
        self, name: str, text: str, source: str, named: Collection[str], environment: Collection[str] = ()
    ) -> None:
        self.name, self.lines, self.source, self.named = name, text.splitlines(), source, named
        self.environment = environment

    def __call__(self, key: str) -> str:
        if key in self.environment and key not in self.named:
            return f"environment, {VARIABLE}{key.upper()}"
        if key in self.named or not self.name:
            return self.source
        for number, line in enumerate(self.lines, 1):
            if re.match(rf"\s*\[*\s*[\"']?{re.escape(key)}[\"']?\s*(\]|=|\.|$)", line):
                return f"{self.name}, line {number}"
        return f"{self.name} and {self.source}"


def _check_names(values: Mapping[str, Any], where: Where) -> None:
    for name, value in values.items():
        if isinstance(value, dict) or (isinstance(value, list) and any(isinstance(item, dict) for item in value)):
            raise ConfigError(
                f"{where(name)}: [{name}] is a section, and a configuration has none; write each setting on a line of its "
                "own, as in: max_pages = 100"
            )
        if name not in Config.model_fields:
            raise ConfigError(f"{where(name)}: {unknown('setting', name, Config.model_fields, 'opilio config show')}")


def _sentence(mistake: ErrorDetails, where: Where) -> str:
    """What is wrong with a value, and what is allowed."""
    name, kind, context = str(mistake["loc"][0]), mistake["type"], mistake.get("ctx", {})
    rule = RULES.get(kind) or RULES.get(kind.partition("_")[0])
    allowed = f"it must be {rule.format(**context)}" if rule else mistake["msg"].lower()
    return f"{where(name)}: {name} = {_shown(mistake['input'])} is not allowed; {allowed}"


def _shown(value: Any) -> str:
    """A value as TOML has it."""
    return str(value).lower() if isinstance(value, bool) else f'"{value}"' if isinstance(value, str) else repr(value)


def _check(config: Config, where: Where) -> None:
    try:
        registry.parse(config.strategy)
    except ConfigError as error:
        raise ConfigError(f"{where('strategy')}: {error}") from None
    try:
        if config.model and not registry.is_saved_model(config.model):
            registry.parse_model(config.model)
    except ConfigError as error:
        raise ConfigError(f"{where('model')}: {error}") from None
    _check_urls(config.seeds, f"{where('seeds')}: seeds")
    _check_urls(config.like, f"{where('like')}: like")
    _check_fetch(config, where)


def _check_fetch(config: Config, where: Where) -> None:
    if config.fetch_to and not _is_place(config.fetch_to):
        raise ConfigError(
            f'{where("fetch_to")}: fetch_to = "{config.fetch_to}" is not ADDRESS:PORT; write it as in 127.0.0.1:8080'
        )
    for network in config.allow_networks:
        if network != LOOPBACK and not _is_network(network):
            raise ConfigError(
                f'{where("allow_networks")}: allow_networks has "{network}", which is not a range of addresses; write it '
                f'with its length, as in 10.1.2.0/24; "{LOOPBACK}" is this machine'
            )
    if config.access:
        read_access(Path(config.access))


def _is_network(text: str) -> bool:
    """Whether it is a range of addresses, with nothing set beyond its length."""
    try:
        ip_network(text)
    except ValueError:
        return False
    return "/" in text


def _is_place(text: str) -> bool:
    """Whether it is ADDRESS:PORT."""
    address, _, port = text.rpartition(":")
    try:
        ip_address(address.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    is_in_brackets = address.startswith("[") and address.endswith("]")
    return is_in_brackets == (":" in address) and bool(re.fullmatch("[0-9]{1,5}", port)) and 0 < int(port) < 1 << 16


def _check_urls(urls: Sequence[str], where: str) -> None:
    for url in urls:
        if not canonical(url):
            raise ConfigError(f'{where}: "{url}" is not an http(s) URL; write it in full, as in https://host/path')


def _text(path: Path) -> str:
    if not path.exists():
        raise UnreadableError(f"{path}: there is no such file; `opilio config init {path}` makes one")
    return read_text(path, "name a TOML file")


def _parsed(path: Path, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: broken TOML: {error}; fix that line") from None
