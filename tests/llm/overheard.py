"""The shipped judge, with what it says to its server and hears from it written down."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import orjson

from evaluators.judges.http import HttpEndpoint
from evaluators.judges.openai import OpenAIJudge, OpenAISettings
from tests.llm.server import MODEL


class Overheard:
    """Passes everything on, and keeps it."""

    def __init__(self, endpoint: HttpEndpoint) -> None:
        self._endpoint = endpoint
        self.requests: list[dict[str, Any]] = []
        self.responses: list[dict[str, Any]] = []

    async def post(self, body: bytes) -> dict[str, Any]:
        self.requests.append(orjson.loads(body))
        self.responses.append(await self._endpoint.post(body))
        return self.responses[-1]

    async def aclose(self) -> None:
        await self._endpoint.aclose()


@asynccontextmanager
async def overheard(base_url: str, **settings: Any) -> AsyncIterator[tuple[OpenAIJudge, Overheard]]:
    """A judge as a user would set it up for a server without keys; patient, since the machine may be busy."""
    given = {"base_url": base_url, "model": MODEL, "api_key_env": None, "timeout_s": 120.0, **settings}
    judge = OpenAIJudge(OpenAISettings(**given))
    judge._endpoint = heard = Overheard(judge._endpoint)  # type: ignore[assignment]
    try:
        yield judge, heard
    finally:
        await judge.aclose()
