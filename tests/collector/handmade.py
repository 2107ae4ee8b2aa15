"""Spans written by hand, and what the reader makes of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue, KeyValueList
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from collector.conventions.reader import TraceReader
from collector.conventions.rules import OperatorRule
from collector.spans import ClosedTrace, KeptSpan, Resource
from evaluators.sample import RagSample

TRACE_ID = bytes.fromhex("0af7651916cd43dd8448eb211c80319c")
MS = 1_000_000
START = 1_700_000_000_000_000_000
QUESTION = "Within how many days can I get a refund?"
ANSWER = "You can get a full refund within 90 days of purchase."
REFUNDS = "Refunds: customers may return any product for a full refund within 30 days of purchase."
SHIPPING = "Shipping: standard delivery takes 3 to 5 business days within the EU."
WARRANTY = "Warranty: every kettle carries a two-year warranty covering the heating element."

Attributes = Mapping[str, object]


@dataclass(frozen=True)
class Made:
    """A span: `number` is its id, `at` and `end` are milliseconds; by default children lie within their parents."""

    number: int
    attributes: Attributes
    parent: int = 0
    name: str = "step"
    at: int | None = None
    end: int | None = None
    failed: bool = False
    dropped: int = 0
    events: Sequence[tuple[str, Attributes]] = ()
    resource: Resource = field(default_factory=lambda: Resource("shop", MappingProxyType({})))

    def raw(self) -> bytes:
        """The serialized span."""
        at = self.number * 10 if self.at is None else self.at
        end = (1000 - self.number if self.parent == 0 else at + 5) if self.end is None else self.end
        return Span(
            trace_id=TRACE_ID,
            span_id=self.number.to_bytes(8, "big"),
            parent_span_id=self.parent.to_bytes(8, "big") if self.parent else b"",
            name=self.name,
            start_time_unix_nano=START + at * MS,
            end_time_unix_nano=START + end * MS,
            attributes=_pairs(self.attributes),
            dropped_attributes_count=self.dropped,
            events=[Span.Event(name=name, attributes=_pairs(attributes)) for name, attributes in self.events],
            status=Status(code=Status.STATUS_CODE_ERROR if self.failed else Status.STATUS_CODE_UNSET),
        ).SerializeToString()


def any_value(value: object) -> AnyValue:
    """A Python value as OTLP has it; None is the empty value."""
    match value:
        case None:
            return AnyValue()
        case bool():
            return AnyValue(bool_value=value)
        case int():
            return AnyValue(int_value=value)
        case float():
            return AnyValue(double_value=value)
        case bytes():
            return AnyValue(bytes_value=value)
        case list() | tuple():
            return AnyValue(array_value=ArrayValue(values=[any_value(item) for item in value]))
        case dict():
            return AnyValue(kvlist_value=KeyValueList(values=_pairs(value)))
    return AnyValue(string_value=str(value))


def _pairs(attributes: Attributes) -> list[KeyValue]:
    return [KeyValue(key=key, value=any_value(value)) for key, value in attributes.items()]


def closed(*spans: Made, dropped: int = 0) -> ClosedTrace:
    """The spans as one closed trace, in the order given."""
    kept = tuple(KeptSpan(span.raw(), span.resource) for span in spans)
    return ClosedTrace(TRACE_ID, kept, "root", 0.0, dropped)


def read(*spans: Made, rules: Sequence[OperatorRule] = (), dropped: int = 0) -> RagSample:
    """What the reader makes of the spans."""
    return TraceReader(rules).read(closed(*spans, dropped=dropped))


def texts(sample: RagSample) -> list[str | None]:
    """The chunks' texts in order."""
    return [chunk.text for chunk in sample.chunks]


def chain(number: int = 1, *, parent: int = 0, asked: object = QUESTION, said: object = ANSWER, **rest: object) -> Made:
    """An OpenInference chain: the application."""
    attributes = {"openinference.span.kind": "CHAIN", "input.value": asked, "output.value": said}
    return Made(number, {key: value for key, value in attributes.items() if value is not None}, parent, **rest)  # type: ignore[arg-type]


def retriever(number: int = 2, *found: str, parent: int = 1, asked: object = QUESTION, **rest: object) -> Made:
    """An OpenInference retriever with flattened documents."""
    attributes: dict[str, object] = {"openinference.span.kind": "RETRIEVER", "input.value": asked}
    attributes |= {f"retrieval.documents.{rank}.document.content": text for rank, text in enumerate(found)}
    return Made(number, attributes, parent, **rest)  # type: ignore[arg-type]


def reranker(number: int, *found: str, parent: int = 1, given: Sequence[str] = (), **rest: object) -> Made:
    """An OpenInference reranker with flattened documents."""
    attributes: dict[str, object] = {"openinference.span.kind": "RERANKER"}
    attributes |= {f"reranker.input_documents.{rank}.document.content": text for rank, text in enumerate(given)}
    attributes |= {f"reranker.output_documents.{rank}.document.content": text for rank, text in enumerate(found)}
    return Made(number, attributes, parent, **rest)  # type: ignore[arg-type]


def model(number: int = 9, said: object = ANSWER, *, parent: int = 1, asked: object = None, **rest: object) -> Made:
    """An OpenInference model call."""
    attributes = {
        "openinference.span.kind": "LLM",
        "llm.model_name": "fake-1",
        "input.value": asked,
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": said,
    }
    return Made(number, {key: value for key, value in attributes.items() if value is not None}, parent, **rest)  # type: ignore[arg-type]
