"""What the monitor holds in memory: idle, with 100 000 open RAG traces without and with receipts, and after ordinary
traffic has passed.

Each case runs in a process of its own, since memory that Python once had is not always given back.
"""

import multiprocessing
import os
import random
from collections.abc import Callable
from multiprocessing.connection import Connection

import psutil
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from collector.assembler import Assembler, AssemblySettings
from collector.codec import Codec
from collector.conventions.reader import TraceReader
from collector.receipts import Receipt, Source
from collector.service import Service
from evaluators.clock import SystemClock
from tests.bench.traffic import mixed_fleet
from tests.fakes import CountingMetrics

TRACES = 100_000
TEXT = 2048
"""Characters of question, chunks and answer in a trace of 3 spans."""

MIB = 1 << 20


def main() -> None:
    """Print one line per case."""
    idle = _in_process(_idle)
    held, traces = _in_process(_open_traces)
    owed, _ = _in_process(_open_traces_with_receipts)
    first, later = _in_process(_ordinary)
    print(f"idle process, everything imported    {idle / MIB:7.1f} MiB resident")
    print(f"{traces} open RAG traces           {held / MIB:7.1f} MiB resident, {(held - idle) / traces:.0f} bytes each")
    print(
        f"likewise, each from a message       {owed / MIB:7.1f} MiB resident, {(owed - idle) / traces:.0f} bytes each"
    )
    print(f"after 0.1 and 2 million mixed spans  {first / MIB:7.1f} and {later / MIB:.1f} MiB resident")


def _in_process(case: Callable[[Connection], None]) -> object:
    here, there = multiprocessing.get_context("spawn").Pipe()
    process = multiprocessing.get_context("spawn").Process(target=case, args=(there,))
    process.start()
    result = here.recv()
    process.join()
    return result


def _resident() -> int:
    return psutil.Process(os.getpid()).memory_info().rss


def _parts() -> tuple[Codec, Assembler]:
    assembler = Assembler(AssemblySettings(), SystemClock(), CountingMetrics())
    return Codec(TraceReader().markers), assembler


def _idle(out: Connection) -> None:
    Service.__name__  # noqa: B018  importing it is the case
    _parts()
    out.send(_resident())


def _open_traces(out: Connection) -> None:
    codec, assembler = _parts()
    rng = random.Random(1)
    for _ in range(TRACES // 100):
        assembler.add(codec.decode(_rag_request(rng, 100)))
    out.send((_resident(), assembler.open_traces))


def _open_traces_with_receipts(out: Connection) -> None:
    codec, assembler = _parts()
    rng, source = random.Random(1), Source(0)
    for number in range(TRACES):
        batch = codec.decode(_rag_request(rng, 1))
        batch.receipt = Receipt(source, number, 0.0)
        assembler.add(batch)
    out.send((_resident(), assembler.open_traces))


def _ordinary(out: Connection) -> None:
    codec, assembler = _parts()
    bodies = [mixed_fleet(seed) for seed in range(4)]
    for number in range(200):
        assembler.add(codec.decode(bodies[number % 4]))
    first = _resident()
    for number in range(4000):
        assembler.add(codec.decode(bodies[number % 4]))
    out.send((first, _resident()))


def _rag_request(rng: random.Random, traces: int) -> bytes:
    request = ExportTraceServiceRequest()
    resource = request.resource_spans.add()
    attribute = resource.resource.attributes.add(key="service.name")
    attribute.value.string_value = "support-bot"
    scope = resource.scope_spans.add()
    for _ in range(traces):
        trace_id, root_id = rng.randbytes(16), rng.randbytes(8)
        chunks = [rng.randbytes(TEXT // 10).hex()[: TEXT // 5] for _ in range(4)]
        retrieval = {f"retrieval.documents.{i}.document.content": text for i, text in enumerate(chunks)}
        for kind, parent, attributes in (
            ("RETRIEVER", root_id, {"input.value": "q" * 80, **retrieval}),
            ("LLM", root_id, {"llm.model_name": "a-model", "llm.output_messages.0.message.content": "a" * 160}),
            ("CHAIN", rng.randbytes(8), {"input.value": "q" * 80, "output.value": "a" * 160}),
        ):
            span = scope.spans.add(name=kind, start_time_unix_nano=1, end_time_unix_nano=2, parent_span_id=parent)
            span.trace_id, span.span_id = trace_id, rng.randbytes(8)
            for key, value in {"openinference.span.kind": kind, **attributes}.items():
                span.attributes.add(key=key).value.string_value = value
    return request.SerializeToString()


if __name__ == "__main__":
    main()
