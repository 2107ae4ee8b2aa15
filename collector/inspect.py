"""`groundwatch inspect`: read exported spans from files and tell what the monitor would see in them."""

import sys
import zlib
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path

import orjson
from google.protobuf.message import DecodeError

from alerts.series import SeriesRegistry
from collector import wire
from collector.assembler import Assembler, AssemblySettings
from collector.codec import Codec
from collector.conventions.reader import TraceReader
from collector.envelope import MAX_SPANS, Envelope
from collector.inspection import Inspection
from collector.log_codec import LogCodec
from collector.log_events import LogEvents
from collector.otlp_json import LOGS, to_protobuf
from collector.spans import SpanBatch
from collector.status import RefusedError
from evaluators.clock import SystemClock
from evaluators.errors import PermanentError
from evaluators.sample import RagSample

MAX_BODY_BYTES = 1 << 30
"""A file's size at most, after decompression."""

MAX_NAMES = 5
"""Names of spans that are kept to be shown."""

_LOOKED_AT = 1000
_NEITHER = "neither an OTLP request (protobuf or JSON, gzip too) nor the Collector's JSON lines"
_RESOURCES = b'"resource'
_LOGS = b'"resourceLogs"'
_GZIP_MAGIC = b"\x1f\x8b"
_ANY_WINDOW = 32 + zlib.MAX_WBITS


def run_inspect(paths: Sequence[Path], as_json: bool, reader: TraceReader | None = None) -> int:
    """Print what the monitor would see in the files; 1 where one of them could not be read, else 0."""
    found = inspect_files(paths, reader or TraceReader())
    if as_json:
        for examination in found.examinations:
            sys.stdout.write(as_line(examination.sample))
        sys.stdout.flush()
    elif found.received or not found.problems:
        from collector.inspect_report import print_report

        print_report(found)
    if found.is_unmarked:
        from collector.inspect_report import advice_on_unmarked

        print(f"groundwatch: {advice_on_unmarked(found.names)}", file=sys.stderr)
    for problem in found.problems:
        print(f"groundwatch: {problem}", file=sys.stderr)
    return 1 if found.problems else 0


def inspect_files(paths: Sequence[Path], reader: TraceReader) -> Inspection:
    """Read the files as one stream: a trace may be spread over them, and a span sent twice counts once.

    Log exports may be among them: what their records tell is joined to their spans.
    """
    found = Inspection()
    codec = Codec(reader.markers)
    events = LogEvents(SeriesRegistry({}), SystemClock())
    assembler = Assembler(AssemblySettings(max_bytes=1 << 40, max_traces=1 << 30), SystemClock(), found)
    for path in paths:
        try:
            bodies = _bodies(path)
        except (OSError, PermanentError) as error:
            found.problems.append(f"{path}: {_told(error)}")
            continue
        for number, body in enumerate(bodies, start=1):
            where = f"{path}, line {number}" if len(bodies) > 1 else str(path)
            _take(where, body, codec, assembler, events, found)
    for trace in assembler.close_all():
        examination = reader.examine(events.join(trace))
        if examination.sample.dialects or examination.sample.incomplete:
            found.examinations.append(examination)
    return found


def as_line(sample: RagSample) -> str:
    """One line of JSON with what is known of a trace."""
    chunks = [{"text": chunk.text, "id": chunk.id, "score": chunk.score} for chunk in sample.chunks]
    shown = {
        "trace_id": sample.trace_id,
        "service": sample.service,
        "verdict": sample.readiness,
        "question": sample.question,
        "chunks": chunks,
        "answer": sample.answer,
        "session": sample.session,
        "incomplete": sample.incomplete,
        "dialects": sample.dialects,
        "reason": sample.reason,
    }
    return orjson.dumps(shown, option=orjson.OPT_APPEND_NEWLINE).decode()


def _take(where: str, body: bytes, codec: Codec, assembler: Assembler, events: LogEvents, found: Inspection) -> None:
    is_json = body.lstrip()[:1] == b"{"
    if is_json and _LOGS in body:
        try:
            events.take(LogCodec().decode(to_protobuf(body, MAX_SPANS, LOGS)))
        except RefusedError as error:
            found.problems.append(f"{where}: {error}")
        return
    try:
        request = to_protobuf(body, MAX_SPANS) if is_json else body
        batch = codec.decode(request)
    except RefusedError as error:
        found.problems.append(f"{where}: {error if is_json else _NEITHER}")
        return
    # Bytes of another format can pass for an empty protobuf message, and any object for an empty JSON request.
    if body and not batch.received and not (is_json and _RESOURCES in body):
        found.problems.append(f"{where}: {_NEITHER}")
    if batch.received and batch.received == sum(batch.rejected.values()):
        # Exports of traces and of logs have the same layers: where nothing in them is a span, it may be records.
        logs = LogCodec().decode(body) if not is_json else SpanBatch()
        if logs.events:
            events.take(logs)
            return
    found.received += batch.received
    found.rejected.update(batch.rejected)
    _see_names(request, found.names)
    # Nothing is closed early: the limits are those of a stream that never ends.
    assembler.add(batch)


def _see_names(request: bytes, names: list[str]) -> None:
    """Extend `names` by those of the first spans of a request that can be read."""
    if len(names) >= MAX_NAMES:
        return
    spans = (raw for scope in Envelope(request, MAX_SPANS).scopes() for raw in scope.copies())
    for raw in islice(spans, _LOOKED_AT):
        with suppress(DecodeError):
            name = wire.Span.FromString(raw).name
            if name and name not in names and len(names) < MAX_NAMES:
                names.append(name)


def _bodies(path: Path) -> list[bytes]:
    """The requests in a file: the whole of it, or each of its lines where those are JSON objects."""
    data = path.read_bytes()
    if data.startswith(_GZIP_MAGIC):
        data = _inflated(data)
    if not data:
        raise PermanentError("the file is empty: nothing was exported into it")
    lines = [line for line in data.splitlines() if line.strip()] if data.lstrip()[:1] == b"{" else []
    one_each = len(lines) > 1 and all(line.lstrip()[:1] == b"{" and line.rstrip()[-1:] == b"}" for line in lines)
    return lines if one_each else [data]


def _inflated(data: bytes) -> bytes:
    inflater = zlib.decompressobj(_ANY_WINDOW)
    try:
        inflated = inflater.decompress(data, MAX_BODY_BYTES)
    except zlib.error:
        raise PermanentError("the file starts like gzip but is none") from None
    if not inflater.eof:
        raise PermanentError(f"the gzip stream is cut, or holds more than {MAX_BODY_BYTES >> 20} MiB")
    return inflated


def _told(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
