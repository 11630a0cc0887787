"""Pages that are answered well and are hard to read: types and charsets that lie, HTML without measure."""

from __future__ import annotations

from .case import HELLO, Case, answer
from .encodings import encoded, packed

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40
MEGABYTE = 1 << 20


def page(text: str, kind: str = "text/html; charset=utf-8") -> tuple[bytes]:
    return (answer(text.encode(), kind=kind),)


def small(text: str) -> tuple[bytes]:
    """A page that is large only when it is unpacked."""
    return encoded("gzip", packed(text.encode()))


TYPES = [
    Case("type-lie-picture", (answer(kind="image/png"),), body=HELLO),
    Case("type-lie-page", (answer(PNG),), body=PNG),
    Case("type-none", (answer(kind=""),), body=HELLO),
    Case("type-junk", (answer(kind="/;;=,text"),), body=HELLO),
    Case("type-long", (answer(kind="text/html; " + "x=y; " * 8000),), body=HELLO),
    Case("type-plain", (answer(kind="text/plain"),), body=HELLO),
    Case("type-pdf", (answer(b"%PDF-1.7 " + PNG, kind="application/pdf"),)),
    Case("type-zip", (answer(b"PK\x03\x04" + PNG, kind="application/zip"),)),
    Case("type-xml-bomb", page(
        '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">'
        + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 9)) + "]><html>&a8;</html>", "text/xml")),
    Case("charset-unknown", (answer(kind="text/html; charset=klingon"),), body=HELLO),
    Case("charset-lie", (answer("<p>grüße".encode("latin-1"), kind="text/html; charset=utf-8"),)),
    Case("charset-utf-16-lie", (answer(kind="text/html; charset=utf-16"),)),
    Case("charset-utf-16", (answer("\ufeff<title>hé</title>".encode("utf-16-le"), kind="text/html"),)),
    Case("charset-utf-7", (answer(b"+ADw-script+AD4-", kind="text/html; charset=utf-7"),)),
    Case("charset-conflict", (answer(b'<meta charset="shift_jis"><p>\xe3\x81\x82', kind="text/html; charset=utf-8"),)),
    Case("charset-twice", (answer(kind='text/html; charset="utf-8"; charset=latin-1'),), body=HELLO),
    Case("bytes-all", (answer(b"<p>" + bytes(range(256)) * 400),)),
    Case("bytes-nul", (answer(b"<p>" + bytes(100_000) + b"</p>"),)),
    Case("bytes-broken-utf-8", (answer(b"<title>" + b"\xf0\x9f" * 50_000),)),
]  # fmt: skip

HTML = [
    Case("title-10mb", (answer(b"<title>" + b"a" * (10 * MEGABYTE)),), 200, "too large"),
    Case("title-10mb-packed", small("<title>" + "word " * (2 * MEGABYTE))),
    Case("text-12mb-packed", small("<p>" + "word " * (2 * MEGABYTE + MEGABYTE // 2))),
    Case("plain-text-12mb-packed", (
        answer(packed(b"words " * (2 * MEGABYTE)), "Content-Encoding: gzip", kind="text/plain; charset=latin-1"),)),
    Case("one-word-10mb", small("<p>" + "a" * (10 * MEGABYTE))),
    Case("links-100000", page("".join(f"<a href=/p{n}>n {n}</a>" for n in range(100_000)))),
    Case("links-the-same", page('<a href="/x">x</a>' * 100_000)),
    Case("link-of-4mb", small(f'<a href="/{"a" * (4 * MEGABYTE)}">x</a>')),
    Case("links-nested", page("<a href=/x>" * 50_000)),
    Case("nested-divs", page("<div>" * 100_000 + "deep" + "</div>" * 100_000)),
    Case("nested-lists", page("<ul><li>" * 50_000 + "deep")),
    Case("nested-tables", page("<table><tr><td>" * 20_000 + "deep")),
    Case("nested-bold", page("<b><i><u>" * 10_000 + "deep")),
    Case("nested-frames", page("<frameset>" * 50_000)),
    Case("nested-svg", page("<svg><g>" * 50_000)),
    Case("misnested", page("<b><p><i></b></p></i>" * 5_000)),
    Case("tables-with-text", page("<table>text" * 5_000)),
    Case("attributes-100000", page("<p " + " ".join(f"a{n}=b" for n in range(100_000)) + ">x")),
    Case("attribute-of-4mb", small(f"<p class='{'x ' * (2 * MEGABYTE)}'>x")),
    Case("classes-without-end", page("".join(f"<p class='{' '.join(f'c{n}{m}' for m in range(50))}'>x" for n in range(2000)))),
    Case("comment-unclosed", page("<p>before<!-- " + "never ends " * 100_000)),
    Case("script-unclosed", page("<p>before<script>" + "never(); " * 100_000)),
    Case("tag-unclosed", page("<p>before<a href='" + "x" * 500_000)),
    Case("entities", page("<p>" + "&amp;&#x10FFFF;&nonsense;" * 50_000)),
    Case("lone-angles", page("<" * 500_000)),
    Case("bases", page("".join(f"<base href='http://h{n}.example/'>" for n in range(20_000)) + "<a href=x>x</a>")),
    Case("metas", page("<meta name=robots content=noindex>" * 20_000 + "<p>x")),
    Case("bad-hrefs", page("".join(f"<a href='{url}'>x</a>" for url in (
        "http://", "http://[::1", "//", "http://a b/", "\\\\x\\y", "javascript:x()", "data:,x", "http://%zz/", "http://\x00/",
        "http://1.2.3.4.5/", "http://a..b/", "http://-/", "?", "#", "http://0x7f.1/", "ht\ttp://tab/", "x" * 5000)))),
]  # fmt: skip

CASES = [*TYPES, *HTML]
