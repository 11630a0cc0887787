"""What the API offers, for people, made from its own description; programs read /api/openapi.json."""

from __future__ import annotations

from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from ..page_router import PageRouter
from ..render import render

router = PageRouter()


class Given(NamedTuple):
    """Something that a call takes."""

    name: str
    where: str  # path, query or body
    kind: str
    about: str
    usual: str


class Call(NamedTuple):
    method: str
    path: str
    about: str
    takes: list[Given]
    curl: str


@router.get("/api")
def api(request: Request) -> Response:
    described = request.app.openapi()
    schemas = described.get("components", {}).get("schemas", {})
    base = f"http://{request.headers['host']}"
    calls = [
        _call(method, path, call, schemas, base)
        for path, methods in described["paths"].items()
        for method, call in methods.items()
    ]
    return render(request, "api.html", calls=calls, base=base)


def _call(method: str, path: str, call: dict[str, Any], schemas: dict[str, Any], base: str) -> Call:
    takes = [_given(given) for given in call.get("parameters", ())] + _body(call, schemas)
    words = ["curl", "-H", '"Authorization: Bearer $OPILIO_TOKEN"']
    words += ["-X", method.upper()] if method != "get" else []
    words += ["-H", '"Content-Type: application/json"', "-d", "'{...}'"] if "requestBody" in call else []
    return Call(method.upper(), path, call.get("description", ""), takes, " ".join([*words, f'"{base}{path}"']))


def _given(given: dict[str, Any]) -> Given:
    schema = given["schema"]
    usual = schema.get("default", "")
    about = given.get("description", "") or ("needed" if given.get("required") else "")
    return Given(given["name"], given["in"], _kind(schema), about, "" if usual in ("", None) else str(usual))


def _body(call: dict[str, Any], schemas: dict[str, Any]) -> list[Given]:
    """The fields of what is sent."""
    sent = call.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    name = next((one["$ref"] for one in (sent, *sent.get("anyOf", ())) if "$ref" in one), "").rpartition("/")[2]
    fields = schemas.get(name, {}).get("properties", {})
    return [Given(key, "body", _kind(field), field.get("description", ""), "") for key, field in fields.items()]


def _kind(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return " | ".join(str(value) or '""' for value in schema["enum"])
    if "anyOf" in schema:
        return " or ".join(_kind(one) for one in schema["anyOf"] if one.get("type") != "null")
    return str(schema.get("type", ""))
