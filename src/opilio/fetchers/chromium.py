"""Pages as a browser shows them: Chromium runs their scripts, and every byte that it gets comes over our own client.

Nothing that the browser asks for reaches the network by itself: each request is answered here, by `get`, which has the guard and
the limits of every other request. What cannot be intercepted (web sockets, WebRTC, DNS) meets a proxy that does not exist.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Awaitable, Callable
from contextlib import suppress
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple
from uuid import uuid4

from ..errors import ConfigError
from .http.client import Answer
from .memory_of_processes import kill_marked, megabytes_of_marked

if TYPE_CHECKING:
    from playwright.async_api import Browser, BrowserContext, Page, Playwright, Request, Route

SECONDS = 20.0  # for one page, from the first request to the last look
STARTING = 60.0  # for the browser, on a busy machine
QUIET = 3.0  # seconds to wait for a page to become quiet
SCROLLS = 4  # times that a page is scrolled to its end while it grows
PAUSE = 0.4  # seconds after each
MOST_REQUESTS = 100  # of one page
MOST_BYTES = 16 << 20  # of all of them
MEGABYTES = 1500  # of all processes of the browser
HEAP = 512  # megabytes for the objects of scripts
AT_ONCE = 1  # pages: one that has to be ended takes no other with it
LOOK = 0.25  # seconds between two looks at the memory
UNSEEN = frozenset(("image", "media", "font", "websocket", "eventsource", "manifest", "texttrack"))
FLAGS = (
    "--proxy-server=http://127.0.0.1:9", "--proxy-bypass-list=<-loopback>", "--host-resolver-rules=MAP * ~NOTFOUND",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp", "--disable-background-networking", "--disable-sync",
    "--disable-component-update", "--no-pings", "--mute-audio", "--disable-dev-shm-usage", "--block-new-web-contents",
    f"--js-flags=--max-old-space-size={HEAP}",
)  # fmt: skip
BROWSERS_OWN = "chrome-error:"  # so the address of its page about an error begins
HEIGHT = "document.documentElement.scrollHeight"
DROPPED = {"content-encoding", "transfer-encoding", "content-length", "connection", "set-cookie"}

Get = Callable[[str], Awaitable[Answer]]


class Shown(NamedTuple):
    """What a browser made of a page."""

    html: str = ""
    error: str = ""
    left_for: str = ""  # where its scripts wanted to go
    answers: tuple[Answer, ...] = ()  # to what it asked for besides itself


def check_installed() -> None:
    """ConfigError where there is nothing to show pages with."""
    if not find_spec("playwright"):
        raise ConfigError('render: a browser needs Playwright; install it with: pip install "opilio[browser]"')
    if not program():
        raise ConfigError("render: there is no chromium; install it (Debian: apt-get install chromium)")


def program() -> str:
    return os.environ.get("OPILIO_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser") or ""


class Chromium:
    """Starts a browser when it is first needed, and again after it has died."""

    def __init__(self, agent: str) -> None:
        self._agent = agent
        self._playwright: Playwright | None = None
        self._browser: Browser | None = None
        self._mark = f"--opilio={uuid4().hex}"  # by which its processes are known
        self._starting, self._turns = asyncio.Lock(), asyncio.Semaphore(AT_ONCE)

    async def show(self, first: Answer, get: Get) -> Shown:
        """The page that an answer becomes when its scripts have run; it never raises for what a page does."""
        from playwright.async_api import Error

        async with self._turns:
            visit = Visit(first, get)
            try:
                async with asyncio.timeout(STARTING):
                    browser = await self._started()
                async with asyncio.timeout(SECONDS + 2 * QUIET):
                    html = await self._shown(browser, visit)
            except TimeoutError:
                await self._kill()
                return visit.shown(error=f"browser: took longer than {SECONDS:g} s")
            except Error as error:
                return visit.shown(error=f"browser: {error.message.splitlines()[0][:100]}")
        return visit.shown(html)

    async def close(self) -> None:
        await self._kill()
        if self._playwright:
            await self._playwright.stop()
            self._playwright = None

    async def _shown(self, browser: Browser, visit: Visit) -> str:
        context = await browser.new_context(
            user_agent=self._agent, service_workers="block", accept_downloads=False, java_script_enabled=True
        )
        watching = asyncio.ensure_future(self._watch())
        try:
            async with asyncio.timeout(SECONDS):
                return await visit.look(context)
        finally:
            watching.cancel()
            await self._let_go(context)

    async def _let_go(self, context: BrowserContext) -> None:
        """Close what a page has opened; a browser that cannot is ended."""
        from playwright.async_api import Error

        try:
            async with asyncio.timeout(QUIET):
                await context.close()
        except (TimeoutError, Error):
            await self._kill()

    async def _watch(self) -> None:
        """End the browser when it takes too much memory: whatever page it was, that is its error."""
        while True:
            await asyncio.sleep(LOOK)
            if await asyncio.to_thread(megabytes_of_marked, self._mark) > MEGABYTES:
                await self._kill()

    async def _started(self) -> Browser:
        from playwright.async_api import async_playwright

        async with self._starting:
            if not self._playwright:
                self._playwright = await async_playwright().start()
            if not self._browser or not self._browser.is_connected():
                self._browser = await self._playwright.chromium.launch(
                    executable_path=program(), args=[*FLAGS, self._mark], chromium_sandbox=os.geteuid() != 0
                )
            return self._browser

    async def _kill(self) -> None:
        self._browser = None
        await asyncio.to_thread(kill_marked, self._mark)


class Visit:
    """One page in one context: what it asks for, and what it gets."""

    def __init__(self, first: Answer, get: Get) -> None:
        self._first, self._get = first, get
        self._answers: list[Answer] = []
        self._asked, self._room, self._left_for = 0, MOST_BYTES, ""
        self._leaves = asyncio.Event()

    def shown(self, html: str = "", error: str = "") -> Shown:
        return Shown(html, error, self._left_for, tuple(self._answers))

    async def look(self, context: BrowserContext) -> str:
        """Load the page, let it become quiet, scroll as long as it grows."""
        from playwright.async_api import Error

        await context.route("**/*", self._answer)
        page = await context.new_page()
        context.on("page", lambda other: asyncio.ensure_future(_close(other)))
        if await self._left_at_once(page):
            if self._left_for == self._first.url:
                raise Error("the page loads itself again")
            return ""
        height = -1
        for _ in range(1 + SCROLLS):
            with suppress(Error):  # a page that is never quiet
                await page.wait_for_load_state("networkidle", timeout=1000 * QUIET)
            before, height = height, int(await page.evaluate(HEIGHT))
            if height == before:
                break
            await page.evaluate(f"window.scrollTo(0, {HEIGHT})")
            await asyncio.sleep(PAUSE)
        return "" if page.url.startswith(BROWSERS_OWN) else await page.content()

    async def _left_at_once(self, page: Page) -> bool:
        """Load the page; whether its scripts went elsewhere before it was there. The browser would wait for it in vain then."""
        loading = asyncio.ensure_future(
            page.goto(self._first.url, wait_until="domcontentloaded", timeout=1000 * SECONDS)
        )
        leaving = asyncio.ensure_future(self._leaves.wait())
        try:
            await asyncio.wait((loading, leaving), return_when=asyncio.FIRST_COMPLETED)
            if not self._leaves.is_set():
                await loading
            return self._leaves.is_set()
        finally:
            for waiting in (loading, leaving):
                waiting.cancel()
            await asyncio.gather(loading, leaving, return_exceptions=True)

    async def _answer(self, route: Route, request: Request) -> None:
        from playwright.async_api import Error

        with suppress(Error):  # the page may be gone in the meantime
            answer = await self._for(request)
            if answer is None:
                await route.abort(
                    "aborted"
                )  # by any other name, the browser's own page about it takes the place of this one
            else:
                headers = {name: value for name, value in answer.headers.items() if name not in DROPPED}
                await route.fulfill(status=answer.status, headers=headers, body=answer.body)

    async def _for(self, request: Request) -> Answer | None:
        """What is answered to a request of the browser; None: nothing."""
        if request.is_navigation_request() and request.frame.parent_frame is None:
            if not self._asked:
                self._asked = 1
                return self._first
            self._left_for = self._left_for or request.url
            self._leaves.set()
            return None
        if (
            self._asked >= MOST_REQUESTS
            or self._room <= 0
            or request.method != "GET"
            or request.resource_type in UNSEEN
        ):
            return None
        self._asked += 1
        answer = await self._get(request.url)
        self._room -= len(answer.body)
        if answer.wire:
            self._answers.append(answer)
        return answer if answer.status and not answer.error else None


async def _close(page: Page) -> None:
    from playwright.async_api import Error

    with suppress(Error):
        await page.close()
