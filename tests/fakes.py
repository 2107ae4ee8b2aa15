"""Every hand-written fake of the suite: for what a test cannot have for real (time, counters, models)."""

import asyncio
import selectors
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any, Self, TypeVar

import orjson
from aiohttp import web

from evaluators.facets import Facet
from evaluators.judges.base import JudgeIdentity, JudgeReply, Usage
from evaluators.sample import RagSample
from tests.samples import good_answers

T = TypeVar("T")


class FakeClock:
    """Time that moves when the test says so."""

    def __init__(self, now: float = 0.0, epoch: float = 1_800_000_000.0) -> None:
        self.now = now
        self._epoch = epoch

    def monotonic(self) -> float:
        return self.now

    def wall(self) -> float:
        return self._epoch + self.now

    def advance(self, seconds: float) -> None:
        self.now += seconds


class CountingMetrics:
    """Takes any counting method of any metrics protocol: the last number is the amount, the rest are labels."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[object, ...]] = Counter()

    def spans_dropped(self, reason: str, count: int) -> None:
        self.counts["spans_dropped", reason] += count

    def spans_received(self, receiver: str, count: int) -> None:
        self.counts["spans_received", receiver] += count

    def spans_rejected(self, receiver: str, reason: str, count: int) -> None:
        self.counts["spans_rejected", receiver, reason] += count

    def count(self, *labels: object) -> int:
        """How much was counted under exactly these labels."""
        return self.counts[labels]


class InstantLoop(asyncio.SelectorEventLoop):
    """An event loop whose time jumps to the next timer where others would wait."""

    def __init__(self) -> None:
        super().__init__(_JumpingSelector(self))
        self.now = 1_000.0

    def time(self) -> float:
        return self.now


class _JumpingSelector(selectors.DefaultSelector):  # type: ignore[valid-type, misc]
    def __init__(self, loop: InstantLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready: list[tuple[selectors.SelectorKey, int]] = super().select(0)
        if not ready and timeout is None:
            raise RuntimeError("nothing left to wait for: the test would hang")
        if not ready and timeout:
            # A hair more than asked, so that rounding never leaves the timer just short of due.
            self._loop.now += timeout + 1e-6
        return ready


class LoopClock:
    """The time of the running loop, as a clock."""

    def monotonic(self) -> float:
        return asyncio.get_running_loop().time()

    def wall(self) -> float:
        return 1_800_000_000.0 + self.monotonic()


def run_instantly(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run on an InstantLoop: an hour of pauses takes no time."""
    with asyncio.Runner(loop_factory=InstantLoop) as runner:
        return runner.run(coroutine)


class ScriptedJudge:
    """Does as told: each step is a reply, an exception to raise, or seconds to take first; the last step repeats."""

    remote = True

    def __init__(self, *steps: object, name: str = "scripted", facets: frozenset[Facet] = frozenset(Facet)) -> None:
        self.identity = JudgeIdentity(name, "test", "model-1", "1")
        self.facets = facets
        self.steps = list(steps)
        self.asked: list[tuple[RagSample, frozenset[Facet]]] = []
        self.in_flight = self.most_in_flight = 0
        self.closed = False

    async def ask(self, sample: RagSample, facets: frozenset[Facet]) -> JudgeReply:
        self.asked.append((sample, facets))
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            return await self._act(sample, facets)
        finally:
            self.in_flight -= 1

    async def _act(self, sample: RagSample, facets: frozenset[Facet]) -> JudgeReply:
        step = self.steps.pop(0) if len(self.steps) > 1 else self.steps[0]
        if isinstance(step, int | float):
            await asyncio.sleep(step)
            return JudgeReply(good_answers(sample, facets), Usage(100, 20), "model-1")
        if isinstance(step, BaseException):
            raise step
        if callable(step):
            step = step(sample, facets)
        assert isinstance(step, JudgeReply)
        return step

    async def aclose(self) -> None:
        self.closed = True


class DispatchCounts(CountingMetrics):
    """Counts what the dispatcher tells; the last depth and all states are kept."""

    def __init__(self) -> None:
        super().__init__()
        self.depth = 0
        self.states: list[str] = []

    def judge_call(self, judge: str, facet: str, outcome: str, seconds: float) -> None:
        assert seconds >= 0
        self.counts["judge_call", judge, facet, outcome] += 1

    def judge_tokens(self, judge: str, direction: str, count: int) -> None:
        self.counts["judge_tokens", judge, direction] += count

    def cache_request(self, result: str) -> None:
        self.counts["cache_request", result] += 1

    def queue_depth(self, judge: str, depth: int) -> None:
        self.depth = depth

    def breaker_state(self, judge: str, state: str) -> None:
        self.states.append(state)


@dataclass(frozen=True)
class StubReply:
    """One HTTP answer. `delay_s` comes before it; `drip` sends it byte by byte, slowly; `endless` never ends it."""

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    drip_s: float = 0.0
    endless: bool = False


def completion(content: str | None, *, finish_reason: str = "stop", **message: object) -> StubReply:
    """A chat completion that says `content`."""
    answer = {"role": "assistant", "content": content, **message}
    choice = {"index": 0, "message": answer, "finish_reason": finish_reason}
    usage = {"prompt_tokens": 900, "completion_tokens": 120, "total_tokens": 1020}
    return StubReply(orjson.dumps({"id": "x", "model": "model-2026-01", "choices": [choice], "usage": usage}))


def api_error(status: int, message: str = "", *, param: str | None = None, **headers: str) -> StubReply:
    """An error in OpenAI's form."""
    error = {"message": message, "type": "invalid_request_error", "param": param, "code": None}
    return StubReply(orjson.dumps({"error": error}), status, {k.replace("_", "-"): v for k, v in headers.items()})


class OpenAIStub:
    """A real server of the chat completions API: answers as scripted, the last reply repeats; keeps what it was sent.

    A step may be a function of the decoded request.
    """

    def __init__(self, *script: StubReply | Callable[[dict[str, Any]], StubReply], keep: bool = True) -> None:
        self.script = list(script)
        self._keep = keep
        self.requests: list[dict[str, Any]] = []
        self.headers: list[Mapping[str, str]] = []
        self.base_url = ""
        self._runner: web.AppRunner | None = None

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=64 << 20)
        app.router.add_post("/v1/chat/completions", self._answer)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.base_url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/v1"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._runner is not None
        await self._runner.cleanup()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        sent = await request.json(loads=orjson.loads)
        if self._keep:
            self.requests.append(sent)
            self.headers.append(dict(request.headers))
        step = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        reply = step(sent) if callable(step) else step
        await asyncio.sleep(reply.delay_s)
        if not (reply.drip_s or reply.endless):
            return web.Response(body=reply.body, status=reply.status, headers=reply.headers)
        response = web.StreamResponse(status=reply.status, headers=reply.headers)
        await response.prepare(request)
        while True:
            await response.write(reply.body)
            await asyncio.sleep(reply.drip_s)
