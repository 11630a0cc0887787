"""HTML: small pages with exact expectations, the suites of others, and bytes that nobody should ever send."""

import json
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from opilio.html import Document, charset
from opilio.html.places import LONGEST_PATH
from opilio.html.size_limits import LONGEST_ANCHOR, LONGEST_TAG, LONGEST_TITLE, MOST, MOST_LINKS
from opilio.html.source import DEEPEST, source
from opilio.html.walk import SIDE, Gathered, gather, gather_plainly
from opilio.nouns import Document as DocumentNoun
from opilio.nouns import Link

SUITE = Path(__file__).parents[1].parent / "shared" / "suites" / "html"
needs_suite = pytest.mark.skipif(not SUITE.is_dir(), reason=f"the HTML suite is not at {SUITE}")

URL = "http://example.com/dir/page.html"


def page(html: str, content_type: str = "text/html; charset=utf-8") -> Document:
    return Document(html.encode(), URL, content_type)


def only_link(html: str) -> Link:
    (link,) = page(html).links
    return link


def read_all(document: DocumentNoun) -> None:
    assert isinstance(document.title + document.text + document.main + document.language + document.charset, str)
    assert all(link.url.startswith("http") for link in document.links)
    assert all(count > 0 for count in document.paths.values())
    assert isinstance(document.robots, frozenset)
    assert isinstance(document.canonical, str)


# --- links


def test_a_link_with_everything() -> None:
    link = only_link(
        '<div class="main wide"><ul><li>see <a class=title rel="NoFollow tag" href="../x#top">'
        "The <b>gi</b>ant\n squid</a></ul>"
    )
    assert link == Link(
        url="http://example.com/x",
        source=URL,
        anchor="The giant squid",
        context="see The giant squid",
        path="html/body/div.main.wide/ul/li/a.title",
        image=False,
        rel=("nofollow", "tag"),
    )


def test_a_title_has_an_end() -> None:
    page = Document(b"<title>" + b"honey " * 200_000 + b"</title>hello", "http://a.test/")
    assert len(page.title) == LONGEST_TITLE
    assert page.title.startswith("honey honey")


def test_only_web_addresses_are_links() -> None:
    html = (
        "<a href=mailto:a@b>m</a><a href='javascript:x()'>j</a><a href='#here'>h</a><a href=''>e</a><a name=n>n</a>"
        "<a href=ftp://a/>f</a>"
    )
    assert page(html).links == ()
    assert page(html).text == "mjhenf"


def test_area_frame_and_iframe_are_links_and_forms_are_not() -> None:
    html = (
        "<map><area href=/area alt='An area'></map><iframe src=/iframe title=Video>old</iframe><form action=/f></form>"
    )
    assert [(link.url, link.anchor) for link in page(html).links] == [
        ("http://example.com/area", "An area"),
        ("http://example.com/iframe", "Video"),
    ]
    frames = page("<frameset><frame src=left.html><frame src=right.html></frameset>")
    assert [link.url for link in frames.links] == [
        "http://example.com/dir/left.html",
        "http://example.com/dir/right.html",
    ]
    assert frames.links[0].path == "html/frameset/frame"


def test_images_in_links_lend_their_alt_text() -> None:
    link = only_link("before <a href=/x><img src=i.png alt='Red  car'></a> after")
    assert (link.anchor, link.context, link.image) == ("Red car", "before Red car after", True)
    both = only_link("<a href=/x><img alt=ignored> words</a>")
    assert (both.anchor, both.image) == ("words", True)
    assert only_link("<a href=/x><svg><text>t</text></svg></a>").image
    assert not only_link("<a href=/x>x</a><img>").image


def test_base_moves_all_links_and_only_the_first_counts() -> None:
    html = "<a href=a>1</a><base href='http://other.org/b/'><base href='http://third.org/'><link rel=canonical href=c>"
    document = page(html)
    assert [link.url for link in document.links] == ["http://other.org/b/a"]
    assert document.links[0].source == URL
    assert document.canonical == "http://other.org/b/c"
    assert only_link("<base href='/deep/'><a href=a>1</a>").url == "http://example.com/deep/a"
    assert only_link("<base href='data:,x'><a href=a>1</a>").url == "http://example.com/dir/a"


