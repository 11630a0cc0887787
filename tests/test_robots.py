"""robots.txt by RFC 9309: a table of cases, and laws that hold for all files."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some
from typer.testing import CliRunner

from opilio.cli.commands import app
from opilio.errors import UnreadableError
from opilio.fetchers.manners.robots import MOST_BYTES, Robots, path_of

YES, NO = True, False
ALL = "User-agent: *\n"

# What is shown, the file, who asks, [(path, whether it may)].
CASES: list[tuple[str, str, str, list[tuple[str, bool]]]] = [
    ("an empty file allows everything", "", "bot", [("/", YES), ("/a", YES)]),
    ("a file of something else allows everything", "<html><body>Not found", "bot", [("/", YES)]),
    ("an empty rule forbids nothing", f"{ALL}Disallow:", "bot", [("/", YES), ("/a", YES)]),
    ("a slash forbids everything", f"{ALL}Disallow: /", "bot", [("/", NO), ("/a?b", NO)]),
    ("but never the file itself", f"{ALL}Disallow: /", "bot", [("/robots.txt", YES), ("/robots.txt.old", NO)]),
    ("a rule is the start of a path", f"{ALL}Disallow: /fish", "bot",
     [("/fish", NO), ("/fish.html", NO), ("/fish/salmon", NO), ("/fishheads?a", NO), ("/Fish", YES), ("/catfish", YES)]),
    ("a slash at the end means what is inside", f"{ALL}Disallow: /fish/", "bot",
     [("/fish/", NO), ("/fish/a", NO), ("/fish", YES), ("/fish.html", YES)]),
    ("paths know upper and lower case", f"{ALL}Disallow: /A", "bot", [("/A", NO), ("/a", YES)]),
    ("names of lines do not", "USER-AGENT: *\ndisALLOW: /a", "bot", [("/a", NO)]),
    ("names of agents do not", "User-agent: FooBot\nDisallow: /a", "foobot", [("/a", NO)]),
    # Longest match
    ("the longest rule wins", f"{ALL}Disallow: /a\nAllow: /a/b\nDisallow: /a/b/c", "bot",
     [("/a", NO), ("/a/b", YES), ("/a/b/c", NO), ("/a/bc", YES)]),
    ("wherever it stands", f"{ALL}Allow: /a/b\nDisallow: /a", "bot", [("/a/b", YES), ("/a", NO)]),
    ("of two as long the one that allows", f"{ALL}Disallow: /a\nAllow: /a", "bot", [("/a", YES)]),
    ("in either order", f"{ALL}Allow: /a\nDisallow: /a", "bot", [("/a", YES)]),
    ("wildcards count as characters", f"{ALL}Allow: /page\nDisallow: /*.htm", "bot",
     [("/page.htm", NO), ("/page", YES), ("/x.htm", NO)]),
    ("an anchor counts too", f"{ALL}Allow: /$\nDisallow: /", "bot", [("/", YES), ("/a", NO), ("/?a", NO)]),
    # Wildcards
    ("a star is any number of characters", f"{ALL}Disallow: /a*c", "bot",
     [("/ac", NO), ("/abc", NO), ("/ab/xc", NO), ("/abcd", NO), ("/ab", YES), ("/xac", YES)]),
    ("a star at the end changes nothing", f"{ALL}Disallow: /fish*", "bot", [("/fish", NO), ("/fishy", NO), ("/f", YES)]),
    ("a star at the start", f"{ALL}Disallow: *.gif", "bot", [("/a/b.gif", NO), ("/b.gifx", NO), ("/b.png", YES)]),
    ("stars in a row are one", f"{ALL}Disallow: /a***b", "bot", [("/ab", NO), ("/axxb", NO), ("/a", YES)]),
    ("a star alone is everything", f"{ALL}Disallow: *", "bot", [("/", NO), ("/a", NO)]),
    ("a dollar ends the path", f"{ALL}Disallow: /*.php$", "bot",
     [("/f.php", NO), ("/a/f.php", NO), ("/f.php?x", YES), ("/f.php/", YES), ("/f.php5", YES), ("/f.php.php", NO)]),
    ("a dollar elsewhere is a dollar", f"{ALL}Disallow: /a$b", "bot", [("/a$b", NO), ("/a$bc", NO), ("/a", YES)]),
    ("an anchor after a star", f"{ALL}Disallow: /a*$", "bot", [("/a", NO), ("/abc", NO), ("/b", YES)]),
    ("what overlaps does not match twice", f"{ALL}Disallow: /aba*ba$", "bot", [("/aba", YES), ("/ababa", NO)]),
    ("queries belong to the path", f"{ALL}Disallow: /*?*sid=", "bot", [("/a?x=1&sid=2", NO), ("/a?x=1", YES)]),
    ("a question mark is no wildcard", f"{ALL}Disallow: /a?b", "bot", [("/a?b", NO), ("/axb", YES)]),
    ("nor is any sign of regular expressions", f"{ALL}Disallow: /a.b+(c)[d]", "bot",
     [("/a.b+(c)[d]", NO), ("/axb+(c)[d]", YES), ("/a.bb(c)[d]", YES)]),
    ("a rule that does not start at the root matches nothing", f"{ALL}Disallow: a\nDisallow: b/", "bot",
     [("/a", YES), ("/b/", YES)]),
    # Percent-encoding
    ("letters in code are letters", f"{ALL}Disallow: /%62%61%7a", "bot", [("/baz", NO), ("/%62az", NO), ("/b%61%7A", NO)]),
    ("and the other way round", f"{ALL}Disallow: /a~b", "bot", [("/a%7Eb", NO), ("/%61%7eb", NO)]),
    ("the case of codes does not matter", f"{ALL}Disallow: /%e3%83%84", "bot", [("/%E3%83%84", NO), ("/ツ", NO)]),
    ("other letters are coded", f"{ALL}Disallow: /ツ", "bot", [("/%E3%83%84", NO), ("/%e3%83%84", NO), ("/ツ", NO)]),
    ("a coded slash is no slash", f"{ALL}Disallow: /a/b", "bot", [("/a%2Fb", YES), ("/a/b", NO)]),
    ("nor is a slash a coded one", f"{ALL}Disallow: /a%2fb", "bot", [("/a%2Fb", NO), ("/a/b", YES)]),
    ("a coded star is a star", f"{ALL}Disallow: /a%2Ab", "bot", [("/a*b", NO), ("/a%2ab", NO), ("/axb", YES)]),
    ("a coded dollar is a dollar", f"{ALL}Disallow: /a%24", "bot", [("/a$", NO), ("/a$b", NO), ("/a", YES)]),
    ("reserved signs stay as they are", f"{ALL}Disallow: /a?u=http://b.c", "bot",
     [("/a?u=http://b.c", NO), ("/a?u=http%3A%2F%2Fb.c", YES)]),
    ("a percent sign that codes nothing", f"{ALL}Disallow: /100%", "bot", [("/100%", NO), ("/100%zz", NO)]),
    # Groups
    ("the agent's own group counts alone", f"{ALL}Disallow: /\nUser-agent: bot\nDisallow: /a", "bot",
     [("/", YES), ("/a", NO), ("/b", YES)]),
    ("others take the group for all", f"{ALL}Disallow: /x\nUser-agent: bot\nDisallow: /a", "other", [("/x", NO), ("/a", YES)]),
    ("an own group without rules allows everything", f"{ALL}Disallow: /\nUser-agent: bot", "bot", [("/a", YES)]),
    ("without any group everything is allowed", "User-agent: other\nDisallow: /", "bot", [("/", YES)]),
    ("several agents share a group", "User-agent: a\nUser-agent: bot\nDisallow: /x", "bot", [("/x", NO)]),
    ("the first of them too", "User-agent: bot\nUser-agent: a\nDisallow: /x", "bot", [("/x", NO)]),
    ("empty lines do not part them", "User-agent: bot\n\n\nUser-agent: a\n\nDisallow: /x", "bot", [("/x", NO)]),
    ("unknown lines do not part them", "User-agent: bot\nFoo: bar\nUser-agent: a\nDisallow: /x", "bot", [("/x", NO)]),
    ("sitemaps do not part them", "User-agent: bot\nSitemap: /s\nUser-agent: a\nDisallow: /x", "bot", [("/x", NO)]),
    ("rules do", "User-agent: bot\nDisallow: /x\nUser-agent: a\nDisallow: /y", "bot", [("/x", NO), ("/y", YES)]),
    ("empty rules do", "User-agent: bot\nDisallow:\nUser-agent: a\nDisallow: /y", "bot", [("/y", YES)]),
    ("groups of one agent are merged",
     "User-agent: bot\nDisallow: /x\nUser-agent: a\nDisallow: /y\nUser-agent: bot\nDisallow: /z",
     "bot", [("/x", NO), ("/y", YES), ("/z", NO)]),
    ("groups for all are merged", f"{ALL}Disallow: /x\n{ALL}Disallow: /z", "bot", [("/x", NO), ("/z", NO)]),
    ("a star shares a group", "User-agent: *\nUser-agent: bot\nDisallow: /x", "other", [("/x", NO)]),
    ("rules before any agent count for nobody", "Disallow: /\nUser-agent: a\nDisallow: /x", "bot", [("/", YES)]),
    ("versions of agents do not count", "User-agent: bot/2.1\nDisallow: /x", "bot", [("/x", NO)]),
    ("neither here nor there", "User-agent: bot\nDisallow: /x", "bot/1.0", [("/x", NO)]),
    ("nor do words behind the name", "User-agent: bot web crawler\nDisallow: /x", "bot", [("/x", NO)]),
    ("a longer name is another agent", "User-agent: bot-news\nDisallow: /x", "bot", [("/x", YES)]),
    ("a shorter name is another agent", "User-agent: bot\nDisallow: /x", "bot-news", [("/x", YES)]),
    ("part of a name is another agent", "User-agent: bo\nDisallow: /x", "bot", [("/x", YES)]),
    ("a name with digits is found", "User-agent: mj12bot\nDisallow: /x", "MJ12bot", [("/x", NO)]),
    ("and told from others", "User-agent: mj12bot\nDisallow: /x", "MJ13bot", [("/x", YES)]),
    ("a star with words behind it", "User-agent: * (all)\nDisallow: /x", "bot", [("/x", NO)]),
    ("a star that is part of a word is none", "User-agent: *bot\nDisallow: /x", "bot", [("/x", YES)]),
    ("an agent without a name is nobody", "User-agent:\nDisallow: /x", "bot", [("/x", YES)]),
    # Lines
    ("comments end lines", "User-agent: bot # us\nDisallow: /x # not that\n#Disallow: /y", "bot",
     [("/x", NO), ("/y", YES), ("/x%20#", NO)]),
    ("a comment leaves an empty rule", f"{ALL}Disallow: # nothing", "bot", [("/a", YES)]),
    ("lines end in many ways", "User-agent: *\rDisallow: /a\r\nDisallow: /b\nDisallow: /c", "bot",
     [("/a", NO), ("/b", NO), ("/c", NO)]),
    ("white space around does not matter", "  User-agent :\t* \n\tDisallow  :  /a\t ", "bot", [("/a", NO), ("/a b", NO)]),
    ("a colon may be missing", "User-agent *\nDisallow /a", "bot", [("/a", NO)]),
    ("but then there are two words", "User-agent *\nDisallow /a /b\nDisallow", "bot", [("/a", YES)]),
    ("the last line needs no end", f"{ALL}Disallow: /a", "bot", [("/a", NO)]),
    ("misspelt lines that are common count", "Useragent: *\nDissallow: /a\nDisalow: /b", "bot", [("/a", NO), ("/b", NO)]),
    ("others do not", f"{ALL}Forbid: /a\nNoindex: /b", "bot", [("/a", YES), ("/b", YES)]),
    ("the index page stands for its folder", f"{ALL}Disallow: /\nAllow: /a/index.html", "bot",
     [("/a/index.html", YES), ("/a/", YES), ("/a/b", NO), ("/a", NO)]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "agent", "paths"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_case(text: str, agent: str, paths: list[tuple[str, bool]]) -> None:
    robots = Robots(text.encode())
    for path, allowed in paths:
        assert robots.check(f"http://h.example{path}", agent).allowed == allowed, path


@pytest.mark.parametrize(
    ("start", "allowed"),
    [
        (b"\xef\xbb\xbf", NO),
        (b"\xef\xbb", NO),
        (b"\xef", NO),
        (b"", NO),
        (b"\xef\x11\xbf", YES),
        (b"x\xef\xbb\xbf", YES),
    ],
)
def test_byte_order_mark(start: bytes, allowed: bool) -> None:
    assert Robots(start + b"User-agent: *\nDisallow: /a").check("http://h/a", "bot").allowed == allowed


def test_500_kibibytes_are_read() -> None:
    filler = b"#" * (MOST_BYTES - 60) + b"\nUser-agent: *\nDisallow: /within\n"
    robots = Robots(filler + b"#" * 60 + b"\nUser-agent: *\nDisallow: /beyond\n")
    assert not robots.check("http://h/within", "bot").allowed
    assert robots.check("http://h/beyond", "bot").allowed


def test_half_a_rule_at_the_limit_does_not_count() -> None:
    start = b"User-agent: *\nDisallow: /a\nDisallow: /"
    body = (
        start.replace(b"Disallow: /a\n", b"Disallow: /a\n" + b"#" * (MOST_BYTES - len(start) - 1) + b"\n")
        + b"private\n"
    )
    assert len(body) > MOST_BYTES
    assert Robots(body).check("http://h/b", "bot").allowed
    assert not Robots(body).check("http://h/a", "bot").allowed


def test_bytes_that_are_no_text() -> None:
    robots = Robots(b"User-agent: *\nDisallow: /\xff\xfe\n\x00\x01\nDisallow: /b\x00")
    assert not robots.check("http://h/%FF%FE", "bot").allowed
    assert not robots.check("http://h/b", "bot").allowed


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("http://h", "/"),
        ("http://h/", "/"),
        ("http://h?a", "/?a"),
        ("http://h;a", "/;a"),
        ("http://h/a#b", "/a"),
        ("http://h:8080/a?b#c", "/a?b"),
        ("https://u:p@h/a//b", "/a//b"),
        ("//h/a", "/a"),
        ("h/a", "/a"),
        ("http://h/a?u=http://i/b", "/a?u=http://i/b"),
        ("http://h/a b", "/a%20b"),
    ],
)
def test_path(url: str, path: str) -> None:
    assert path_of(url) == path


def test_the_rule_that_decides_is_named() -> None:
    robots = Robots("# ours\nUser-agent: *\nDisallow: /a\nAllow: /a/ü  # but\n".encode())
    assert str(robots.check("http://h/ab", "bot").rule) == "line 3: Disallow: /a"
    assert str(robots.check("http://h/a/%C3%BC", "bot").rule) == "line 4: Allow: /a/ü"
    assert robots.check("http://h/b", "bot").rule is None


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("2", 2.0),
        ("0.5", 0.5),
        (".5", 0.5),
        ("10 # s", 10.0),
        ("", None),
        ("x", None),
        ("-1", None),
        ("1e9", None),
        ("nan", None),
    ],
)
def test_crawl_delay(value: str, seconds: float | None) -> None:
    assert Robots(f"User-agent: *\nCrawl-delay: {value}\nDisallow: /x".encode()).delay("bot") == seconds


def test_crawl_delay_is_that_of_the_group() -> None:
    robots = Robots(b"User-agent: *\nCrawl-delay: 1\nDisallow: /\nUser-agent: bot\nCrawl-delay: 7\nDisallow: /a")
    assert (robots.delay("bot"), robots.delay("other")) == (7.0, 1.0)


def test_sitemaps_belong_to_no_group() -> None:
    text = b"Sitemap: http://h/a.xml\nUser-agent: x\nDisallow: /\nsitemap: /b.xml\nSite-map:http://h/c.xml#d"
    assert Robots(text).sitemaps == ["http://h/a.xml", "/b.xml", "http://h/c.xml"]


patterns = some.text("/ab*$%", min_size=1, max_size=12).map(lambda text: "/" + text)
paths = some.text("/ab", max_size=12).map(lambda text: "/" + text)


@given(patterns, paths)
def test_a_rule_matches_as_the_regular_expression_of_it_would(pattern: str, path: str) -> None:
    plain = re.sub(r"\*+", "*", pattern.removesuffix("$"))
    body = "".join(".*" if sign == "*" else re.escape(sign) for sign in plain)
    expected = re.match(body + ("$" if pattern.endswith("$") else ""), path)
    assert Robots(f"{ALL}Disallow: {pattern}".encode()).check(f"http://h{path}", "bot").allowed == (expected is None)


@given(some.binary(max_size=300), some.text(max_size=50))
def test_nothing_in_a_file_raises(body: bytes, url: str) -> None:
    Robots(b"User-agent: *\nDisallow: /" + body + b"\n" + body).check(url, "bot")


def test_many_stars_cost_little() -> None:
    robots = Robots(f"{ALL}Disallow: /{'a*' * 5000}b".encode())
    assert robots.check("http://h/" + "a" * 50_000, "bot").allowed


def test_command(tmp_path: Path) -> None:
    file = tmp_path / "robots.txt"
    file.write_text("User-agent: bot\nDisallow: /a\n")
    done = CliRunner().invoke(app, ["robots", str(file), "--agent", "Bot", "http://h/a/b", "http://h/b"])
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        {"url": "http://h/a/b", "allowed": False, "rule": "line 2: Disallow: /a"},
        {"url": "http://h/b", "allowed": True, "rule": ""},
    ]


def test_command_without_a_file(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["robots", str(tmp_path / "no.txt"), "http://h/"])
    assert isinstance(done.exception, UnreadableError)
    assert "no.txt: cannot be read" in str(done.exception)
