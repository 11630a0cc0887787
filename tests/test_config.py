"""Configuration files: made, checked, shown, and described by a schema."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from opilio.cli.commands import app
from opilio.config import GROUPS, LISTS, SCRAPY, Config, groups, schema
from opilio.config_file import load
from opilio.errors import ConfigError, UnreadableError


def opilio(*words: object) -> str:
    done = CliRunner().invoke(app, ["config", *map(str, words)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_init_writes_every_setting_and_what_is_given(tmp_path: Path) -> None:
    path = tmp_path / "crawl.toml"
    assert opilio("init", path, "-s", "topic=bees", "-s", 'seeds=["http://a.test/"]').strip() == str(path)
    values = tomllib.loads(path.read_text())
    assert values == {**Config().model_dump(), "topic": "bees", "seeds": ["http://a.test/"]}
    assert all(f"# {field.description}" in path.read_text() for field in Config.model_fields.values())
    assert opilio("check", path).strip() == f"{path}: good"


def test_init_leaves_a_file_alone(tmp_path: Path) -> None:
    (tmp_path / "crawl.toml").write_text("mine")
    with pytest.raises(ConfigError, match="exists already"):
        opilio("init", tmp_path / "crawl.toml")
    assert (tmp_path / "crawl.toml").read_text() == "mine"


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ('topic = "x"\nbatch = 0\n', "line 2"),
        ("max_page = 3\n", 'did you mean "max_pages"'),
        ("topic = \n", "line 1"),
        ('topic = "x"\n', "no seeds"),
        ('seeds = ["http://a.test/"]\nstrategy = "ottie"\n', 'did you mean "otie"'),
        ('seeds = ["http://a.test/"]\nmax_seconds = "long"\n', "line 2"),
    ],
)
def test_check_says_what_is_wrong_and_where(tmp_path: Path, text: str, part: str) -> None:
    (tmp_path / "crawl.toml").write_text(text)
    with pytest.raises(ConfigError) as told:
        opilio("check", tmp_path / "crawl.toml")
    assert part in str(told.value)
    assert "crawl.toml" in str(told.value)


def test_check_of_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError):
        opilio("check", tmp_path / "nothing.toml")


def test_show_is_what_was_understood(tmp_path: Path) -> None:
    (tmp_path / "crawl.toml").write_text('topic = "bees"\n')
    shown = opilio("show", tmp_path / "crawl.toml", "-s", "max_pages=7")
    (tmp_path / "again.toml").write_text(shown)
    assert load(tmp_path / "again.toml", {}, starts=False) == Config(topic="bees", max_pages=7)
    changed = opilio("show", tmp_path / "crawl.toml", "-s", "max_pages=7", "--changed")
    assert tomllib.loads(changed) == {"topic": "bees", "max_pages": 7}


def test_settings_are_few_and_in_groups() -> None:
    assert len(Config.model_fields) <= 58
    assert [title for title, _ in groups()] == list(GROUPS.values())
    assert [name for _, names in groups() for name in names] == list(Config.model_fields)
    assert len(groups()[0][1]) == 10


def test_config_alone_prints_the_settings_in_groups_with_a_line_each() -> None:
    lines = [line for line in opilio().splitlines() if line]
    assert [line[2:] for line in lines if line.startswith("# ")] == list(GROUPS.values())
    assert [line.split(" = ")[0] for line in lines if " = " in line] == list(Config.model_fields)
    assert len(lines) == len(GROUPS) + len(Config.model_fields)


def test_schema_describes_every_setting() -> None:
    made = json.loads(opilio("schema"))
    assert made == schema()
    assert made["properties"].keys() == Config.model_fields.keys()
    assert made["additionalProperties"] is False
    assert all(field["description"] for field in made["properties"].values())
    assert made["properties"]["delay"]["x-scrapy"] == "DOWNLOAD_DELAY"


def test_schema_has_the_limits_that_are_checked() -> None:
    properties: dict[str, Any] = schema()["properties"]
    assert properties["batch"]["minimum"] == 1
    assert (properties["saturation"]["minimum"], properties["saturation"]["maximum"]) == (0, 1)
    assert properties["seeds"]["type"] == "array"


def test_scrapy_names_are_of_settings_that_exist() -> None:
    assert SCRAPY.keys() <= Config.model_fields.keys()
    table = (Path(__file__).parents[1] / "docs" / "config.md").read_text()
    assert all(f"`{name}` |" in table for name in SCRAPY.values())


def test_one_value_of_a_list_needs_no_brackets() -> None:
    config = load(None, {"seeds": "http://a.test/", "exclude": "b.test", "allow_networks": "loopback"})
    assert (config.seeds, config.exclude, config.allow_networks) == (["http://a.test/"], ["b.test"], ["loopback"])
    lists = [name for name, field in Config.model_fields.items() if isinstance(field.default, list)]
    assert sorted(lists) == sorted(LISTS)


def test_the_ports_of_pages_that_a_user_names_are_allowed() -> None:
    config = Config(seeds=["http://a.test:81/"], like=["https://a.test:82/x"], examples=["page.html", "http://a.test/"])
    assert config.transport().ports == {80, 443, 8080, 8443, 81, 82}


def test_the_pace_follows_from_the_delay() -> None:
    usual, none = Config().manners().pace, Config(delay=0).manners().pace
    assert (usual.slowness, usual.backoff) == (2, 10)
    assert (none.slowness, none.backoff) == (0, 0.1)
