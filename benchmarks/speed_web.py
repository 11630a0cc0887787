"""The web of the speed benchmark: pages as files, fifty hosts, and a server that is not in the way.

Every host is a loopback address of its own, 127.0.0.1 to 127.0.0.50, on one port: so each crawler finds them without a
resolver or a proxy, all in the same way. Page number n is on host n mod 50. Two of a page's links lead to n * 2 and
n * 2 + 1, so that each page can be reached from page 1; the others lead anywhere, most of them to pages of the same topic.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from opilio.synth.mix import Roll
from opilio.synth.prose import Prose, Voice

HOSTS, LINKS = 50, 80
SMALLEST, LARGEST = 10_000, 60_000  # bytes of a page
TEXT = 0.1  # share of a page's bytes in paragraphs; with links and cards a fifth is text, as on recorded pages of this size
CARD, MOST_CARDS = 700, 30  # bytes of a page for each card; small pages have lists instead
OWN = 0.7  # share of links that lead to a page of the same topic
TOPICS = 10
TOPIC = 1  # the one that is crawled for: that of page 1
SEED = 1
ROBOTS = "User-agent: *\nDisallow: /private/\nDisallow: /*?print=\nAllow: /private/open/\n"
CONFIG = """
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 512; }}
http {{
    access_log {folder}/access.log combined buffer=64k flush=1s;
    types {{ text/html html; text/plain txt; }}
    charset utf-8;
    keepalive_requests 100000;
    open_file_cache max=20000 inactive=600s;
    client_body_temp_path {folder}/t; proxy_temp_path {folder}/t; fastcgi_temp_path {folder}/t;
    uwsgi_temp_path {folder}/t; scgi_temp_path {folder}/t;
    server {{ listen 0.0.0.0:{port} backlog=512; root {folder}/pages/$server_addr; }}
}}
"""


class Web:
    """This many pages on 127.0.0.1 and the addresses after it."""

    def __init__(self, pages: int, port: int) -> None:
        self.pages, self.port = pages, port
        self._prose = Prose(SEED)

    def url(self, number: int) -> str:
        return f"http://{address(number)}:{self.port}/{self.place(number)}"

    def place(self, number: int) -> str:
        """The path of a page on its host."""
        return f"topic-{number % TOPICS}/{self._voice(number).slug(number * 977) or 'page'}-{number}.html"

    def relevant(self, number: int) -> bool:
        return number % TOPICS == TOPIC

    def body(self, number: int) -> bytes:
        dice = random.Random(number)
        size = dice.randrange(SMALLEST, LARGEST)
        return page(self, number, size, dice, self._voice(number)).encode()

    def targets(self, number: int, dice: random.Random) -> Iterator[int]:
        """What a page links to."""
        yield from (child for child in (2 * number, 2 * number + 1) if child <= self.pages)
        while True:
            found = dice.randrange(1, self.pages + 1)
            if dice.random() < OWN:
                found = found - found % TOPICS + number % TOPICS
            if 1 <= found <= self.pages:
                yield found

    def title(self, number: int) -> str:
        return self._voice(number).title(number * 977)

    def _voice(self, number: int) -> Voice:
        return self._prose.voice(number % TOPICS, 0)

    def write(self, folder: Path) -> None:
        for number in range(1, self.pages + 1):
            path = folder / "pages" / address(number) / self.place(number)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(self.body(number))
        for number in range(HOSTS):
            (folder / "pages" / address(number)).mkdir(exist_ok=True)
            (folder / "pages" / address(number) / "robots.txt").write_text(ROBOTS)


def address(number: int) -> str:
    return f"127.0.0.{number % HOSTS + 1}"


def page(web: Web, number: int, size: int, dice: random.Random, voice: Voice) -> str:
    """A page as sites make them: navigation, cards, paragraphs with links in them, scripts."""
    targets = web.targets(number, dice)
    links = [_link(web, number, next(targets)) for _ in range(LINKS)]
    cards_from = 50 - min(MOST_CARDS, max(0, size - SMALLEST) // CARD)
    head = f"<!doctype html><html lang=en><head><meta charset=utf-8><title>{web.title(number)}</title>"
    head += '<meta name=viewport content="width=device-width"><style>.card{margin:1em}</style></head>'
    menu = "".join(f"<li class=item>{link}</li>" for link in links[:cards_from])
    cards = "".join(_card(link, voice, dice.random) for link in links[cards_from:50])
    prose = "".join(_paragraph(links[50 + at :: 10], voice, size, dice.random) for at in range(10))
    text = f"{head}<body><header class=top><nav class=menu><ul>{menu}</ul></nav></header>"
    text += f'<main class="content wide"><h1>{web.title(number)}</h1><article class="post">{prose}</article>'
    text += f'<aside class="side"><div class="cards">{cards}</div></aside></main>'
    end = f"<footer class=foot><p>{number}</p></footer></body></html>"
    return text + _widgets(size - len(text) - len(end), dice) + end


def _link(web: Web, source: int, target: int) -> str:
    """Links within a host are relative, as most are."""
    own = address(source) == address(target)
    return f'<a href="{"/" + web.place(target) if own else web.url(target)}">{web.title(target)}</a>'


def _card(link: str, voice: Voice, dice: Roll) -> str:
    blurb = voice.openers[int(dice() * len(voice.openers))]
    return (
        '<div class="card shadow"><div class="card-image"><img data-src="/i.png" alt="" loading="lazy" width="64"></div>'
        f'<div class="card-body"><h3 class="card-title">{link}</h3><p class="card-text">{blurb}</p></div></div>'
    )


def _paragraph(links: list[str], voice: Voice, size: int, dice: Roll) -> str:
    """A tenth of the page's text, links in the middle of sentences."""
    parts: list[str] = []
    while sum(map(len, parts)) < size * TEXT / 10 - 100:
        parts.append(voice.sentence(dice))
    for place, link in enumerate(links):
        parts.insert(min(len(parts), 1 + 2 * place), f" <em>{link}</em> ")
    return f'<p class="text">{" ".join(parts)}</p>'


