"""Cookies: to whom they go back, and how many there can be."""

from __future__ import annotations

import pytest

from opilio.fetchers.http.cookies import MOST_EACH, MOST_SITES, Cookies


@pytest.mark.parametrize(
    ("origin", "said", "asked", "sent"),
    [
        ("http://a.example.com/", "x=1", "http://a.example.com/y", "x=1"),
        ("http://a.example.com/", "x=1", "http://b.example.com/", ""),
        ("http://a.example.com/", "x=1; Domain=example.com", "http://b.example.com/", "x=1"),
        ("http://a.example.com/", "x=1; Domain=.example.com", "http://example.com/", "x=1"),
        ("http://a.example.com/", "x=1; Domain=com", "http://b.com/", ""),
        ("http://a.example.com/", "x=1; Domain=com", "http://a.example.com/", ""),
        ("http://a.example.com/", "x=1; Domain=b.example.com", "http://b.example.com/", ""),
        ("http://alice.github.io/", "x=1; Domain=github.io", "http://bob.github.io/", ""),
        ("http://notexample.com/", "x=1; Domain=example.com", "http://example.com/", ""),
        ("http://a.example.com/d/e", "x=1", "http://a.example.com/d/f", "x=1"),
        ("http://a.example.com/d/e", "x=1", "http://a.example.com/", ""),
        ("http://a.example.com/", "x=1; Path=/d", "http://a.example.com/dd", ""),
        ("http://a.example.com/", "x=1; Path=/d", "http://a.example.com/d?q", "x=1"),
        ("https://a.example.com/", "x=1; Secure", "http://a.example.com/", ""),
        ("https://a.example.com/", "x=1; Secure", "https://a.example.com/", "x=1"),
        ("http://a.example.com/", "x=1; Secure", "https://a.example.com/", ""),
        ("http://a.example.com/", "x=1; Max-Age=0", "http://a.example.com/", ""),
        ("http://a.example.com/", "x=1; Max-Age=99", "http://a.example.com/", "x=1"),
        ("http://a.example.com/", "x=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "http://a.example.com/", ""),
        ("http://a.example.com/", "x=1; Expires=whenever", "http://a.example.com/", "x=1"),
        ("http://a.example.com/", "nothing", "http://a.example.com/", ""),
        ("http://a.example.com/", "x=a\x01b", "http://a.example.com/", ""),
        ("http://a.example.com/", "x=" + "y" * 5000, "http://a.example.com/", ""),
        ("http://93.184.216.34/", "x=1; Domain=93.184.216.34", "http://93.184.216.34/", "x=1"),
    ],
)
def test_where_a_cookie_goes(origin: str, said: str, asked: str, sent: str) -> None:
    cookies = Cookies()
    cookies.take(origin, [said])
    assert cookies.header(asked) == sent


def test_cookies_are_replaced_deleted_and_bounded() -> None:
    cookies = Cookies()
    cookies.take("http://a.example/", ["x=1", "x=2", "y=1", "y=; Max-Age=0"])
    assert cookies.header("http://a.example/") == "x=2"
    cookies.take("http://a.example/", [f"n{n}={'v' * 1000}" for n in range(MOST_EACH * 2)])
    assert len(cookies.header("http://a.example/")) <= 8192
    for n in range(MOST_SITES):
        cookies.take(f"http://s{n}.example/", ["x=1"])
    assert cookies.header("http://a.example/") == ""
    assert cookies.header(f"http://s{MOST_SITES - 1}.example/") == "x=1"