def test_links_that_were_never_closed_or_nested() -> None:
    document = page("<a href=/1>one <a href=/2>two</a> three")
    assert [(link.url[-2:], link.anchor) for link in document.links] == [("/1", "one"), ("/2", "two")]
    across = page("<a href=/2>two<p>three</a> four")  # the standard makes this two elements
    assert [(link.url[-2:], link.anchor) for link in across.links] == [("/2", "two"), ("/2", "three")]
    nested = page("<a href=/1>one <table><td><a href=/2>two</a></table> three</a>")
    assert [link.url[-2:] for link in nested.links] == ["/1", "/2"]


def test_the_same_target_twice_is_two_links() -> None:
    assert [link.anchor for link in page("<a href=/x>one</a> <a href=/x>two</a>").links] == ["one", "two"]


def test_classes_cannot_break_the_path() -> None:
    assert (
        only_link('<div class="w-1/2 p-1.5\n">x<a class="" href=/x>y</a></div>').path == "html/body/div.w-1_2.p-1_5/a"
    )


# --- contexts


def numbered(count: int, start: int = 0) -> str:
    return " ".join(f"w{number}" for number in range(start, start + count))


def test_context_has_twenty_words_with_the_link_in_the_middle() -> None:
    link = only_link(f"<p>{numbered(50)}</p><a href=/x>my link</a><p>{numbered(50, 50)}</p>")
    assert link.context == f"{numbered(9, 41)} my link {numbered(9, 50)}"
    assert len(link.context.split()) == 20


def test_context_takes_from_the_other_side_at_the_ends_of_the_page() -> None:
    first = only_link(f"<a href=/x>link</a> {numbered(50)}")
    assert first.context == f"link {numbered(19)}"
    last = only_link(f"{numbered(50)} <a href=/x>link</a>")
    assert last.context == f"{numbered(19, 31)} link"
    assert only_link("<p>one</p><a href=/x>two</a> three").context == "one two three"


def test_context_of_a_long_link_is_its_own_first_words() -> None:
    assert only_link(f"before <a href=/x>{numbered(30)}</a> after").context == numbered(20)


def test_context_of_an_empty_link_is_what_stands_around_it() -> None:
    link = only_link(f"{numbered(50)} <a href=/x></a> {numbered(50, 50)}")
    assert link.anchor == ""
    assert link.context == numbered(20, 40)


def test_words_go_on_over_inline_tags_but_the_anchor_keeps_to_its_own() -> None:
    link = only_link("many (<a href=/x>cat</a>s) here")
    assert (link.anchor, link.context) == ("cat", "many (cats) here")


def test_context_is_bounded_where_words_have_no_spaces() -> None:
    link = only_link(f"<p>{'漢' * 5000}</p><a href=/x>字</a><p>{'漢' * 5000}</p>")
    assert link.context == f"{'漢' * 100} 字 {'漢' * 100}"


@pytest.mark.parametrize("gathered", [gather, gather_plainly])
def test_what_is_kept_of_a_link_has_an_end(gathered: Callable[[bytes], Gathered | None]) -> None:
    odd = "\u6f22"
    found = gathered(
        f"<{'y' * 60_000}><a href=1 rel='{'r ' * 20_000}'>{odd * 200_000} and</a><a href=2 title='{odd * 9_000}'></a>"
        f"<a href=3>{'word ' * 50_000}</a>".encode()
    )
    assert found
    links = found.links
    assert [len(text) for text in links.anchors] == [LONGEST_ANCHOR] * 3
    assert max(map(len, links.contexts)) <= LONGEST_ANCHOR + 2 * SIDE + 2
    assert max(map(len, links.paths)) < 300
    assert max(map(len, links.rels)) == 100


def test_a_long_word_beside_thousands_of_links_is_not_read_for_each() -> None:
    html = b"<p>" + b"x" * 1_000_000 + b"".join(b"<a href=%d></a>" % number for number in range(9_000))
    begun = time.process_time()
    contexts = [link.context for link in Document(html, URL, "text/html").links]
    assert len(contexts) == 9_000
    assert time.process_time() - begun < 1


