"""Every hand-written fake of the suite: for what a test cannot have for real (time, counters, models)."""

import asyncio
import contextlib
import os
import selectors
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self, TypeVar

import grpc
import orjson
from aiohttp import web
from aiokafka.structs import OffsetAndMetadata, TopicPartition
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest, ExportLogsServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from alerts.notifiers.base import Policy
from alerts.signals import Signal
from collector.receipts import Source
from collector.spans import SpanBatch, WireSpan
from evaluators.errors import RetryableError
from evaluators.evaluation import FailReason, SkipReason
from evaluators.facets import ONLINE_FACETS, Facet
from evaluators.judges.base import JudgeError, JudgeIdentity, JudgeReply, NotJudgedError, Usage
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

    def spans_ordinary(self, receiver: str, count: int) -> None:
        self.counts["spans_ordinary", receiver] += count

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

    def __init__(self, *steps: object, name: str = "scripted", facets: frozenset[Facet] = ONLINE_FACETS) -> None:
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
        self.usd = 0.0
        self.states: list[str] = []

    def judge_call(self, judge: str, facet: str, outcome: str, seconds: float) -> None:
        assert seconds >= 0
        self.counts["judge_call", judge, facet, outcome] += 1

    def judge_tokens(self, judge: str, direction: str, count: int) -> None:
        self.counts["judge_tokens", judge, direction] += count

    def judge_cost(self, judge: str, usd: float) -> None:
        self.usd += usd

    def judge_call_unpriced(self, judge: str, reason: str) -> None:
        self.counts["judge_call_unpriced", judge, reason] += 1

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


