"""The docs say everything that there is to say."""

from __future__ import annotations

import re
import runpy
import sys
import textwrap
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from opilio import registry
from opilio.bench import metrics
from opilio.config import Config
from opilio.testing import check_strategy

DOCS = Path(__file__).parents[1] / "docs"
SITE = DOCS.parent / "mkdocs.yml"


def read(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", registry.strategies())
def test_strategy_has_its_page(name: str) -> None:
    text = read(f"strategies/{name}.md")
    assert text.startswith(f"# {name}\n")
    for setting in registry.settings(registry.strategies()[name]):
        assert f"`{setting}`" in text


@pytest.mark.parametrize("name", registry.topics())
def test_topic_model_is_described(name: str) -> None:
    assert f"`{name}`" in read("topics.md")


@pytest.mark.parametrize("name", metrics.names())
def test_metric_is_described(name: str) -> None:
    assert f"`{name}`" in read("benchmarks.md")


def test_every_setting_says_what_it_is_for() -> None:
    assert all(field.description for field in Config.model_fields.values())


def test_generated_pages_are_up_to_date() -> None:
    pages = runpy.run_path(str(DOCS / "generate.py"))["PAGES"]
    for name, make in pages.items():
        assert read(name) == make(), f"docs/{name} is out of date; run `make docs`"


@pytest.mark.parametrize("path", sorted([*DOCS.parent.glob("*.md"), *DOCS.rglob("*.md")]), ids=lambda path: path.name)
def test_links_between_pages_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (path.parent / target).exists(), f"{path.name}: {target}"


EXAMPLES = {"own_strategy.py", "src/opilio/strategies/shortest.py"}  # files that a reader writes


@pytest.mark.parametrize("path", sorted([*DOCS.parent.glob("*.md"), *DOCS.rglob("*.md")]), ids=lambda path: path.name)
def test_source_files_that_pages_name_exist(path: Path) -> None:
    folders = (DOCS.parent / name for name in ("src", "tests", "benchmarks", "docs"))
    files = [file.as_posix() for folder in folders for file in folder.rglob("*.[pch]*")]
    for name in re.findall(r"`([\w./-]+\.(?:py|c|h))`", path.read_text(encoding="utf-8")):
        if name not in EXAMPLES and "NAME" not in name:
            assert any(file.endswith(f"/{name}") for file in files), f"{path.name}: {name}"


OLD_WORDS = re.compile(
    r"\bdearer\b|\bdearest\b|made-up|\bof late\b|\blately\b|so-manieth|half a letter|on trust|says offers|hosts resting"
    r"|resting hosts|is no http|give leave|\bmend(?:ed|s)?\b|may be given often|\bgifts?\b|\bf[ae]ll(?:s|ing|en)? behind\b"
    r"|at_home|\bwishes\b|rows at hand|\bunder way\b|\bdesk\b|\bshelf\b"
    r"|comes? back by itself|\bis like that\.|what waits on|is called so|stands in the terminal|stood in the way"
    r"|runs beside each other",
    re.IGNORECASE,
)


WRITTEN = {".py", ".pyi", ".c", ".h", ".md", ".html", ".js", ".css"}


@pytest.mark.parametrize("folder", ["src", "docs", "benchmarks", "."])
def test_what_people_read_is_plain_english(folder: str) -> None:
    home = DOCS.parent / folder
    for path in home.glob("*") if folder == "." else home.rglob("*"):
        if path.suffix in WRITTEN:
            assert not OLD_WORDS.findall(path.read_text(encoding="utf-8")), path.name


def test_every_page_has_its_place_in_the_site() -> None:
    listed = set(re.findall(r"^ +- (\S+\.md)$", SITE.read_text(encoding="utf-8"), re.MULTILINE))
    assert listed == {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}, "list it in mkdocs.yml"


def strategy_of_contributing() -> str:
    section = (DOCS.parent / "CONTRIBUTING.md").read_text(encoding="utf-8").split("## Add a strategy")[1]
    return textwrap.dedent("\n".join(re.findall(r"^(?:    .*)?$", section.split("\n1. ")[0], re.MULTILINE)))


def test_the_strategy_of_contributing_keeps_the_laws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "shortest.py").write_text(strategy_of_contributing(), encoding="utf-8")
    spec = spec_from_file_location("opilio.strategies.shortest", tmp_path / "shortest.py")
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    check_strategy(module.Shortest)