# --- text


def test_blocks_are_lines_and_inline_tags_do_not_cut_words() -> None:
    html = (
        "<h1>A  title</h1><p>J<b>oh</b>n<br>Doe,<i> at</i> home</p>tail<ul><li>one<li>two</ul>"
        "<table><tr><td>a<td>b</table>"
    )
    assert page(html).text == "A title\nJohn Doe, at home\ntail\none\ntwo\na\nb"


def test_what_is_not_shown_is_not_text() -> None:
    html = (
        "<title>T</title><style>s{}</style><script>x</script><template>t</template><select><option>o</select>"
        "<textarea>a</textarea><iframe>f</iframe><svg><title>g</title></svg><!-- c -->shown"
        "<noscript> also shown</noscript>"
    )
    assert page(html).text == "shown also shown"


def test_title_is_the_first_one_with_its_spaces_collapsed() -> None:
    assert page("<title>\n A &amp; B\t C </title><title>D</title>").title == "A & B C"
    assert page("<svg><title>icon</title></svg>text").title == ""


def test_main_leaves_navigation_out() -> None:
    prose = "The squid lives in the deep sea and is seldom seen by anybody who does not dive for it at night. " * 4
    menu = "".join(f"<li><a href=/{number}>Item {number}</a></li>" for number in range(20))
    html = (
        f"<nav>Site menu</nav><ul>{menu}</ul><p>{prose}</p><p>{prose}</p><div class='sidebar x'>{prose.upper()}</div>"
        f"<div id=footer>{prose.upper()}</div>"
    )
    assert page(html).main == "\n".join([prose.strip()] * 2)
    assert "Item 3" in page(html).text


def test_main_of_a_list_page_is_the_list() -> None:
    menu = "".join(f"<li><a href=/{number}>Thread {number}</a></li>" for number in range(20))
    assert page(f"<nav><a href=/>Home</a></nav><ul>{menu}</ul>").main == "\n".join(f"Thread {n}" for n in range(20))


def test_main_of_a_page_that_is_all_menu_is_everything() -> None:
    assert page("<div class=menu>Some words here</div>").main == "Some words here"
    assert page("").main == ""


# --- paths


def test_paths_lead_to_links_texts_and_images() -> None:
    html = (
        "<body class=b><div class=c><p>one <b>two</b> three</p> \n <a href=/x>four</a>"
        "<a href=mailto:a@b><span>five</span><img></a><a name=n>six</a></div><script>no</script>"
    )
    assert dict(page(html).paths) == {
        "html/body/div/p": 2,
        "html/body/div/p/b": 1,
        "html/body/div/a": 3,
        "html/body/div/a/span": 1,
        "html/body/div/a/img": 1,
    }
    assert dict(page(html).styled) == {
        "html/body.b/div.c/p": 2,
        "html/body.b/div.c/p/b": 1,
        "html/body.b/div.c/a": 3,
        "html/body.b/div.c/a/span": 1,
        "html/body.b/div.c/a/img": 1,
    }


def test_paths_are_those_with_classes_added_up() -> None:
    assert dict(page("<p class=x>one</p><p class='y z'>two</p><p>three</p>").paths) == {"html/body/p": 3}


# --- about the page


def test_robots_and_canonical() -> None:
    document = page(
        "<meta name=Robots content='NoIndex, follow'><meta name=robots content=noarchive>"
        "<meta name=googlebot content=none><link rel='Canonical' href='/c?utm_source=x#f'>"
        "<link rel=canonical href=/second>"
    )
    assert document.robots == {"noindex", "follow", "noarchive"}
    assert document.canonical == "http://example.com/c"
    assert page("<meta name=robots content=none>").robots == {"none", "noindex", "nofollow"}
    assert page("<link rel=canonical href='mailto:x'>").canonical == ""


def test_media_are_counted() -> None:
    assert page("<video></video><object><embed></object><img>").media == 3