def message(text: str | None, *, stop_reason: str = "end_turn") -> StubReply:
    """An answer of the Messages API that says `text`."""
    content = [] if text is None else [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": text}]
    usage = {"input_tokens": 900, "output_tokens": 120}
    body = {"type": "message", "model": "model-2026-01", "content": content, "stop_reason": stop_reason, "usage": usage}
    return StubReply(orjson.dumps(body))


def api_error(status: int, message: str = "", *, param: str | None = None, **headers: str) -> StubReply:
    """An error in OpenAI's form."""
    error = {"message": message, "type": "invalid_request_error", "param": param, "code": None}
    return StubReply(orjson.dumps({"error": error}), status, {k.replace("_", "-"): v for k, v in headers.items()})


class OpenAIStub:
    """A real server of the chat completions API: answers as scripted, the last reply repeats; keeps what it was sent.

    A step may be a function of the decoded request. The Messages API is under `/v1/messages`, any scorer under
    `/v1/grade`.
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
        for path in ("chat/completions", "messages", "grade"):
            app.router.add_post(f"/v1/{path}", self._answer)
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


class ScriptedNotifier:
    """Does as told at each send: None takes the signals, an exception is raised, seconds pass. The last repeats."""

    def __init__(self, *steps: object, name: str = "scripted", policy: Policy | None = None) -> None:
        self.name = name
        self.policy = policy or Policy()
        self.timeout_s = 5.0
        self.steps = list(steps) or [None]
        self.sent: list[list[Signal]] = []
        self.attempts = 0
        self.closed = False

    async def send(self, signals: Sequence[Signal]) -> None:
        self.attempts += 1
        step = self.steps.pop(0) if len(self.steps) > 1 else self.steps[0]
        if isinstance(step, int | float):
            await asyncio.sleep(step)
        if isinstance(step, BaseException):
            raise step
        self.sent.append(list(signals))

    async def aclose(self) -> None:
        self.closed = True

    @property
    def signals(self) -> list[Signal]:
        """All that was taken, in order."""
        return [signal for batch in self.sent for signal in batch]


class ReceiverStub:
    """A real HTTP server that takes notifications: answers as scripted, the last reply repeats; keeps what it got."""

    def __init__(self, *script: StubReply) -> None:
        self.script = list(script) or [StubReply()]
        self.bodies: list[bytes] = []
        self.headers: list[Mapping[str, str]] = []
        self.url = ""
        self._runner: web.AppRunner | None = None

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=64 << 20)
        app.router.add_route("*", "/{path:.*}", self._answer)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._runner is not None
        await self._runner.cleanup()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        self.bodies.append(await request.read())
        self.headers.append(dict(request.headers))
        reply = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        await asyncio.sleep(reply.delay_s)
        if not reply.endless:
            return web.Response(body=reply.body, status=reply.status, headers=reply.headers)
        response = web.StreamResponse(status=reply.status, headers=reply.headers)
        await response.prepare(request)
        while True:
            await response.write(reply.body)
            await asyncio.sleep(reply.drip_s)


class ComputingJudge:
    """Computes in a worker process; the answer tells it how to misbehave."""

    identity = JudgeIdentity("computing", "test", "none", "1")
    facets = ONLINE_FACETS
    remote = False

    async def ask(self, sample: RagSample, facets: frozenset[Facet]) -> JudgeReply:
        match (sample.answer or "").split():
            case ["die"]:
                os._exit(9)
            case ["die-once", path]:
                with contextlib.suppress(FileExistsError):
                    os.close(os.open(path, os.O_CREAT | os.O_EXCL))
                    os._exit(9)
            case ["hang"]:
                while True:
                    pass
            case ["raise"]:
                raise ValueError("about the text of the trace")
            case ["refuse"]:
                raise JudgeError(FailReason.REFUSED, "no")
            case ["decline"]:
                raise NotJudgedError(SkipReason.TOO_LONG)
            case ["wait"]:
                await asyncio.sleep(0)
            case ["print"]:
                print("noise on stdout")
        return JudgeReply(good_answers(sample, facets), model=str(os.getpid()), flags=("cut",))

    async def aclose(self) -> None:
        """Nothing to close."""


class SpanLog:
    """A receiver's sink that keeps every batch, and refuses while it is `full`."""

    def __init__(self) -> None:
        self.batches: list[SpanBatch] = []
        self.full: float | None = None

    def __call__(self, batch: SpanBatch, /) -> None:
        if self.full is not None:
            raise RetryableError("full", retry_after=self.full)
        self.batches.append(batch)

    @property
    def spans(self) -> list[WireSpan]:
        """All recognised spans so far."""
        return [span for batch in self.batches for span in batch.spans]


class DispatchLog:
    """Stands where the dispatcher does and keeps what was submitted."""

    def __init__(self) -> None:
        self.submitted: list[tuple[RagSample, str, frozenset[Facet]]] = []
        self.room = True

    def has_room(self, judge: str) -> bool:
        return self.room

    def submit(self, sample: RagSample, judge: str, facets: frozenset[Facet], closed_at: float) -> None:
        self.submitted.append((sample, judge, facets))


class OtlpBackend:
    """A backend of traces and logs that takes OTLP/gRPC, on a free port unless one is given, and keeps what it got."""

    def __init__(self, port: int = 0) -> None:
        self._port = port
        self.traces: list[ExportTraceServiceRequest] = []
        self.logs: list[ExportLogsServiceRequest] = []
        self._server = grpc.aio.server(options=[("grpc.max_receive_message_length", -1)])

    async def __aenter__(self) -> Self:
        kinds = (
            ("trace", "Trace", ExportTraceServiceRequest, ExportTraceServiceResponse(), self.traces),
            ("logs", "Logs", ExportLogsServiceRequest, ExportLogsServiceResponse(), self.logs),
        )
        self._server.add_generic_rpc_handlers(tuple(self._keeping(*kind) for kind in kinds))
        self.address = f"127.0.0.1:{self._server.add_insecure_port(f'127.0.0.1:{self._port}')}"
        await self._server.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._server.stop(None)

    @staticmethod
    def _keeping(folder: str, name: str, request: Any, answer: Any, into: list[Any]) -> Any:
        async def export(message: Any, _: object) -> Any:
            into.append(message)
            return answer

        method = grpc.unary_unary_rpc_method_handler(export, request.FromString, type(answer).SerializeToString)
        service = f"opentelemetry.proto.collector.{folder}.v1.{name}Service"
        return grpc.method_handlers_generic_handler(service, {"Export": method})

    @property
    def spans(self) -> list[Span]:
        """All spans so far."""
        scopes = (scope for one in self.traces for resource in one.resource_spans for scope in resource.scope_spans)
        return [span for scope in scopes for span in scope.spans]

    @property
    def records(self) -> list[LogRecord]:
        """All log records so far."""
        scopes = (scope for one in self.logs for resource in one.resource_logs for scope in resource.scope_logs)
        return [record for scope in scopes for record in scope.log_records]


class TracesLog:
    """Stands where a Kafka receiver's traces go: refuses the first `refusals` batches and keeps the others."""

    def __init__(self, refusals: int = 0) -> None:
        self.taken: list[SpanBatch] = []
        self.in_hand = 0
        self._refusals = refusals

    def take(self, batch: SpanBatch, /) -> None:
        if self._refusals:
            self._refusals -= 1
            raise RetryableError("full")
        self.taken.append(batch)

    def recall(self, batch: SpanBatch, /) -> None:
        """Remembers nothing."""

    def hand_back(self, sources: Collection[Source], /) -> int:
        return 0


class ConsumerStub:
    """An aiokafka consumer whose partitions go from 0 to 10; `asked` is awaited when it looks for the first offsets."""

    def __init__(self) -> None:
        self.asked: Callable[[], Awaitable[None]] | None = None
        self.sought: list[tuple[TopicPartition, int]] = []
        self._commits: dict[TopicPartition, OffsetAndMetadata] = {}

    def partitions_for_topic(self, topic: str) -> set[int]:
        return {0}

    async def commits(self, keys: Collection[TopicPartition]) -> dict[TopicPartition, OffsetAndMetadata]:
        return {key: one for key, one in self._commits.items() if key in keys}

    async def commit(self, offsets: Mapping[TopicPartition, tuple[int, str]]) -> None:
        self._commits |= {key: OffsetAndMetadata(*one) for key, one in offsets.items()}

    async def beginning_offsets(self, keys: Sequence[TopicPartition]) -> dict[TopicPartition, int]:
        if self.asked is not None:
            await self.asked()
        return dict.fromkeys(keys, 0)

    async def end_offsets(self, keys: Sequence[TopicPartition]) -> dict[TopicPartition, int]:
        return dict.fromkeys(keys, 10)

    def seek(self, key: TopicPartition, offset: int) -> None:
        self.sought.append((key, offset))


class TopicLog:
    """A writer of topics that takes each message once `open`, and has it at once."""

    def __init__(self) -> None:
        self.open = asyncio.Event()
        self.values: list[bytes] = []

    async def send(self, topic: str, value: bytes, **rest: object) -> "asyncio.Future[None]":
        await self.open.wait()
        self.values.append(value)
        taken = asyncio.get_running_loop().create_future()
        taken.set_result(None)
        return taken
