"""Cost grows with the size of what comes from outside, not with its square: each reader, each hostile shape, n and 4n of it.

What is compared is CPU time of this process, the least of a few runs, and only where it is more than a blink: what grows with the
square takes seconds at these sizes.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from opilio import http_message, urls
from opilio.fetchers.http.cookies import Cookies
from opilio.fetchers.manners.directives import header_directives
from opilio.fetchers.manners.pace import retry_after
from opilio.fetchers.manners.robots import Robots
from opilio.fetchers.manners.tdmrep import reserved
from opilio.html import Document, charset
from opilio.html import sitemap as maps
from opilio.html.announced import announced, refreshed
from opilio.html.sitemap import Sitemap
from opilio.scope import traps
from opilio.scope.bounds import Bounds
from opilio.strategies.structure.type_contents import amounts
from opilio.strategies.structure.type_words import addressed, declared, of_body, part_of_one
from opilio.text.tokens import tokens
from opilio.text.vocabulary import Vocabulary

URL = "http://a.example/x"
BLINK = 0.05  # seconds of CPU that nobody minds
MOST = 10  # times the cost for four times the size: 4 is linear, 16 the square

LETTERS = [
    " ",
    "\t",
    "\n",
    "a",
    ",",
    ";",
    "=",
    '"',
    "'",
    "(",
    "[",
    "<",
    "%",
    "/",
    "\\",
    "*",
    "&",
    "#",
    "@",
    ":",
    ".",
    "-",
    "1",
    "é",
    "蜂",
    "ア",
]
HEADERS = ["charset=", "charset= ", "charset =' ", "a=b;", "noindex,", "x:", "1.", " 1", "-1 ", "a;b=c;"]
ACCENTS = ["̣̀", "ạ̀", "̣̀", "ﷺ"]
HREFS = [
    "%41",
    "%2",
    "/..",
    "/.",
    "/a/../",
    "?a=b",
    "&a=b",
    ";jsessionid=1",
    "/(S(aaaaaaaaaaaaaaaaaaaaaaaa))",
    "://",
    "http://",
    "a.",
    "A1-",
]
MARKUP = [
    "<!",
    "<?",
    "</",
    "<!--",
    "-->",
    "<a",
    "<a ",
    "<meta ",
    "<meta charset",
    "<meta charset=",
    "<meta name=robots content=a>",
    "<b>",
    "<p>",
    "<b><p>",
    "<table><td>",
    "<a href=x>y",
    "<script>",
    '"@type" ',
    '<script type=\'application/ld+json\'>"@type" : "a"</script>',
    "<title>",
    "<div>",
    "<svg>",
    "<select><option>",
    "<template>",
    "<a><i></a>",
    "<button>",
    "<![CDATA[",
    "]]>",
    "&#1;",
    "&amp",
]
NAMES = [
    *MARKUP,
    "<body ",
    "<body class",
    "class=",
    "<input ",
    "<meta content='a' ",
    "content='",
    "href=",
    "cart-",
    "cart add",
]
MAPS = [
    "<url>",
    "<url><loc>",
    "<loc",
    "<loc ",
    "<loc></loc>",
    "<url ",
    "<entry><link href='x'/></entry>",
    "<link ",
    "<link rel=",
    'rel="',
    "href=",
    "<title><![CDATA[",
    "<news:keywords>",
    "<guid ",
    "<guid>http://",
    "<description>&lt;",
    "x://\n",
    "http://\n",
    "http://a\n",
]
ROBOTS = [
    "User-agent: a\n",
    "User-agent: {}\n",
    "User-agent: a\nCrawl-delay: 1\n",
    "User-agent: {}\nCrawl-delay: 1\n",
    "Disallow: /\n",
    "Disallow: /*a*a*b\n",
    "User-agent: {}\nDisallow: /\n",
    "Sitemap: x\n",
]
LINES = ["a:b\n", " a\n", "a{}:b\n", "\n", "\r\n", "set-cookie: a\n"]
JSON = ["[", '{"a":', '[{"location":"/*a*","tdm-reservation":1},']
CHUNKS = ["1\r\na\r\n", "1;", "1 "]
VOCABULARY = Vocabulary("en", ["bee"])


class Reader(NamedTuple):
    read: Callable[[str], Any]
    shapes: list[str]
    size: int  # characters of the largest text


def whole(body: bytes) -> object:
    found = Document(body, URL, "text/html")
    return found.title, found.main, len(found.links), found.robots, found.marks, found.language, found.paths


READERS = {
    "Content-Type": Reader(lambda text: charset.sniff(b"", f"charset={text}"), [*LETTERS, *HEADERS], 60_000),
    "X-Robots-Tag": Reader(
        lambda text: header_directives({"x-robots-tag": text, "tdm-reservation": text}), HEADERS, 60_000
    ),
    "Refresh": Reader(lambda text: refreshed(f"0{text}", URL), [*LETTERS, "0", "; ", "url", "0; url=", "' "], 60_000),
    "Link": Reader(lambda text: announced({"link": text}, URL), ["<", ";", "; ", ";rel=", "<>;rel= ", "<a>"], 60_000),
    "Retry-After": Reader(lambda text: retry_after({"retry-after": text}, 0.0), [*LETTERS, *HEADERS], 60_000),
    "Set-Cookie": Reader(
        lambda text: Cookies().take(URL, [text, f"a=b;expires={text}", f"a=b;domain={text}"]), HEADERS, 60_000
    ),
    "headers": Reader(
        lambda text: http_message.fields(http_message.split(f"HTTP/1.1 200\n{text}".encode())[1]), LINES, 130_000
    ),
    "chunks": Reader(
        lambda text: http_message.decoded(text.encode(), {"transfer-encoding": "chunked"}, 1 << 20), CHUNKS, 200_000
    ),
    "URL": Reader(
        lambda text: [urls.canonical(start + text, URL) for start in ("", "/", "http://", URL)], HREFS, 60_000
    ),
    "words of a URL": Reader(lambda text: urls.words(f"{URL}{text}"), [*LETTERS, *HREFS], 60_000),
    "shape of a URL": Reader(lambda text: traps.shape(f"{URL}{text}"), HREFS, 60_000),
    "pattern": Reader(
        lambda text: Bounds(patterns=["http://*/tag/*/page/*/x*y"]).reason(f"http://a/{text}"),
        ["/tag/", "/tag//page/"],
        4000,
    ),
    "robots.txt": Reader(lambda text: Robots(text.encode()).check(f"{URL}{'a' * 500}", "opilio"), ROBOTS, 100_000),
    "tdmrep.json": Reader(lambda text: reserved(text.encode(), URL), JSON, 100_000),
    "words": Reader(tokens, [*ACCENTS, *LETTERS], 60_000),
    "vocabulary": Reader(VOCABULARY.numbers, ACCENTS, 60_000),
    "charset of a page": Reader(lambda text: charset.sniff(f"charset{text}".encode()), [*MARKUP, *HEADERS], 64_000),
    "page": Reader(lambda text: whole(text.encode()), MARKUP, 100_000),
    "kind of a page": Reader(lambda text: (declared(text.encode()), of_body(text.encode())), NAMES, 100_000),
    "fields and baskets": Reader(
        lambda text: [amounts(SimpleNamespace(body=(start + text).encode()), []) for start in ("", "href=")],  # type: ignore[arg-type]
        NAMES,
        100_000,
    ),
    "kind of an address": Reader(
        lambda text: (addressed(f"{URL}/{text}"), part_of_one(text)),
        [*HREFS, "page", "page-", "1", "#", "cart", "a-", "#/aaa"],
        8000,
    ),
    "sitemap": Reader(lambda text: Sitemap(f"<url>{text}".encode(), URL).links, [*MAPS, *MARKUP], 400_000),
    "feed": Reader(lambda text: Sitemap(f"<entry>{text}".encode(), URL).links, MAPS, 200_000),
    "list of URLs": Reader(lambda text: Sitemap(text.encode(), URL).links, MAPS[-3:], 60_000),
}


def grown(shape: str, size: int) -> str:
    """The shape so often that it fills the size; {} in it is another number each time."""
    many = size // len(shape)
    return "".join(shape.format(n) for n in range(many)) if "{}" in shape else shape * many


def cost(read: Callable[[str], Any], text: str) -> float:
    def runs() -> Iterator[float]:
        for _ in range(5):
            before = time.process_time()
            read(text)
            yield time.process_time() - before

    least = float("inf")
    for seconds in runs():
        least = min(least, seconds)
        if least < BLINK or seconds > 2:
            break
    return least


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_cost_grows_with_the_size(name: str) -> None:
    read, shapes, size = READERS[name]
    for shape in shapes:
        quarter = cost(read, grown(shape, size // 4))
        dear = cost(read, grown(shape, size)) if quarter < 2 else float("inf")
        assert dear < BLINK or dear < MOST * quarter, f"{shape!r}: {quarter:.3f} s, four times as much {dear:.3f} s"


def test_what_a_list_of_urls_may_hold_is_looked_at_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[str]()
    monkeypatch.setattr(urls, "canonical", lambda url, base="": asked.append(url) or "")  # type: ignore[func-returns-value]
    many = maps.MOST_LINES + 10
    assert Sitemap(b"\n\n".join(b"no://%d" % n for n in range(many)), URL).links == ()
    assert asked == [f"no://{n}" for n in range(maps.MOST_LINES)]


def test_a_sitemap_with_a_number_of_thousands_of_digits_is_read() -> None:
    body = b"<url><loc>http://a.example/1</loc></url><url><loc>http://a.example/&#%b;</loc></url>" % (b"9" * 5000)
    assert [link.url for link in Sitemap(body, URL).links][:1] == ["http://a.example/1"]