GERMAN = (
    "Der Riesenkalmar lebt in der Tiefsee und wird nur selten gesehen, weil er sehr scheu ist und nachts jagt. " * 3
)
CONSTANTS = "".join(f"<li>LIB_{word}_{word[::-1]}" for word in ("OK", "BUSY", "LOCKED", "NOMEM", "CORRUPT") * 9)
NAMES = "".join(f"<li>{name}" for name in ("Malik", "Ivanov", "Tanaka", "Garcia", "Rossi", "Nguyen", "Kowalski") * 5)
ENGLISH = "The giant squid lives in the deep sea and is rarely seen, because it is very shy and hunts by night. " * 3


@pytest.mark.parametrize(
    ("html", "language"),
    [
        ("<html lang=en-US>x", "en"),
        ("<html lang=DE>x", "de"),
        ("<html xml:lang=fr_FR>x", "fr"),
        (f"<html lang=german>{GERMAN}", "de"),
        (f"<html lang=''>{GERMAN}", "de"),
        (GERMAN, "de"),
        ("zu kurz", ""),
        (f"{ENGLISH}<nav>Startseite Anmelden Impressum</nav>", "en"),
        (f"{GERMAN * 4}<p>{ENGLISH * 4}", ""),
        (CONSTANTS, ""),
        (" ".join(f"<td>{number * 37.5}" for number in range(200)), ""),
        (NAMES, ""),
    ],
)
def test_language(html: str, language: str) -> None:
    assert page(html).language == language


# --- kinds of bodies


@pytest.mark.parametrize(
    "kind", ["image/png", "application/pdf", "text/css", "application/json", "application/rss+xml"]
)
def test_other_types_have_nothing_to_read(kind: str) -> None:
    document = page("<title>t</title><a href=/x>text</a>", kind)
    assert (document.title, document.text, document.main, document.links, dict(document.paths)) == ("", "", "", (), {})


def test_plain_text_is_text_and_has_no_links() -> None:
    document = page("one  <a href=/x>two</a>\n\n three", "text/plain")
    assert document.text == document.main == "one <a href=/x>two</a>\nthree"
    assert document.links == ()


def test_a_missing_type_is_guessed() -> None:
    assert page("<p>a", "").text == "a"
    assert page("just words", "").text == "just words"
    assert page("%PDF-1.4 <a href=/x>", "").links == ()
    assert Document(b"\x89PNG\r\n\x1a\n\0<a href=/x>", URL).text == ""
    assert Document("\ufeff<p>ä".encode("utf-16-le"), URL).text == "ä"
    assert page("<?xml version='1.0'?><html><p>a</p></html>", "application/xml").text == "a"


# --- charsets


def encoding_cases() -> Iterator[tuple[bytes, str]]:
    for file in sorted((SUITE / "encoding").glob("*.dat")):
        for case in file.read_bytes().split(b"#data\n")[1:]:
            data, _, name = case.rpartition(b"#encoding\n")
            yield data.removesuffix(b"\n"), name.split(b"\n")[0].decode().lower()


@needs_suite
def test_all_encodings_of_the_suite_are_recognised() -> None:
    found = list(encoding_cases())
    assert len(found) == 82
    assert [(data, name) for data, name in found if charset.sniff(data) != name] == []


def test_byte_order_mark_beats_header_beats_meta_beats_guess() -> None:
    meta = b"<meta charset=koi8-r>"
    assert charset.sniff(b"\xef\xbb\xbf" + meta, "text/html; charset=iso-8859-2") == "utf-8"
    assert charset.sniff(meta, 'text/html; charset="ISO-8859-2"') == "iso-8859-2"
    assert charset.sniff(meta, "text/html; charset=nonsense") == "koi8-r"
    assert charset.sniff(meta, "text/html") == "koi8-r"
    assert charset.sniff("ä".encode()) == "utf-8"
    assert charset.sniff(b"plain") == "windows-1252"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("windows-1252", "naïve “quotes”"),
        ("iso-8859-2", "Łódź"),
        ("windows-1251", "Привет"),
        ("koi8-r", "Привет"),
        ("shift_jis", "日本語①"),
        ("euc-jp", "日本語"),
        ("iso-2022-jp", "日本語"),
        ("euc-kr", "한국어"),
        ("gbk", "中文"),
        ("gb18030", "中文"),
        ("big5", "中文"),
        ("windows-874", "ไทย"),
        ("macintosh", "café"),
        ("x-mac-cyrillic", "Привет"),
        ("ibm866", "Привет"),
        ("iso-8859-8", "שלום"),
    ],
)
def test_text_in_every_kind_of_charset(name: str, text: str) -> None:
    codec = {
        "x-mac-cyrillic": "mac_cyrillic",
        "macintosh": "mac_roman",
        "windows-874": "cp874",
        "shift_jis": "cp932",
    }.get(name, name)
    document = Document(f"<meta charset={name}><a href=/x>{text}</a>".encode(codec), URL, "text/html")
    assert (document.charset, document.text, document.links[0].anchor) == (name, text, text)


