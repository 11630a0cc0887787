"""A small web site on loopback whose pages a test writes down, and what was asked of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

import opilio
from opilio.api import Run


class Request(NamedTuple):
    path: str
    headers: Mapping[str, str]  # names in lower case


class Reply(NamedTuple):
    body: bytes
    content_type: str = "text/html"
    status: int = 200
    headers: Mapping[str, str] = {}


Content = bytes | Reply | Callable[[Request], Reply]


class LocalSite:
    """Pages by path; other paths are 404. `asked` has every request."""

    def __init__(self, pages: Mapping[str, Content], host: str = "127.0.0.1") -> None:
        self.pages, self.asked = dict(pages), list[Request]()
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                site.answer(self)

            do_POST = do_HEAD = do_GET

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer((host, 0), Handler)
        self._server.daemon_threads = True
        self.host, self.port = host, self._server.server_address[1]
        self.url = f"http://{host}:{self.port}"

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        request = Request(handler.path, {name.lower(): value for name, value in handler.headers.items()})
        self.asked.append(request)
        found = self.pages.get(request.path.partition("?")[0], Reply(b"not here", status=404))
        reply = found if isinstance(found, Reply) else Reply(found) if isinstance(found, bytes) else found(request)
        handler.send_response(reply.status)
        for name, value in {
            "Content-Type": reply.content_type,
            "Content-Length": len(reply.body),
            **reply.headers,
        }.items():
            handler.send_header(name, str(value))
        handler.end_headers()
        if handler.command != "HEAD":
            handler.wfile.write(reply.body)

    def paths(self) -> list[str]:
        return [request.path for request in self.asked]

    def crawl(self, out: Path, **settings: Any) -> Run:
        """A crawl of the site from its home page."""
        told = {
            "seeds": [f"{self.url}/"],
            "allow_networks": ["loopback"],
            "delay": 0.0,
        }
        return opilio.crawl({"strategy": "breadth-first", "max_pages": 50, **told, **settings}, out=out)

    def __enter__(self) -> Self:
        threading.Thread(target=lambda: self._server.serve_forever(0.05), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
