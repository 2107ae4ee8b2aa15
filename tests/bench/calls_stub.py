"""A counting stand-in for a model: answers any schema of any library in OpenAI's form, and adds up calls and tokens."""

import asyncio
import re
from typing import Any, Self

import orjson
from aiohttp import web

CLAIMS = 4
LATENCY_S = 0.2
_BYTES_PER_TOKEN = 4
_GRADE = '{"criteria": "It is on the subject.", "supporting_evidence": "The first sentence.", "score": 3}'


class CountingModel:
    """A chat completions server; `calls` and `tokens` since the last `reset`."""

    def __init__(self) -> None:
        self.calls = self.tokens = 0
        self.base_url = ""
        self._runner: web.AppRunner | None = None

    def reset(self) -> None:
        self.calls = self.tokens = 0

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=64 << 20)
        app.router.add_post("/v1/chat/completions", self._answer)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.base_url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/v1"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._runner is not None
        await self._runner.cleanup()

    async def _answer(self, request: web.Request) -> web.Response:
        sent = orjson.loads(await request.read())
        text = reply_to(sent)
        counted = len(orjson.dumps(sent["messages"])) + len(text)
        self.calls += 1
        self.tokens += counted // _BYTES_PER_TOKEN
        await asyncio.sleep(LATENCY_S)
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        return web.json_response(
            {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice], "usage": usage}
        )


def reply_to(sent: dict[str, Any]) -> str:
    """What a diligent model would write."""
    user = str(sent["messages"][-1]["content"])
    form = (sent.get("response_format") or {}).get("json_schema")
    if form is None:
        # TruLens asks in words: which of these sentences matter, and for a grade.
        given = re.search(r"(\[.*\])\s+IMPORTANT STATEMENTS", user, re.DOTALL)
        return given[1] if given else _GRADE
    schema = form["schema"]
    if "claims" in schema["properties"] or "relevance" in schema["properties"] or "answer" in schema["properties"]:
        if shown := re.findall(r"^Chunk (c\d+).*?:\n<<<(\w+)\n(.*?)\n\2>>>", user, re.DOTALL | re.MULTILINE):
            return orjson.dumps(_ours(schema, shown)).decode()
        if "The token of this message" in user:
            return orjson.dumps(_ours(schema, [])).decode()
    return orjson.dumps(_any(schema, schema.get("$defs", {}))).decode()


def _ours(schema: dict[str, Any], shown: list[tuple[str, str, str]]) -> dict[str, Any]:
    quote = shown[0][2][:60] if shown else None
    claim = {"claim": "A claim of the answer.", "support": "supported", "chunk": "c1", "quote": quote, "conflict": None}
    whole = {
        "claims": [claim] * CLAIMS,
        "relevance": [{"chunk": name, "score": 0.5} for name, _, _ in shown],
        "answer": {"relevancy": 1.0, "abstained": False},
    }
    return {name: whole[name] for name in schema["properties"]}


def _any(schema: dict[str, Any], definitions: dict[str, Any]) -> Any:
    if "$ref" in schema:
        return _any(definitions[schema["$ref"].rpartition("/")[2]], definitions)
    if "anyOf" in schema:
        return _any(schema["anyOf"][0], definitions)
    if "enum" in schema:
        return "yes" if "yes" in schema["enum"] else schema["enum"][0]
    match schema.get("type"):
        case "object":
            return {name: _any(part, definitions) for name, part in schema.get("properties", {}).items()}
        case "array":
            return [_any(schema["items"], definitions)] * CLAIMS
        case "integer" | "number":
            return 1
        case "boolean":
            return True
        case _:
            return "One claim of the answer, in a sentence."
