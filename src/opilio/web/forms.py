"""What a form of ours sends."""

from __future__ import annotations

from typing import Annotated, TypeAlias
from urllib.parse import parse_qsl

from fastapi import Depends
from starlette.requests import Request

from ..errors import ConfigError

MOST = 1 << 16  # bytes


async def fields(request: Request) -> dict[str, str]:
    """The fields of a form by name; ConfigError when it is longer than any of ours."""
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > MOST:
            raise ConfigError(f"more than {MOST:,} bytes were sent; no form here is as long")
    return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))


Form: TypeAlias = Annotated[dict[str, str], Depends(fields)]
