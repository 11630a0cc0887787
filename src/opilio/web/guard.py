"""Who may ask, and how much: a token for everything, our own Host and Origin only, bodies with an end, and headers that leave a
browser no choice."""

from __future__ import annotations

import secrets
from collections.abc import Iterable

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
DRAWING = "default-src 'none'; style-src 'unsafe-inline'; sandbox"  # an SVG brings its own colours, and nothing else
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # "no-referrer" would take the Origin from our own forms
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
SAFE = ("GET", "HEAD")
OPEN = ("/login", "/static/")
LONGEST = 1 << 20  # bytes of a body: thousands of seeds fit
TOO_LONG = f"more than {LONGEST:,} bytes were sent; nothing here takes as much"


class Keys:
    """The token that people are given, and what a browser gets for it."""

    def __init__(self, token: str, port: int) -> None:
        self.token, self.session = token, secrets.token_urlsafe(32)
        self.cookie = f"opilio_{port}"  # browsers tell cookies of one address apart by name, not by port

    def is_token(self, text: str) -> bool:
        return secrets.compare_digest(text.encode(), self.token.encode())

    def by_header(self, request: Request) -> bool:
        kind, _, text = request.headers.get("authorization", "").partition(" ")
        return kind.lower() == "bearer" and self.is_token(text.strip())

    def by_cookie(self, request: Request) -> bool:
        return secrets.compare_digest(request.cookies.get(self.cookie, "").encode(), self.session.encode())


class Guard:
    """Stands before the application: nothing passes without the token, from another site, under another name, or without end."""

    def __init__(self, app: ASGIApp, keys: Keys, hosts: Iterable[str]) -> None:
        self.app, self.keys, self.hosts = app, keys, frozenset(hosts)
        self.origins = frozenset(f"http://{host}" for host in self.hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await self.app(scope, receive, send)
        if scope["type"] != "http":
            return None  # there are no websockets here
        answer: ASGIApp = self.refusal(Request(scope)) or self.app
        return await answer(scope, _bounded(receive), _marked(send))

    def refusal(self, request: Request) -> Response | None:
        """The answer to a request that may not pass; None when it may."""
        if request.headers.getlist("host") not in [[host] for host in self.hosts]:
            return _no(421, "this name is not served here")
        if self._is_foreign(request):
            return _no(403, "a request from another site")
        if request.url.path.startswith(OPEN):
            return None
        if self.keys.by_header(request):
            return None
        if not self.keys.by_cookie(request):
            return self._ask(request)
        if request.method not in SAFE and request.headers.get("origin") not in self.origins:
            return _no(403, "a change must come from a page of ours, or with the token in a header")
        return None

    def _is_foreign(self, request: Request) -> bool:
        origin = request.headers.get("origin")
        if origin is not None and origin != f"http://{request.headers['host']}":
            return True
        return request.method not in SAFE and request.headers.get("sec-fetch-site", "none") not in (
            "none",
            "same-origin",
        )

    def _ask(self, request: Request) -> Response:
        wants_page = "text/html" in request.headers.get("accept", "") and request.method in SAFE
        if wants_page:
            return RedirectResponse("/login", 303)
        answer = _no(401, "the token is missing: send it as `Authorization: Bearer TOKEN`")
        answer.headers["WWW-Authenticate"] = "Bearer"
        return answer


def _no(status: int, why: str) -> Response:
    return PlainTextResponse(why + "\n", status)


def _bounded(receive: Receive) -> Receive:
    """The same messages; the application answers 413 when their bodies are longer than `LONGEST` together."""
    length = 0

    async def bounded() -> Message:
        nonlocal length
        message = await receive()
        length += len(message.get("body", b""))
        if length > LONGEST:
            raise HTTPException(413, TOO_LONG)
        return message

    return bounded


def _marked(send: Send) -> Send:
    async def marked(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return marked
