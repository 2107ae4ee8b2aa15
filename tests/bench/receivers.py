"""CPU per span of the OTLP/gRPC receiver, against a handler that does nothing and one that decodes everything.

Every server runs in a process of its own and reports its CPU time, all threads and the kernel's work for it included.
They take turns within one run, so that a noisy machine is noisy for all of them; the figures are medians.
"""

import asyncio
import statistics
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from subprocess import PIPE, Popen

import grpc
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from collector.allocator import keep_freed_buffers
from collector.assembler import Assembler, AssemblySettings
from collector.codec import Codec
from collector.conventions.reader import TraceReader
from collector.garbage import expect_few_cycles
from collector.receivers.otlp_grpc import METHOD, OtlpGrpcReceiver
from collector.receivers.settings import MIB, ReceiverSettings
from collector.spans import SpanBatch
from evaluators.clock import SystemClock
from tests.bench.traffic import BATCH_SPANS, CORPORA, Renewable
from tests.fakes import CountingMetrics

ROUNDS = 25
REQUESTS = {"A": 40, "B": 12, "C": 40}
"""Requests per server and round."""

OPEN_BYTES = 64 * MIB
"""Small enough that traces close while the benchmark runs, by eviction."""

Handler = Callable[[bytes], object]


def main(rounds: int = ROUNDS) -> None:
    """Print one table per corpus."""
    bodies = {corpus: [Renewable(make(seed)) for seed in range(4)] for corpus, make in CORPORA.items()}
    with ExitStack() as stack:
        servers = {name: stack.enter_context(_Server(name)) for name in SERVERS}
        for corpus, requests in bodies.items():
            costs = _measure(servers, requests, REQUESTS[corpus], rounds)
            _print_table(corpus, len(requests[0].renew()), costs)


def _measure(
    servers: dict[str, "_Server"], bodies: list[Renewable], requests: int, rounds: int
) -> dict[str, list[float]]:
    """CPU seconds per request, by server and round."""
    costs: dict[str, list[float]] = {name: [] for name in servers}
    for number in range(rounds + 1):
        for name, server in servers.items():
            sent = [bodies[index % len(bodies)].renew() for index in range(requests)]
            cost = server.cost(sent) / requests
            if number:  # the first round warms up
                costs[name].append(cost)
    return costs


def _print_table(corpus: str, size: int, costs: dict[str, list[float]]) -> None:
    print(f"{corpus}: {BATCH_SPANS} spans, {size / 1000:.0f} KB; throughput is relative to the handler named, 1 / CPU")
    against = {"empty": "vs empty", "empty, same process settings": "vs same settings", "naive": "vs naive"}
    print(f"  {'server':34}{'us/span':>9}{'ms/request':>12}" + "".join(f"{title:>18}" for title in against.values()))
    for name, own in costs.items():
        median = statistics.median(own)
        ratios = [statistics.median(map(_ratio, costs[other], own)) for other in against]
        cells = "".join(f"{ratio:>18.2f}" for ratio in ratios)
        print(f"  {name:34}{median / BATCH_SPANS * 1e6:>9.2f}{median * 1e3:>12.3f}{cells}")


def _ratio(other: float, own: float) -> float:
    return other / own


class _Server:
    """One server process, and a client of it."""

    def __init__(self, name: str) -> None:
        command = [sys.executable, "-m", "tests.bench.receivers", name]
        self._process = Popen(command, stdin=PIPE, stdout=PIPE, text=True, bufsize=1)
        port = int(self._answer())
        self._channel = grpc.insecure_channel(f"127.0.0.1:{port}", [("grpc.max_send_message_length", -1)])
        self._call = self._channel.unary_unary(METHOD, request_serializer=None, response_deserializer=None)

    def __enter__(self) -> "_Server":
        return self

    def __exit__(self, *_: object) -> None:
        self._channel.close()
        self._process.terminate()
        self._process.wait()

    def cost(self, bodies: list[bytes]) -> float:
        """CPU seconds that the server spends on these requests, one after the other."""
        before = self._cpu()
        for body in bodies:
            self._call(body)
        return self._cpu() - before

    def _cpu(self) -> float:
        assert self._process.stdin is not None
        self._process.stdin.write("cpu\n")
        return int(self._answer()) / 1e9

    def _answer(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline()


async def _serve_raw(handler: Handler) -> int:
    """A raw-bytes `grpc.aio` handler with nothing else around it."""

    async def export(body: bytes, _context: object) -> bytes:
        handler(body)
        return b""

    service, _, method = METHOD.removeprefix("/").partition("/")
    methods = {method: grpc.unary_unary_rpc_method_handler(export)}
    server = grpc.aio.server(options=[("grpc.max_receive_message_length", 64 * MIB)])
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, methods),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    _KEPT.append(server)
    return port


async def _serve_ours(*, assembled: bool = True, read: bool = False) -> int:
    metrics = CountingMetrics()
    reader = TraceReader()
    assembler = Assembler(AssemblySettings(max_bytes=OPEN_BYTES), SystemClock(), metrics)

    def sink(batch: SpanBatch) -> None:
        closed = assembler.add(batch) if assembled else []
        if read:
            for trace in closed:
                reader.read(trace)

    receiver = OtlpGrpcReceiver(ReceiverSettings(port=0), Codec(reader.markers), sink, metrics)
    await receiver.start()
    _KEPT.append(receiver)
    return receiver.port


def _ignore(_body: bytes) -> None:
    pass


def _decode_everything(body: bytes) -> None:
    """What a receiver does that was not written for it: generated classes, and a dict of all attributes per span."""
    request = ExportTraceServiceRequest.FromString(body)
    _DECODED.clear()
    for resource in request.resource_spans:
        for scope in resource.scope_spans:
            for span in scope.spans:
                attributes = {pair.key: getattr(pair.value, pair.value.WhichOneof("value")) for pair in span.attributes}
                _DECODED.append((span.trace_id, span.span_id, span.parent_span_id, span.name, attributes))


_KEPT: list[object] = []
_DECODED: list[object] = []
SERVERS = {
    "empty": lambda: _serve_raw(_ignore),
    "empty, same process settings": lambda: _serve_raw(_ignore),
    "groundwatch, receiving alone": lambda: _serve_ours(assembled=False),
    "groundwatch": _serve_ours,
    "groundwatch, and reading traces": lambda: _serve_ours(read=True),
    "naive": lambda: _serve_raw(_decode_everything),
}
PLAIN = "empty"
"""The one server that runs as a process does by default; the others have our event loop and memory settings."""


async def _run(name: str) -> None:
    port = await SERVERS[name]()
    if name != PLAIN:
        expect_few_cycles()
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    loop = asyncio.get_running_loop()
    while await loop.run_in_executor(None, sys.stdin.readline):
        sys.stdout.write(f"{time.process_time_ns()}\n")
        sys.stdout.flush()


def _serve(name: str) -> None:
    if name == PLAIN:
        asyncio.run(_run(name))
        return
    import uvloop

    keep_freed_buffers()
    uvloop.run(_run(name))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        _serve(sys.argv[1])
    else:
        main()
