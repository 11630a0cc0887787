"""Colours of everything that is drawn, for light and dark, and the one colour that each strategy has everywhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from zlib import crc32

# Told apart with every kind of colour vision, on white and on black; after these the line is dashed.
LIGHT = ("#0072b2", "#d55e00", "#00795c", "#aa3377", "#866a00", "#332288", "#b03a48")
DARK = ("#56b4e9", "#ff8f45", "#35c79c", "#e58bc0", "#e3c13a", "#a9a1f5", "#ff9aa5")
DASHES = ("none", "7 3", "2 3", "9 3 2 3")
SLOTS = len(LIGHT) * len(DASHES)
PLAIN = {"oracle": "7 4", "random": "2 4"}  # the frame of reference, without a colour of its own

# ground: behind cards; paper: of cards and drawings; edge: around what can be filled in; on: text on the accent
BY_DAY = {
    "ground": "#f5f6f8", "paper": "#fff", "ink": "#1b1f24", "soft": "#57606a", "grid": "#dfe3e8", "edge": "#7d8590",
    "accent": "#00639b", "on": "#fff", "good": "#00704f", "bad": "#a8231b", "warn": "#7a4f00", "wash": "#e8f1f8",
}  # fmt: skip
BY_NIGHT = {
    "ground": "#0f1216", "paper": "#181c22", "ink": "#e9ecf0", "soft": "#a6aeb8", "grid": "#2e343d", "edge": "#7b838d",
    "accent": "#6dbdf0", "on": "#0b1116", "good": "#41cfa4", "bad": "#ff9d94", "warn": "#e7bd5a", "wash": "#1c2b37",
}  # fmt: skip

# A strategy's place among colours and dashes; a method and its extension share a colour.
PLACES = (
    "blend", "best-first", "breadth-first", "otie", "link-context", "community", "genre",
    "opic", "shark", "fish", "otie-plus", "link-context-plus", "community-plus", "genre-plus",
    "structure", "profile", "irobot", "target-map", "profile-opic", "", "",
    "structure-plus", "profile-plus",
)  # fmt: skip


def styles(names: Iterable[str]) -> dict[str, str]:
    """The class of the line of each strategy: its own one, or the next of the same colour where two want the same."""
    found: dict[str, str] = {}
    for name in dict.fromkeys(names):
        found[name] = name if name in PLAIN else f"s{_free(_place(name), set(found.values()))}"
    return found


def _place(name: str) -> int:
    base = name.partition("(")[0]
    return PLACES.index(base) if base in PLACES else crc32(base.encode()) % SLOTS


def _free(place: int, taken: set[str]) -> int:
    """The first place that nobody has: the same colour with other dashes, then other colours."""
    colours = len(LIGHT)
    order = ((place + colours * dash) % SLOTS + colour for colour in range(colours) for dash in range(len(DASHES)))
    return next((at % SLOTS for at in order if f"s{at % SLOTS}" not in taken), place)


def css() -> str:
    """The colours, for both modes, and the rules of drawings."""
    dashed = "".join(f".{name}{{stroke-dasharray:{dash}}}" for name, dash in PLAIN.items())
    dashed += "".join(f".s{i}{{stroke-dasharray:{DASHES[i // len(LIGHT)]}}}" for i in range(len(LIGHT), SLOTS))
    rules = (
        "svg text{font:13px system-ui,sans-serif;fill:var(--ink)}svg .heading{font-weight:600;font-size:14px}"
        "svg .soft{fill:var(--soft)}.paper{fill:var(--paper)}.grid{stroke:var(--grid)}"
        ".mark{stroke:var(--soft);stroke-dasharray:3 4}"
        "polyline,.key{fill:none;stroke-width:2;stroke-linejoin:round}.band{stroke:none;opacity:.16}"
    )
    return f":root{{{_named(BY_DAY, LIGHT)}}}" + (
        f"@media(prefers-color-scheme:dark){{:root{{{_named(BY_NIGHT, DARK)}}}}}"
        + rules
        + "".join(f".{name}{{--line:var(--soft)}}" for name in PLAIN)
        + "".join(f".s{i}{{--line:var(--c{i % len(LIGHT)})}}" for i in range(SLOTS))
        + "polyline,.key{stroke:var(--line)}.band,svg .name{fill:var(--line)}"
        + dashed
    )


def _named(tones: Mapping[str, str], lines: Sequence[str]) -> str:
    named = {**tones} | {f"c{i}": colour for i, colour in enumerate(lines)}
    return ";".join(f"--{name}:{colour}" for name, colour in named.items())
