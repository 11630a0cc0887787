"""URLs: the standard's own cases, the rules of docs/urls.md, and the laws that hold for any text."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opilio import urls
from opilio.urls import canonical, digest, host, joined, parse, site, words

SUITE = Path(__file__).parents[1].parent / "shared" / "suites" / "url"
needs_suite = pytest.mark.skipif(not SUITE.is_dir(), reason=f"the URL suite is not at {SUITE}")

KEY = "0a1b2c3d4e5f60718293a4b5c6d7e8f9"


def cases(name: str) -> list[dict[str, Any]]:
    return [case for case in json.loads((SUITE / name).read_text("utf-8")) if isinstance(case, dict)]


def parsed(url: str, base: str | None = None) -> str | None:
    try:
        return parse(url, base)
    except ValueError:
        return None


@needs_suite
def test_all_cases_of_the_standard_parse_as_expected() -> None:
    found = cases("urltestdata.json")
    assert len(found) == 891
    wrong = [case for case in found if parsed(case["input"], case["base"]) != case.get("href")]
    assert wrong == []


@needs_suite
@pytest.mark.parametrize(("name", "count"), [("toascii.json", 87), ("IdnaTestV2.json", 2671)])
def test_international_host_names_become_ascii(name: str, count: int) -> None:
    ends_host = str.maketrans({sign: f"%{ord(sign):02X}" for sign in ":/?#\\"})
    found = cases(name)
    assert len(found) == count
    for case in found:
        if case["input"] == "":  # no host at all: in a URL the "x" of the path becomes the host
            continue
        expected = None if case["output"] is None else f"https://{case['output']}/x"
        assert parsed(f"https://{case['input'].translate(ends_host)}/x") == expected, case


@needs_suite
def test_the_canonical_form_of_every_case_is_stable() -> None:
    for case in cases("urltestdata.json"):
        once = canonical(case["input"], case["base"] or "")
        assert canonical(once) == once


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("HTTP://Example.COM:80/a/./b/../c", "http://example.com/a/c"),
        ("https://example.com:443", "https://example.com/"),
        ("https://example.com:8443/", "https://example.com:8443/"),
        ("http://example.com/a#b", "http://example.com/a"),
        ("http://example.com/#!/deep", "http://example.com/"),
        ("http://example.com/?#x", "http://example.com/"),
        ("http://example.com/a?", "http://example.com/a"),
        ("http://user:secret@example.com/", "http://example.com/"),
        ("http://example.com/@user?q=a@b", "http://example.com/@user?q=a@b"),
        ("http://example.com./a./b", "http://example.com/a./b"),
        ("http://example.com.:8080/", "http://example.com:8080/"),
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://example.com/%7euser/%41%2f%c3%bc", "http://example.com/~user/A%2F%C3%BC"),
        ("http://example.com/ü b", "http://example.com/%C3%BC%20b"),
        ("http://example.com/%%37e", "http://example.com/%%37e"),
        ("http://example.com/%7%65", "http://example.com/%7%65"),
        ("http://example.com/100%", "http://example.com/100%"),
        ("http://example.com/a%252e", "http://example.com/a%252e"),
        ("http://example.com/?b=2&a=1&b=1", "http://example.com/?b=2&a=1&b=1"),
        ("http://example.com//a//", "http://example.com//a//"),
    ],
)
def test_canonical_form(url: str, expected: str) -> None:
    assert canonical(url) == expected


@pytest.mark.parametrize(
    "url",
    [
        "",
        "mailto:a@b.c",
        "javascript:void(0)",
        "ftp://a.b/",
        "//a.b/",
        "a/b",
        "http://",
        "http://a b/",
        "data:,x",
        "\ud800",
    ],
)
def test_what_is_no_web_address_has_no_canonical_form(url: str) -> None:
    assert canonical(url) == ""


def test_endless_urls_have_no_canonical_form() -> None:
    assert canonical("http://a.b/" + "x" * urls.LONGEST) == ""
    assert canonical("http://a.b/?q=" + "x" * urls.LONGEST) == ""
    assert canonical("http://a.b/?utm_source=" + "x" * urls.LONGEST) == "http://a.b/"


@pytest.mark.parametrize(
    "junk",
    [
        "utm_source=x", "UTM_Medium=", "gclid=1", "fbclid", "amp;utm_source=x", "mc_eid=1",
        "PHPSESSID=1", "jsessionid=A.b", "cfid=1",
        "ASPSESSIONIDQQAC=X", f"sid={KEY}", f"s={KEY}",
        "session=ABCDEFGHIJKLMNOPQRSTUVW0", "sid=01234567-89ab-cdef-0123-456789abcdef",
    ],
)  # fmt: skip
def test_session_and_tracking_parameters_go(junk: str) -> None:
    assert canonical(f"http://a.b/c?{junk}") == "http://a.b/c"
    assert canonical(f"http://a.b/c?x=1&{junk}&y=%20") == "http://a.b/c?x=1&y=%20"


@pytest.mark.parametrize(
    "query",
    [
        "s=how+to+bake", "s=windows-10-installation-guide", "sid=12", "session_id=2024", "sid=12345678901234567890",
        "ref=x", "id=" + KEY, "utm=1", "pk_article=5", "a", "=", "a=1&&b", f"sid={KEY}/x",
    ],
)  # fmt: skip
def test_other_parameters_stay(query: str) -> None:
    assert canonical(f"http://a.b/c?{query}") == f"http://a.b/c?{query}"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/shop;jsessionid=A1.node/item", "/shop/item"),
        ("/shop;JSESSIONID=1?x=1", "/shop?x=1"),
        ("/a;v=1;jsessionid=1;w=2", "/a;v=1;w=2"),
        ("/(S(lit3py55t21z5v55vlm25s55))/page.aspx", "/page.aspx"),
        ("/(S(short))/page.aspx", "/(S(short))/page.aspx"),
        ("/a/..;jsessionid=1/b", "/b"),
        ("/list;page=2", "/list;page=2"),
    ],
)
def test_session_ids_in_the_path_go(path: str, expected: str) -> None:
    assert canonical("http://a.b" + path) == "http://a.b" + expected


def test_relative_urls_are_joined_to_the_base() -> None:
    base = "http://example.com/a/b.html?q=1"
    assert canonical("../c", base) == "http://example.com/c"
    assert canonical("?x", base) == "http://example.com/a/b.html?x"
    assert canonical("//other.org", base) == "http://other.org/"
    assert canonical("  d\n", base) == "http://example.com/a/d"
    assert canonical("x", "mailto:a@b") == ""


AWKWARD = st.text(alphabet="%2eE7f3Bb/.;:@?&=#()[]Ss aé\\-_~jsessionidutmgclPH0", max_size=40)


@given(st.one_of(st.text(max_size=60), AWKWARD, AWKWARD.map("http://a.b/".__add__), AWKWARD.map("http://".__add__)))
def test_canonical_is_idempotent_and_never_raises(url: str) -> None:
    once = canonical(url)
    assert canonical(once) == once
    assert not once or once.startswith(("http://", "https://"))


@given(AWKWARD)
def test_a_joined_url_is_as_canonical_as_an_absolute_one(reference: str) -> None:
    found = canonical(reference, "http://a.b/c/d?e")
    assert canonical(found) == found


@given(
    st.lists(
        st.one_of(AWKWARD, *(AWKWARD.map(start.__add__) for start in ("/", "//", "http:", "http://", "https://a.b")))
    ),
    st.sampled_from(["http://a.b/c/d?e", "https://a.b", "http://a.b:81/x/", "http://[::1]/x", "mailto:a@b"]),
)
def test_links_of_a_page_are_joined_as_one_by_one(targets: list[str], base: str) -> None:
    expected = ["" if target[:1] == "#" else canonical(target, base) for target in targets]
    assert joined(targets, base) == joined(targets, base) == expected


@pytest.mark.parametrize(
    "target", ["b#", "b#c#d", "b #c", "b\t\n#c", " #c", "?#c", "//#c", "http:#c", "javascript:#c", "../#c"]
)
def test_a_fragment_changes_nothing(target: str) -> None:
    assert joined([target], "http://a.test/x/y?z") == [canonical(target, "http://a.test/x/y?z")]


def test_places_of_the_same_page_are_joined_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[str]()

    def counted(url: str, base: str = "") -> str:
        asked.append(url)
        return canonical(url, base)

    monkeypatch.setattr(urls, "canonical", counted)
    targets = ["z.html#1", "z.html#2", "z.html", "#top"]
    assert joined(targets, "http://a.test/x/y") == ["http://a.test/x/z.html"] * 3 + [""]
    assert asked == ["z.html"]


def test_a_lone_surrogate_leads_nowhere() -> None:
    targets = ["/\ud800x", "http://a.b/\ud800", "//\ud800", "\ud800", "ok"]
    assert joined(targets, "http://a.b/c") == joined(targets, "http://a.b/c") == ["", "", "", "", "http://a.b/ok"]


def test_few_links_are_remembered_and_no_long_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(urls, "JOINS", urls.Joins())
    monkeypatch.setattr(urls, "REMEMBERED", 100)
    targets = [f"http://a.b/{n}" for n in range(250)]
    assert joined(targets, "http://a.b/") == targets
    assert urls.JOINS.size == 50
    joined(["http://a.b/" + "x" * urls.SHORT, "#top", "y"], "http://a.b/")
    assert urls.JOINS.size == 50
    assert urls.JOINS.recall(["http://a.b/249", "/249", "http://a.b/0"], "http://a.b") == ["http://a.b/249", None, None]


def test_links_from_the_root_are_remembered_for_their_origin() -> None:
    assert joined(["//c.d/e", "http://a.b//c.d/e"], "http://a.b/") == ["http://c.d/e", "http://a.b//c.d/e"]
    assert joined(["/x"], "http://a.b/") == ["http://a.b/x"]
    assert joined(["/x"], "http://a.c/") == ["http://a.c/x"]


@given(st.text())
def test_reading_off_any_text_never_raises(text: str) -> None:
    assert isinstance(host(text) + site(text) + "".join(words(text)), str)
    assert 0 <= digest(text) < 2**64


def test_host_has_no_port() -> None:
    assert host("http://example.com:8080/a:b") == "example.com"
    assert host("http://[::1]:8080/") == "[::1]"
    assert host("http://[::1]/") == "[::1]"
    assert host("https://example.com/?a://b/c") == "example.com"
    assert host("") == ""


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://www.example.co.uk/", "example.co.uk"),
        ("http://a.b.example.com:81/", "example.com"),
        ("http://alice.github.io/", "alice.github.io"),
        ("http://github.io/", "github.io"),
        ("http://www.xn--85x722f.com.cn/", "xn--85x722f.com.cn"),
        ("http://127.0.0.1:80/", "127.0.0.1"),
        ("http://[2001:db8::1]/", "[2001:db8::1]"),
        ("http://localhost:8000/", "localhost"),
        ("http://www.shop.invalid/", "shop.invalid"),
    ],
)
def test_site_is_the_registrable_domain(url: str, expected: str) -> None:
    assert site(url) == expected


def test_words_of_path_and_query() -> None:
    assert words("http://www.example.com/wiki/Giant_squid.html") == ["wiki", "giant", "squid"]
    assert words("http://a.b/showThread.php?topicName=HTMLParser+notes&id=42") == [
        "show", "thread", "topic", "name", "html", "parser", "notes", "id",
    ]  # fmt: skip
    assert words("http://a.b/%C3%BCber/caf%c3%a9") == ["über", "café"]
    assert words("http://a.b/%E0%A4%B9%E0%A4%BF%E0%A4%A8%E0%A5%8D%E0%A4%A6%E0%A5%80") == ["हिन्दी"]
    assert words("http://a.b/node.js/readme.md") == ["node", "js", "readme"]
    assert words("http://a.b/") == []


def test_digest_is_the_same_for_ever() -> None:
    assert digest("http://example.com/") == 18096097815684820230


def test_links_that_are_absurdly_long_are_ignored() -> None:
    long = "http://a.example/#" + "x" * urls.LONGEST_WRITTEN
    assert urls.canonical(long) == ""
    assert urls.canonical(long[: urls.LONGEST_WRITTEN]) == "http://a.example/"
