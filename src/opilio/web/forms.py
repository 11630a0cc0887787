"""What a form of ours sends."""

from __future__ import annotations

from typing import Annotated, TypeAlias
from urllib.parse import parse_qsl

from fastapi import Depends
from starlette.requests import Request


async def fields(request: Request) -> dict[str, str]:
    """The fields of a form by name."""
    body = await request.body()
    return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))


Form: TypeAlias = Annotated[dict[str, str], Depends(fields)]