def _widgets(room: int, dice: random.Random) -> str:
    """What fills most of a page: boxes without words, and scripts."""
    parts, left = [], room
    while left > 600:
        key = f"{dice.getrandbits(64):016x}"
        part = (
            f'<div class="widget widget-{key[:2]}" data-id="{key}" style="margin:0 auto"><span class="icon" '
            f'aria-hidden="true"></span><svg width="24" height="24"><path d="M{key[2:5]} 12 L4 8 Z"/></svg></div>'
            f'<script>window.queue=window.queue||[];queue.push({{"id":"{key}","slot":"s{key[4:8]}","sizes":'
            f'[[300,250],[728,90]],"targeting":{{"a":"{key[::-1]}","b":{int(key[:4], 16)}}},"lazy":true}});</script>'
        )
        parts.append(part)
        left -= len(part)
    return "".join(parts) + " " * max(0, left)


class Server:
    """nginx over a folder of pages; it counts what it answers."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder, self.port = folder, port
        self._read = 0

    def answered(self) -> int:
        """Pages (robots.txt left out) answered since this was last asked."""
        time.sleep(1.5)  # its log is written every second
        log = (self.folder / "access.log").read_bytes()
        fresh, self._read = log[self._read :], len(log)
        return len(re.findall(rb'"GET (?!/robots\.txt)\S+ HTTP/[0-9.]+" 200 ', fresh))

    def ceiling(self, url: str, connections: int = 32) -> float | None:
        """Answers a second, by wrk; None where that is missing."""
        if not shutil.which("wrk"):
            return None
        told = subprocess.run(
            ["wrk", "-t1", f"-c{connections}", "-d5s", url], capture_output=True, text=True, check=True
        )
        found = re.search(r"Requests/sec:\s*([0-9.]+)", told.stdout)
        self.answered()
        return float(found[1]) if found else None


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("0.0.0.0", 0))
        return int(probe.getsockname()[1])


@contextmanager
def serving(folder: Path, port: int) -> Iterator[Server]:
    """nginx, for as long as it is needed; it runs as the user who runs this."""
    (folder / "nginx.conf").write_text(CONFIG.format(folder=folder, port=port))
    nginx = shutil.which("nginx") or "/usr/sbin/nginx"
    if not Path(nginx).exists():
        raise SystemExit("speed: there is no nginx to serve the pages; apt-get install nginx-light wrk wget2")
    user = ["-g", "daemon off;" + (" user root;" if os.getuid() == 0 else "")]
    running = subprocess.Popen([nginx, "-e", f"{folder}/error.log", "-p", folder, "-c", folder / "nginx.conf", *user])
    try:
        _wait(port)
        yield Server(folder, port)
    finally:
        running.send_signal(signal.SIGTERM)
        running.wait()


def _wait(port: int) -> None:
    for _ in range(100):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise SystemExit("speed: nginx did not start; see error.log")
