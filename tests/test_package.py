"""What users get with `pip install opilio`. `make package` builds and installs it; this is what can be told without that."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "opilio"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
FOR_USERS = ("browser", "cluster", "content", "documents", "mcp", "parquet", "scrapy", "semantic", "stores", "web")
PARTS_OF_OTHERS = {"pydantic-core"}  # pydantic asks for one version of it


def names(requirements: Iterable[str]) -> set[str]:
    return {re.split(r"[\s<>=\[]", requirement)[0].lower() for requirement in requirements}


def declared() -> set[str]:
    extras = PROJECT["project"]["optional-dependencies"]
    found = names(PROJECT["project"]["dependencies"]).union(*(names(extras[extra]) for extra in FOR_USERS))
    return found - {"opilio"}  # an extra may need another one


def modules(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name.split(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.split(".")[0]


def imported() -> set[str]:
    """The distributions that the package imports."""
    owners = packages_distributions()
    found = {module for path in SOURCE.rglob("*.py") for module in modules(path)} - {"opilio", *sys.stdlib_module_names}
    return {owners.get(module, [module])[0].lower().replace("_", "-") for module in found} - PARTS_OF_OTHERS


def test_what_is_imported_is_declared_and_the_other_way_round() -> None:
    assert imported() == declared()


def test_every_data_file_is_package_data() -> None:
    patterns = PROJECT["tool"]["setuptools"]["package-data"]["opilio"]
    packed = {path for pattern in patterns for path in SOURCE.glob(pattern)}
    files = {path for path in SOURCE.rglob("*") if path.is_file() and path.suffix not in {".py", ".pyc", ".so"}}
    assert files <= packed


def test_c_sources_are_in_the_source_package() -> None:
    folders = re.findall(r"^graft (\S+)$", (ROOT / "MANIFEST.in").read_text(encoding="utf-8"), re.MULTILINE)
    assert any(list((ROOT / folder).glob("*.h")) for folder in folders)


def test_the_demo_installs_nothing_for_developers() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "demo: $(RUNTIME)\n" in makefile
    assert "\t$(PIP) -e .\n" in makefile


def test_the_first_command_of_the_readme_installs_it() -> None:
    commands = re.findall(r"^    (\S.*)$", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert commands[0].startswith("pip install opilio")