@pytest.mark.parametrize("name", ["utf-16", "utf-16le", "utf-16be"])
def test_a_meta_tag_that_says_utf_16_means_utf_8(name: str) -> None:
    """Who can read the tag as ASCII has no UTF-16 before them (WHATWG)."""
    assert Document(f"<meta charset={name}><p>hé</p>".encode(), URL, "text/html").text == "hé"


@pytest.mark.parametrize("name", ["gbk", "gb2312"])
def test_what_calls_itself_gbk_is_read_as_gb18030(name: str) -> None:
    """As browsers do: letters outside the old table have four bytes."""
    text = "中文 ᠮ 𠀀"
    with pytest.raises(UnicodeEncodeError):
        text.encode("gbk")
    assert Document(f"<meta charset={name}><p>{text}</p>".encode("gb18030"), URL, "text/html").text == text


def test_undeclared_legacy_text_is_guessed() -> None:
    russian = "Гигантский кальмар живёт в глубинах моря и редко попадается на глаза людям. " * 5
    assert Document(f"<p>{russian}".encode("cp1251"), URL, "text/html").text == russian.strip()
    cut_off = f"<p>{russian}".encode()[:-2]
    assert Document(cut_off, URL, "text/html").charset == "utf-8"


# --- nothing raises


def tree_inputs() -> Iterator[bytes]:
    for file in sorted((SUITE / "tree-construction").glob("*.dat")):
        for case in file.read_bytes().split(b"#data\n")[1:]:
            yield case.split(b"\n#errors")[0]


def token_inputs() -> Iterator[bytes]:
    for file in sorted((SUITE / "tokenizer").glob("*.test")):
        content = json.loads(file.read_text("utf-8"))
        for case in content.get("tests") or content["xmlViolationTests"]:
            text: str = case["input"]
            if case.get("doubleEscaped"):
                text = text.encode("latin-1").decode("unicode_escape")
            yield text.encode("utf-8", "surrogatepass")


@needs_suite
def test_odd_trees_and_tokens_never_raise() -> None:
    trees, tokens = list(tree_inputs()), list(token_inputs())
    assert (len(trees), len(tokens)) == (1936, 6810)
    for body in trees + tokens:
        read_all(Document(body, URL, "text/html"))
        read_all(Document(body, URL))


