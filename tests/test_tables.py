"""Measured tables of the docs say how they were made."""

from __future__ import annotations

import ast
import importlib
import re
import shlex
import subprocess
from collections.abc import Callable
from itertools import chain
from pathlib import Path

import pytest
from benchmarks import tables

ALL = [table for path in tables.pages() for table in tables.tables(path)]
MARKED = [table for table in ALL if table.mark]


def test_every_measured_table_says_how_it_was_made() -> None:
    silent = [table.place for table in ALL if not table.mark and not table.exempt]
    assert not silent, f"write `<!-- measured: COMMAND | at COMMIT | of FILES -->` before: {silent}"
    assert len(MARKED) > 50


@pytest.mark.parametrize("table", MARKED, ids=lambda table: table.place)
def test_command_and_files_exist(table: tables.Table) -> None:
    assert table.mark
    for file in table.mark.files:
        assert (tables.ROOT / file).exists(), file
    program, *words = shlex.split(table.mark.command)
    if program == "python":
        told = _source(words[1].replace(".", "/") if words[0] == "-m" else words[0])
        words = words[2:] if words[0] == "-m" else words[1:]
    else:
        told = {"opilio": _commands, "make": _targets}[program]()
    unknown = [word for word in words if SAID.fullmatch(word) and word not in told]
    assert not unknown, f"{table.mark.command}: nothing there reads {unknown}"


def module_of(command: str) -> str:
    """The module that a command runs; "" where it runs none of ours."""
    program, *words = shlex.split(command)
    if program != "python":
        return ""
    return words[1] if words[0] == "-m" else words[0].removesuffix(".py").replace("/", ".")


MODULES = sorted({module_of(table.mark.command) for table in MARKED if table.mark} - {""})


@pytest.mark.parametrize("module", MODULES)
def test_the_module_of_a_command_can_be_imported(module: str) -> None:
    importlib.import_module(module)


SAID = re.compile(r"--[a-z-]+|[a-z][a-z0-9]*(-[a-z0-9]+)*")  # an option or a subcommand: no path, number or placeholder


def _source(script: str) -> set[str]:
    """Every string that a benchmark's files hold, where its options and subcommands are among."""
    path = tables.ROOT / script
    files = [*path.glob("*.py")] if path.is_dir() else [path.with_suffix(".py")]
    trees = [ast.walk(ast.parse(file.read_text())) for file in files]
    assert trees, script
    return {node.value for node in chain(*trees) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def _commands() -> set[str]:
    return set(re.findall(r"^## opilio ([a-z-]+)", (tables.ROOT / "docs/cli.md").read_text(), re.MULTILINE))


def _targets() -> set[str]:
    return set(re.findall(r"^([a-z-]+):", (tables.ROOT / "Makefile").read_text(), re.MULTILINE))


def history(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """Makes a repository; what is returned changes a file, commits all there is, and names the commit."""

    def git(*words: str) -> str:
        told = ["git", "-c", "user.name=x", "-c", "user.email=x@x", "-C", str(folder), *words]
        return subprocess.run(told, capture_output=True, text=True, check=True).stdout.strip()

    def commit(file: str) -> str:
        (folder / file).write_text(f"{git('rev-list', '--all', '--count')}\n")
        git("add", "-A")
        git("commit", "-qm", f"Change {file}")
        return git("rev-parse", "HEAD")

    monkeypatch.setattr(tables, "ROOT", folder)
    git("init", "-q")
    return commit


def test_a_table_is_stale_when_its_files_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit = history(tmp_path, monkeypatch)
    first = commit("measured.py")
    commit("other.py")
    mark = tables.Mark("python measured.py", first, ["measured.py"])
    assert tables.changes(mark) == []
    commit("measured.py")
    assert [line.partition(" ")[2] for line in tables.changes(mark) or []] == ["Change measured.py"]
    assert tables.changes(mark._replace(commit="0" * 40)) is None


def test_the_commit_that_brings_a_table_does_not_make_it_stale(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Code is changed, measured, and committed together with what was measured."""
    commit = history(tmp_path, monkeypatch)
    first = commit("measured.py")
    mark = tables.Mark("python measured.py", first, ["measured.py"])
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/page.md").write_text(f"<!-- measured: python measured.py | at {first} | of measured.py -->\n")
    commit("measured.py")
    assert tables.changes(mark) == []
    commit("measured.py")
    assert len(tables.changes(mark) or []) == 1


def test_tables_are_told_from_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "ROOT", tmp_path)
    page = tmp_path / "page.md"
    page.write_text(
        "| name | area |\n| --- | --- |\n| a | .5 |\n\n"
        "| name | what |\n| --- | --- |\n| a | words, 5 of them |\n\n"
        "<!-- measured: python x.py | at 1234567 | of x.py src -->\n\n| a | 1 |\n| --- | --- |\n| b | 2 |\n\n"
        "<!-- not measured -->\n\n| a | 1 |\n| --- | --- |\n| b | 2 |\n"
    )
    found = list(tables.tables(page))
    assert [(table.place, table.mark is not None, table.exempt) for table in found] == [
        ("page.md:1", False, False),
        ("page.md:11", True, False),
        ("page.md:17", False, True),
    ]
    assert found[1].mark == tables.Mark("python x.py", "1234567", ["x.py", "src"])


def test_what_is_printed_anew_is_marked(tmp_path: Path) -> None:
    text = tables.marked("Words.\n\n| a | 1 |\n| --- | --- |\n| b | 2 |\n\nMore.\n", "python x.py", "x.py")
    (tmp_path / "page.md").write_text(text)
    assert text.count("<!-- measured: python x.py | at ") == 1
    assert text.index("<!--") < text.index("| a | 1 |")
