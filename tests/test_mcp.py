"""The MCP server, asked by the client of the official SDK: by both transports, and about everything that it must refuse."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from opilio.errors import ConfigError
from opilio.mcp.server import server
from opilio.mcp.tools import LETTERS, Allowed, Tools
from opilio.report.run_state import run_state

from .crawled import crawled
from .test_web import until

MAIN = [sys.executable, "-c", "from opilio.cli import main; main()"]
WEB = ["-s", "corpus=synth:2000:3", "-s", "model=words"]
TOKEN = "a token for tests"


@asynccontextmanager
async def by_stdio(folder: Path) -> AsyncIterator[Client]:
    words = [*MAIN[1:], "mcp", str(folder), *WEB, "--max-pages", "200"]
    params = StdioServerParameters(command=MAIN[0], args=words, env=dict(os.environ))
    async with Client(stdio_client(params)) as client:
        yield client


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    words = [*MAIN, "mcp", str(folder), "--http", "--port", "0", *WEB, "--max-pages", "200"]
    env = {**os.environ, "OPILIO_TOKEN": TOKEN}
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=env) as process:
        try:
            assert process.stderr
            yield re.findall(r"http://\S+", process.stderr.readline())[0]
        finally:
            process.terminate()


@asynccontextmanager
async def by_http(folder: Path) -> AsyncIterator[Client]:
    with serving(folder) as address:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}, timeout=60) as web,
            Client(streamable_http_client(address, http_client=web)) as client,
        ):
            yield client


async def ask(client: Client, tool: str, **arguments: Any) -> Any:
    """What a tool answers, as a program reads it."""
    answer = await client.call_tool(tool, arguments)
    assert not answer.is_error, answer.content
    assert answer.structured_content is not None
    told = answer.structured_content
    return told["result"] if set(told) == {"result"} else told


async def refusal(client: Client, tool: str, **arguments: Any) -> str:
    answer = await client.call_tool(tool, arguments)
    assert answer.is_error
    return " ".join(part.text for part in answer.content if part.type == "text")


async def from_crawl_to_page(client: Client) -> None:
    tools = {tool.name for tool in (await client.list_tools()).tools}
    assert tools >= {"crawl", "status", "search", "read", "explain", "label"}
    assert (await ask(client, "runs")) == []
    begun = await ask(client, "crawl", name="bees", topic="beekeeping", max_pages=60)
    assert begun["state"] in ("running", "finished")
    done = await ask(client, "status", run="bees", wait=60)
    assert (done["state"], done["pages"]) == ("finished", 60)
    found = await ask(client, "search", run="bees", query="hive", most=3)
    assert found["complete"]
    url = found["hits"][0]["url"]
    page = await ask(client, "read", run="bees", url=url)
    assert "hive" in page["markdown"].lower()
    assert page["next_offset"] is None
    assert "fetched" in (await ask(client, "explain", run="bees", url=url))["state"]
    assert await ask(client, "questions", run="bees", most=2)
    assert await ask(client, "label", run="bees", url=url, relevant=True) == {"url": url, "relevant": True}
    assert "max_pages = 201" in await refusal(client, "resume", run="bees", max_pages=201)


@pytest.mark.slow
@pytest.mark.parametrize("transport", [by_stdio, by_http])
def test_from_a_topic_to_a_page(tmp_path: Path, transport: Any) -> None:
    async def main() -> None:
        async with transport(tmp_path / "runs") as client:
            await from_crawl_to_page(client)

    asyncio.run(main())
    labels = (tmp_path / "runs" / "bees" / "labels.csv").read_text().splitlines()
    assert labels[1].endswith(",yes")
    until(lambda: run_state(tmp_path / "runs" / "bees") == "finished", 60)  # it learns from the label


@pytest.mark.slow
def test_http_asks_for_the_token_and_its_own_name(tmp_path: Path) -> None:
    first = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    with serving(tmp_path) as address:

        def status(**headers: str) -> int:
            sent = {"Accept": "application/json, text/event-stream", **headers}
            return httpx2.post(address, json=first, headers=sent).status_code

        good = {"Authorization": f"Bearer {TOKEN}"}
        assert status() == 401
        assert status(Authorization="Bearer another") == 401
        assert status(**good, Origin="http://evil.example") == 403
        assert status(**good, Host="evil.example") == 421
        assert status(**good) not in (401, 403, 421)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mcp") / "runs"
    crawled(folder / "bees", max_pages=40)
    return folder


def asked(runs: Path, tool: str, **arguments: Any) -> str:
    """The sentence of a refusal, by the client of the SDK in this process."""

    async def main() -> str:
        async with Client(server(Tools([runs], Allowed(pages=50), {"corpus": "synth:2000:3"}))) as client:
            return await refusal(client, tool, **arguments)

    return asyncio.run(main())


BAD = [
    ("status", {"run": "../bees"}, "there is no run"),
    ("status", {"run": "bees", "wait": 600}, "less than or equal to 60"),
    ("crawl", {"name": "../x", "topic": "bees"}, "is not a valid name"),
    ("crawl", {"name": "bees", "topic": "bees"}, "already"),
    ("crawl", {"name": "x", "topic": "bees", "max_pages": 51}, "it must be 50 or less here"),
    ("crawl", {"name": "x", "topic": "bees", "examples": ["/etc/passwd"]}, "only http(s) URLs"),
    ("crawl", {"name": "x", "topic": "bees", "strategy": "/tmp/x.py:X"}, "classes in files are for the command line"),
    ("crawl", {"name": "x", "topic": "bees", "strategy": "blond"}, 'did you mean "blend"'),
    ("crawl", {"name": "x", "topic": "bees", "seeds": ["ftp://x/"]}, "is not an http(s) URL"),
    ("search", {"run": "bees", "query": "-"}, "there is no word in it"),
    ("read", {"run": "bees", "url": "http://nowhere.example/"}, "there is no stored page"),
    ("read", {"run": "bees", "url": "file:///etc/passwd"}, "there is no stored page"),
    ("explain", {"run": "bees", "url": "x"}, "is not an http(s) URL"),
    ("label", {"run": "bees", "url": "http://nowhere.example/", "relevant": True}, "there is no stored page"),
    ("stop", {"run": "bees"}, "not running"),
]  # fmt: skip


@pytest.mark.parametrize(("tool", "arguments", "sentence"), BAD)
def test_what_is_not_allowed_is_a_sentence(runs: Path, tool: str, arguments: dict[str, Any], sentence: str) -> None:
    assert sentence in asked(runs, tool, **arguments)
    assert [path.name for path in runs.iterdir() if not path.name.startswith(".")] == ["bees"]


def test_settings_of_the_operator_go_before(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tools = Tools([runs], Allowed(50, 60.0), {"strategy": "otie", "hosts": ["a.example"]})
    told: dict[str, Any] = {}
    monkeypatch.setattr(tools.crawls, "start", lambda folder, settings: told.update(settings))
    monkeypatch.setattr(tools, "status", lambda name: {})
    tools.crawl("new", "bees", hosts=["b.example"], strategy="blend", max_pages=7)
    wanted = {"topic": "bees", "hosts": ["a.example"], "strategy": "otie", "max_pages": 7, "max_seconds": 60.0}
    assert told == wanted


def test_only_so_many_crawls_at_once(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("opilio.mcp.tools.run_state", lambda folder: "running")
    with pytest.raises(ConfigError, match=r"1 crawls are running \(bees\)"):
        Tools([runs], Allowed(crawls=1), {}).crawl("new", "bees")


def test_a_long_page_comes_in_parts(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tools = Tools([runs], Allowed(), {})
    url = tools.questions("bees", 1)[0]["url"]
    whole = tools.read("bees", url)
    assert whole["letters"] < LETTERS
    monkeypatch.setattr("opilio.mcp.tools.LETTERS", 10)
    parts, offset = "", 0
    while offset is not None:
        part = tools.read("bees", url, offset)
        parts, offset = parts + part["markdown"], part["next_offset"]
    assert parts == whole["markdown"]


def test_without_the_extra_one_sentence_names_it(tmp_path: Path) -> None:
    code = "import sys; sys.modules['mcp'] = None; from opilio.cli import main; main()"
    hidden = "import importlib.util as u; real = u.find_spec; u.find_spec = lambda n, *a: None if n == 'mcp' else real(n, *a); "
    done = subprocess.run([sys.executable, "-c", hidden + code, "mcp", str(tmp_path)], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == 'opilio: the MCP server needs mcp; install it with: pip install "opilio[mcp]"\n'


DOC = (Path(__file__).parents[1] / "docs" / "mcp.md").read_text(encoding="utf-8")


def test_every_tool_is_described(tmp_path: Path) -> None:
    made = asyncio.run(server(Tools([tmp_path], Allowed(), {})).list_tools())
    assert {tool.name for tool in made} == set(re.findall(r"^\| `(\w+)` \|", DOC, re.MULTILINE))


@pytest.mark.slow
def test_the_snippets_of_the_page(tmp_path: Path) -> None:
    """The commands that clients are told to run start a server that answers; the Python program runs as it is."""
    bin = tmp_path / "bin"
    bin.mkdir()
    (bin / "opilio").write_text(f"#!/bin/sh\nexec {sys.executable} -c '{MAIN[2]}' \"$@\"\n")
    (bin / "opilio").chmod(0o755)
    env = {**os.environ, "PATH": f"{bin}:{os.environ['PATH']}"}
    snippets = [json.loads(text) for text in re.findall(r"```json\n(.*?)```", DOC, re.DOTALL)]
    local = [one["mcpServers"]["opilio"] for one in snippets if "command" in one["mcpServers"]["opilio"]]
    for told in local:
        words = [str(tmp_path / "runs") if word.startswith("/") else word for word in told["args"]]
        params = StdioServerParameters(command=told["command"], args=words, env=env | told.get("env", {}))

        async def count(params: StdioServerParameters = params) -> int:
            async with Client(stdio_client(params)) as client:
                return len((await client.list_tools()).tools)

        assert asyncio.run(count()) > 5
    program = re.findall(r"```python\n(.*?)```", DOC, re.DOTALL)[0]
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "hive" in done.stdout.lower()