HOSTILE = {
    "empty": b"",
    "nul": b"\0" * 50_000,
    "garbage": random.Random(1).randbytes(100_000),
    "deep": b"<div class=c>" * 100_000 + b"<a href=/x>y",
    "deep, self-closed": b"<div/>" * 50_000,
    "formatting": b"<b><i><font>" * 5000 + b"x",
    "tables": b"<table><tr><td>" * 2000 + b"x",
    "open links": b"<a href=x>" * 30_000,
    "glued": b"<b>a</b>" * 50_000,
    "attributes": b"<a " + b"".join(b"x%d=1 " % number for number in range(5000)) + b"href=/x>y",
    "classes": b"<div class='" + b"c " * 100_000 + b"'>" + b"<a href=x>y</a>" * 5000,
    "long base": b"<base href='http://x/" + b"a" * 500_000 + b"/'>" + b"<a href=x>y</a>" * 5000,
    "long tag": b"<" + b"t" * 500_000 + b"><a href=/x>y</a>" * 100,
    "surrogates": b"<a href='\xed\xa0\x80'>\xed\xa0\x80</a>",
    "cut off": b"<a href='http://x/",
    "comment": b"<!--" + b"-" * 100_000 + b"<meta charset=x>",
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize(
    "kind", ["", "text/html", "text/html; charset=utf-16", "text/plain; charset=shift_jis", "image/png"]
)
def test_hostile_bodies_never_raise(name: str, kind: str) -> None:
    read_all(Document(HOSTILE[name], URL, kind))


@given(
    st.binary(max_size=300), st.sampled_from(["", "text/html", "text/html; charset=gbk", ";;charset=", "text/plain"])
)
def test_no_bytes_raise(body: bytes, kind: str) -> None:
    read_all(Document(body, URL, kind))
    read_all(Document(b"<meta charset=" + body + b"><a href='" + body + b"'>" + body, "not a url", kind))


@pytest.mark.parametrize("shift", range(4))
def test_long_tags_are_not_cut_inside_a_character(shift: int) -> None:
    ready = source(f"<p>before<p class='{'x' * shift}{'🐝' * LONGEST_TAG}'><a href=/x>y</a>".encode(), "utf-8")
    assert ready.decode().count("🐝") in range(LONGEST_TAG // 4 - 5, LONGEST_TAG // 4)


@pytest.mark.parametrize("shift", range(4))
def test_long_pages_are_not_cut_inside_a_character(shift: int) -> None:
    assert MOST - 4 < len(source(("x" * shift + "🐝" * MOST).encode(), "utf-8").decode().encode()) <= MOST


def test_a_hundred_thousand_links_are_read_up_to_a_number() -> None:
    assert len(Document(b"<a href=/x>y</a> " * 100_000, URL, "text/html").links) == MOST_LINKS


def test_a_page_is_read_up_to_a_size_and_long_tags_are_shortened() -> None:
    tag = "<p " + " ".join(f"a{n}=b" for n in range(50_000)) + ">"
    begun = time.process_time()
    assert page(f"<p>before</p>{tag}after").text.split() == ["before", "after"]
    assert time.process_time() - begun < 3
    assert len(page("word " * (MOST // 4)).text) <= MOST
    balanced = "<div>" * 3 * DEEPEST + "after" + "</div>" * 3 * DEEPEST
    assert page("<p>before</p>" + balanced).text == "before"


def test_nesting_is_read_up_to_a_depth_and_paths_stay_short() -> None:
    html = "<div>" * (DEEPEST - 10) + "<a href=/x>y</a>"
    assert len(only_link(html).path) < LONGEST_PATH + 10
    assert page("<p>before</p>" + "<div>" * 3 * DEEPEST + "after").text == "before"


def test_ends_of_what_never_began_make_no_room_for_more() -> None:
    ends = "</div>" * DEEPEST + "<p>before</p>"
    assert page(ends + "<div>" * 3 * DEEPEST + "after").text == "before"
    assert page(ends + "<div></div>" * 3 * DEEPEST + "after").text.split() == ["before", "after"]


def test_the_body_and_the_tree_are_let_go() -> None:
    document = page("<p>text")
    read_all(document)
    assert b"text" not in vars(document).values()
    assert document.charset == "utf-8"
    assert document.text is document.text
    assert document.links is document.links


def test_what_the_links_of_a_page_hold_together_has_an_end() -> None:
    """A base, a path and a context of 2 KB each, for each of 9,000 links: 50 MB of a page of 200 KB."""
    nested = "".join(f'<div class="{"c" * 90}{number}">' for number in range(30))
    links = "".join(f'<a href="{number}">b</a>' for number in range(9000))
    page = f'<base href="http://a.test/{"x" * 1900}/">{nested}{links}'
    document = Document(page.encode(), "http://a.test/" + "y" * 1900)
    found = document.links
    size = sum(len(link.url) + len(link.source) + len(link.context) + len(link.path) for link in found)
    assert 1000 < len(found) < 9000
    assert 7_900_000 < size <= 8_000_000
    assert document.left_out == 9000 - len(found)
    plain = "".join(f'<p>some words around <a href="{number}">a link</a></p>' for number in range(9000))
    whole = Document(plain.encode(), "http://a.test/")
    assert (len(whole.links), whole.left_out) == (9000, 0)
