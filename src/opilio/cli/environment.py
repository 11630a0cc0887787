"""Settings from the environment: OPILIO_MAX_PAGES is max_pages. What the command line says goes before them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from difflib import get_close_matches
from typing import Any

from ..config import Config
from ..config_file import VARIABLE, value_of

OTHERS = ("OPILIO_TOKEN", "OPILIO_CACHE")  # variables that are not settings of a crawl
NEAR = 0.8  # how like a setting's name another one must be to be taken for a slip


def from_environment(variables: Mapping[str, str], remark: Callable[[str], None]) -> dict[str, Any]:
    """The settings among the variables, each written as after -s.

    A variable of another name is left alone, for programs around set their own (OPILIO_PORT); one that looks like a setting
    is remarked on.
    """
    known = {name.upper(): name for name in Config.model_fields}
    found = {}
    for variable, text in variables.items():
        name = variable.removeprefix(VARIABLE)
        if name == variable or variable in OTHERS:
            continue
        if name in known:
            found[known[name]] = value_of(text)
        elif near := get_close_matches(name, known, n=1, cutoff=NEAR):
            remark(f"environment: {variable} is not a setting, and is left out; did you mean {VARIABLE}{near[0]}?")
    return found
