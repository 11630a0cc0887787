"""Specs as users type them: `otie`, `otie(a=0.5,d=5)`, `path/to/file.py:Class(depth=3)`."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any

from . import plugins
from .errors import ConfigError, unknown


def is_address(spec: str) -> bool:
    """Whether the spec names a class by where it is, and not by a name that is known."""
    return plugins.is_address(_halves(spec)[0])


def absolute(spec: str) -> str:
    """The same spec, read from whatever folder."""
    name, brackets = _halves(spec)
    return plugins.absolute(name) + brackets if plugins.is_address(name) else spec


def split(text: str) -> list[str]:
    """The specs of a list such as `a,b(c=1,d=2)`."""
    return [part.strip() for part in re.split(r",(?![^(]*\))", text) if part.strip()]


def parts(what: str, spec: str) -> tuple[str, str]:
    """The name in a spec, and what stands in its brackets."""
    name, brackets = _halves(spec)
    if not name:
        raise ConfigError(
            f'{what} "{spec}" cannot be read; write NAME or NAME(setting=value,...); a class of your own is '
            "path/to/file.py:Class"
        )
    return name, brackets[1:-1]


def _halves(spec: str) -> tuple[str, str]:
    """The name in a spec and its brackets; both empty where it is not a spec."""
    match = re.fullmatch(r"\s*((?:.*\.py:|[\w.]+:)?[\w-]+)\s*(\(.*\))?\s*", spec)
    return (match[1], match[2] or "") if match else ("", "")


def pairs(what: str, spec: str, inside: str) -> list[tuple[str, str]]:
    """The settings in the brackets of a spec, as they are written."""
    pairs = [part.partition("=") for part in inside.split(",") if part.strip()]
    for key, sign, value in pairs:
        if not sign or not value.strip():
            raise ConfigError(f'{what} "{spec}": "{key.strip()}" has no value; write setting=value')
    return [(key.strip(), value.strip()) for key, _, value in pairs]


def checked(place: str, key: str, text: str, defaults: Mapping[str, Any]) -> Any:
    """The value of a setting, which must be of the kind of its default."""
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
        raise ConfigError(f"{place}: {key}={text} is not of the same type as its default, {default!r}")
    return value
