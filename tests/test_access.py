"""Logins, headers, cookies and proxies go to the host they are for and to no other; private networks open by their range."""

from __future__ import annotations

import gzip
import re
from base64 import b64encode
from hashlib import md5
from pathlib import Path
from urllib.request import parse_http_list, parse_keqv_list

import pytest
import trustme

from opilio.config import Config
from opilio.config_file import load
from opilio.errors import ConfigError
from opilio.fetchers.http.access import read_access
from opilio.fetchers.http.address_guard import Guard

from .doc_page import DOCS, run_page
from .local_site import LocalSite, Reply, Request

COOKIES = "# Netscape HTTP Cookie File\n127.0.0.1\tFALSE\t/in\tFALSE\t0\tsession\tsesame\n.other.test\tTRUE\t/\tFALSE\t0\ta\tb\n"
SECRETS = ("sesame", "token-of-bees", b64encode(b"bee:honey").decode())


def private(request: Request) -> Reply:
    right = "Basic " + b64encode(b"bee:honey").decode()
    return Reply(b"<p>inside", status=200 if request.headers.get("authorization") == right else 401)


def test_a_login_is_for_one_host_and_not_for_where_it_redirects_to(tmp_path: Path) -> None:
    with LocalSite({"/in": b"<p>elsewhere", "/": b"x"}, "127.0.0.2") as other, LocalSite({}) as site:
        site.pages = {
            "/": f'<a href="/in">in</a> <a href="/away">away</a> <a href="{other.url}/">other</a>'.encode(),
            "/in": private,
            "/away": Reply(b"", status=302, headers={"Location": f"{other.url}/in"}),
        }
        (tmp_path / "cookies.txt").write_text(COOKIES)
        (tmp_path / "access.toml").write_text(
            '[[site]]\nhost = "127.0.0.1"\nuser = "bee"\npassword = "honey"\ncookies = "cookies.txt"\n'
            'headers = { X-Token = "token-of-bees" }\n'
        )
        run = site.crawl(
            tmp_path / "run", access=str(tmp_path / "access.toml"), seeds=[f"{site.url}/", f"{other.url}/"]
        )
    asked = {request.path: request.headers for request in site.asked}
    assert asked["/in"]["x-token"] == "token-of-bees"
    assert asked["/in"]["cookie"] == "session=sesame"
    assert "cookie" not in asked["/"]  # it is for another path
    assert {page.status for page in run.pages() if page.url == f"{site.url}/in"} == {200}
    assert {"/in", "/"} <= set(other.paths())
    for request in other.asked:
        assert not {"authorization", "x-token", "cookie"} & request.headers.keys()
    archive = b"".join(gzip.decompress(path.read_bytes()) for path in (run.folder / "archive").glob("*.warc.gz"))
    stored = archive + b"".join(p.read_bytes() for p in run.folder.iterdir() if p.is_file())
    assert not any(secret.encode() in stored for secret in SECRETS)


def by_digest(request: Request) -> Reply:
    """RFC 7616 with MD5, worked out here from the password."""
    scheme, _, rest = request.headers.get("authorization", "").partition(" ")
    given = parse_keqv_list(parse_http_list(rest))
    if scheme == "Digest" and given["username"] == "bee:keeper" and given["uri"] == request.path:
        secret, what = (md5(text.encode()).hexdigest() for text in ("bee:keeper:hive:honey", f"GET:{request.path}"))
        middle = ":".join(given[name] for name in ("nonce", "nc", "cnonce", "qop"))
        if given["response"] == md5(f"{secret}:{middle}:{what}".encode()).hexdigest():
            return Reply(b'<p>inside <a href="/deeper">on</a>')
    asks = 'Digest realm="hive", qop="auth", nonce="n0nce", algorithm=MD5'
    return Reply(b"<p>log in", status=401, headers={"WWW-Authenticate": asks})


def test_a_login_by_digest_is_for_one_host_too(tmp_path: Path) -> None:
    with LocalSite({"/": b"<p>open"}, "127.0.0.2") as other, LocalSite({"/": by_digest, "/deeper": by_digest}) as site:
        other.pages["/asks"] = by_digest
        login = 'user = "bee:keeper"\npassword = "honey"\nauthentication = "digest"\n'
        (tmp_path / "access.toml").write_text(f'[[site]]\nhost = "{site.host}"\n{login}')
        seeds = [f"{site.url}/", f"{other.url}/", f"{other.url}/asks"]
        run = site.crawl(tmp_path / "run", access=str(tmp_path / "access.toml"), seeds=seeds, fetch_connections=1)
    found = {page.url: page.status for page in run.pages()}
    assert found == {seeds[0]: 200, f"{site.url}/deeper": 200, seeds[1]: 200, seeds[2]: 401}
    assert not any("authorization" in request.headers for request in other.asked)
    first, *_, last = (request.headers for request in site.asked if request.path == "/")
    assert "authorization" not in first  # the first answer says what to send
    assert "authorization" in last
    assert all("authorization" in request.headers for request in site.asked if request.path == "/deeper")
    archive = b"".join(gzip.decompress(path.read_bytes()) for path in (run.folder / "archive").glob("*.warc.gz"))
    assert b"Authorization" not in archive
    assert b"<p>inside" in archive


