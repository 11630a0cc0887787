"""What corpus.toml says: the name of a corpus, and the tasks that it sets."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from ..errors import unknown
from ..urls import canonical
from .problems import MANUAL, NOTE, sentence

NEEDED = {
    "topic": ("column",),
    "type": ("column", "target", "start"),
    "user-content": ("column", "user_content", "start"),
    "tag": ("column", "types", "topics", "start"),
    "genre": ("column",),
    "relevance": ("column",),
    "community": ("column",),
}
WORDS = ("column", "target", "types", "positive")
LISTS = ("topics", "user_content", "start")
NUMBERS = ("seeds", "train", "min_pages", "max_pages")
KEYS = (*WORDS, *LISTS, *NUMBERS, "budget", "detail")


@dataclass(frozen=True, slots=True)
class Task:
    """One question that the corpus can answer; the keys of each kind are in docs/corpora.md."""

    name: str
    kind: str
    settings: Mapping[str, Any]  # lists are lists, `start` is canonical


@dataclass(slots=True)
class Described:
    """The name of a corpus and more about it, and its tasks."""

    name: str = ""
    about: str = ""
    home: str = ""
    language: str = ""
    tasks: list[Task] = field(default_factory=list)


def describe(folder: Path, problems: list[str]) -> Described:
    """All that the file says; what is wrong with it is added to the problems."""
    path = folder / "corpus.toml"
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        problems.append(f"{path}: it cannot be read ({error.strerror}), so this is not a corpus folder; {MANUAL}")
        return Described()
    except (ValueError, RecursionError) as error:
        problems.append(f"{path}: this is not TOML: {error}; correct the file there")
        return Described()
    words = {key: raw.get(key, "") for key in ("name", "about", "home", "language")}
    problems += [
        f"{path}: {key} = {word!r} must be a text in quotes" for key, word in words.items() if type(word) is not str
    ]
    if not words["name"]:
        problems.append(f'{path}: the key "name" is missing; give the corpus a name')
    words = {key: str(word) for key, word in words.items()}
    home = canonical(words["home"]) or words["home"]
    return Described(words["name"], words["about"], home, words["language"], _tasks(raw, path, home, problems))


def _tasks(raw: Mapping[str, Any], path: Path, home: str, problems: list[str]) -> list[Task]:
    tables = raw.get("task", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        problems.append(f"{path}: task must be a list of tables; write [[task]] above each")
        return []
    tasks: list[Task] = []
    for number, table in enumerate(tables, 1):
        task = _task(table, home)
        place = f'{path}, task "{task.name}"' if task.name else f"{path}, [[task]] number {number}"
        problems += [sentence(place, problem) for problem in _misspoken(task)]
        if task.name in {other.name for other in tasks}:
            problems.append(f"{place}: the name is taken by another task; rename one of them")
        tasks.append(task)
    return tasks


def _task(table: Mapping[str, Any], home: str) -> Task:
    settings = {key: [value] if key in LISTS and isinstance(value, str) else value for key, value in table.items()}
    name, kind = str(settings.pop("name", "")), str(settings.pop("kind", ""))
    if "start" in NEEDED.get(kind, ()) and home:
        settings.setdefault("start", [home])
    if isinstance(start := settings.get("start"), list):
        settings["start"] = [canonical(str(url)) or url for url in start]
    return Task(name, kind, settings)


def _misspoken(task: Task) -> Iterator[str]:
    """What is wrong with a task by itself."""
    if not task.name:
        yield "it has no name; add name = ..."
    if task.kind not in NEEDED:
        yield unknown("kind", task.kind, NEEDED)
    for key in NEEDED.get(task.kind, ()):
        if key not in task.settings:
            yield f'the key "{key}" is missing; tasks of kind "{task.kind}" need {", ".join(NEEDED[task.kind])}'
    if task.kind == "topic" and "topics" not in task.settings and not {"min_pages", "max_pages"} <= set(task.settings):
        yield "it does not say which topics; add topics = [...], or min_pages and max_pages"
    for key, value in task.settings.items():
        yield from _mistyped(key, value)


def _mistyped(key: str, value: Any) -> Iterator[str]:
    if key in WORDS and type(value) is not str:
        yield f"{key} = {value!r} must be a text in quotes"
    elif key in LISTS and not (isinstance(value, list) and value and all(type(part) is str for part in value)):
        yield f"{key} = {value!r} must be a list of texts"
    elif key in NUMBERS and not (type(value) is int and value >= 0):
        yield f"{key} = {value!r} must be a whole number"
    elif near := key not in KEYS and get_close_matches(key, KEYS, n=1):
        yield f'{NOTE}the key "{key}" is not known and left out; did you mean "{near[0]}"?'
