"""Settings that there were before: what to write instead. A file that has one as it was by default is read without it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from .errors import ConfigError

ACCESS = "write it into the file that `access` names (access.md)"
PACE = "it follows from `delay` (politeness.md)"

# What each was by default, and what to do now.
FORMER: dict[str, tuple[Any, str]] = {
    "label_column": ("", 'write labels = "FILE:COLUMN=LABEL"'),
    "positive": ("", 'write labels = "FILE:LABEL"'),
    "topic_model": ("", 'write model = "FILE"'),
    "tag": ("", 'it is the strategy\'s: strategy = "profile-plus(tag=TAG)"'),
    "site": ("", 'it is the strategy\'s: strategy = "structure-plus(site=FILE)"'),
    "not_hosts": ([], "write it into `exclude`"),
    "not_patterns": ([], "write it into `exclude`"),
    "slowness": (2, PACE),
    "backoff": (10, PACE),
    "tdmrep": (False, 'with "tdm" in `obey` tdmrep.json is fetched and obeyed'),
    "fetch_ports": ([80, 443, 8080, 8443], "the ports of seeds are allowed besides the usual ones"),
    "fetch_loopback": (False, 'write allow_networks = ["loopback"]'),
    "fetch_proxy": ("", ACCESS),
    "fetch_ca": ("", ACCESS),
    "fetch_cookies": (False, ACCESS),
    "keep_links": (False, "`opilio export --links` writes every link of every page"),
}


def without_former(values: Mapping[str, Any], where: Callable[[str], str]) -> dict[str, Any]:
    """The same values without settings that are gone; one that was set is a ConfigError that says what to do."""
    for name, value in values.items():
        if name in FORMER and value != FORMER[name][0]:
            raise ConfigError(f"{where(name)}: there is no setting {name} any more; {FORMER[name][1]}")
    return {name: value for name, value in values.items() if name not in FORMER}