def test_a_proxy_is_for_one_host_and_not_for_where_it_redirects_to(tmp_path: Path) -> None:
    with LocalSite({"/": b"<p>direct", "/landed": b"<p>landed"}) as site, LocalSite({}) as proxy:
        proxy.answer = lambda handler: LocalSite.answer(proxy, handler)  # type: ignore[method-assign]
        proxy.pages = {
            "http://far.test/": b'<p>by proxy <a href="%b/">on</a> <a href="/away">away</a>' % site.url.encode(),
            "http://far.test/away": Reply(b"", status=302, headers={"Location": f"{site.url}/landed"}),
        }
        (tmp_path / "access.toml").write_text(f'[[site]]\nhost = "far.test"\nproxy = "{proxy.url}"\n')
        settings = {"seeds": ["http://far.test/", f"{site.url}/"], "access": str(tmp_path / "access.toml")}
        run = site.crawl(tmp_path / "run", **settings)
    assert {"by proxy on away", "direct", "landed"} <= {page.text for page in run.pages()}
    assert set(proxy.paths()) == {"http://far.test/robots.txt", "http://far.test/", "http://far.test/away"}
    assert set(site.paths()) == {"/robots.txt", "/", "/landed"}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("prox = 1", 'did you mean "proxy"'), ("site = 1", "write [[site]]"), ("[[site]]\n", 'host = ""'),
        ('proxy = "p:3128"', "is not a proxy"), ('proxy = "file:///x"', "is not a proxy"), ("keep_cookies = 1", "true or false"),
        ('certificates = "access.toml"', "not a file with PEM"), ('certificates = "no.pem"', "not a file with PEM"),
        ('[[site]]\nhost = "a/b"', "is not a host"), ('[[site]]\nhost = "a"\nuser = 1', "user must be text"),
        ('[[site]]\nhost = "a"\npasword = "x"', 'did you mean "password"'), ('[[site]]\nhost = "a"\npassword = "x"', "no user"),
        ('[[site]]\nhost = "a"\nproxy = "ftp://x"', "is not a proxy"),
        ('[[site]]\nhost = "a"\nuser = "b"\nauthentication = "digets"', 'did you mean "digest"'),
        ('[[site]]\nhost = "a"\nauthentication = "digest"', "no user"),
        ('[[site]]\nhost = "a"\ncookies = "no.txt"', "cookies.txt"),
        ('[[site]]\nhost = "a"\nheaders = { a = 1 }', "table of texts"), ("[[site", "cannot be read"),
    ],
)  # fmt: skip
def test_a_mistake_in_the_file_is_a_sentence(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "access.toml").write_text(text)
    with pytest.raises(ConfigError) as caught:
        read_access(tmp_path / "access.toml")
    assert said in str(caught.value)


def test_an_origin_is_more_exact_than_a_host(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text('[[site]]\nhost = "https://a.test:8443"\n[[site]]\nhost = "b.test"\n')
    access = read_access(tmp_path / "a.toml")
    assert access.of("https://a.test:8443/x")
    assert not access.of("http://a.test:8443/x")
    assert not access.of("https://a.test/x")
    assert access.of("http://b.test:8080/")
    assert not access.of("http://www.b.test/")
    assert not access.of("http://b.test.evil.example/")


def test_private_networks_open_by_exact_ranges() -> None:
    guard = Guard({"http"}, {80}, allow_networks=("10.1.2.0/24", "fd00:1::/64"))
    assert guard.address("10.1.2.3") == guard.address("fd00:1::5") == guard.url("http://10.1.2.3/") == ""
    for address in ("10.1.3.1", "192.168.0.1", "127.0.0.1", "::ffff:10.1.2.3", "fd00:2::1", "169.254.169.254"):
        assert "refused" in guard.address(address)


@pytest.mark.parametrize("network", ["10.0.0.1", "10.0.0.1/8", "bees", "10.0.0.0/33"])
def test_a_range_that_is_none_is_a_sentence(network: str) -> None:
    with pytest.raises(ConfigError, match="range of addresses"):
        load(None, {"seeds": ["http://a.example/"], "allow_networks": [network]})


def test_a_crawl_reaches_what_was_opened_and_no_more(tmp_path: Path) -> None:
    with LocalSite({"/": b"<p>two"}, "127.0.0.2") as two, LocalSite({"/": b"<p>x"}, "127.0.0.1") as one:
        settings = {"seeds": [f"{two.url}/", f"{one.url}/"], "allow_networks": ["127.0.0.2/32"]}
        run = one.crawl(tmp_path / "run", **settings)
    assert [page.url for page in run.pages()] == [f"{two.url}/"]
    assert one.asked == []


def test_the_path_of_the_file_is_kept_and_nothing_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "access.toml").write_text('[[site]]\nhost = "a.test"\nuser = "bee"\npassword = "honey"\n')
    monkeypatch.chdir(tmp_path)
    config = load(None, {"seeds": ["http://a.test/"], "access": "access.toml"})
    assert config.access == str(tmp_path / "access.toml")
    assert "honey" not in config.toml()
    assert Config().access == ""


def test_the_file_of_the_docs_is_understood(tmp_path: Path) -> None:
    text = re.findall(r"```toml\n(.*?)```", (DOCS / "access.md").read_text(encoding="utf-8"), re.DOTALL)[0]
    (tmp_path / "access.toml").write_text(text)
    (tmp_path / "our-ca.pem").write_bytes(trustme.CA().cert_pem.bytes())
    (tmp_path / "cookies.txt").write_text("# Netscape HTTP Cookie File\n")
    found = read_access(tmp_path / "access.toml")
    assert [site.host for site in found.sites] == ["members.example.org", "wiki.example.org", "far.example.org"]


def test_the_page_of_the_docs_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run_page("access.md", tmp_path, monkeypatch)
    assert "for members" in capsys.readouterr().out
