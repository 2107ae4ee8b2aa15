"""A RAG application as people write them: retrieve, generate, and spans through the real OpenTelemetry SDK.

It knows nothing of groundwatch except the address that its exporter posts to.
"""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.trace import Span

from collector.demo.corpus import DOCUMENTS, Document, Turn

TOP_K = 3
MODEL = "scripted-model"
CHARS_PER_TOKEN = 4
"""About as many as in English text."""

_WORD = re.compile(r"\w{3,}")


class ShopAssistant:
    """Answers customers' questions from the knowledge base; `exporter` is where its spans go."""

    def __init__(self, exporter: SpanExporter, service: str = "shop-assistant") -> None:
        resource = Resource.create({"service.name": service, "deployment.environment": "demo"})
        self._provider = TracerProvider(resource=resource)
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("shop-assistant")

    def ask(self, turn: Turn, model: str = MODEL) -> str:
        """Answer one question; returns the trace id in hex."""
        with self._span("CHAIN", "answer-question") as root:
            root.set_attribute("input.value", turn.question)
            documents = self._retrieve(turn.question)
            root.set_attribute("output.value", self._generate(turn, documents, model))
            return f"{root.get_span_context().trace_id:032x}"

    def close(self) -> None:
        """Send what is still buffered."""
        self._provider.shutdown()

    def _retrieve(self, question: str) -> list[Document]:
        with self._span("RETRIEVER", "search-knowledge-base") as span:
            span.set_attribute("input.value", question)
            wanted = set(_WORD.findall(question.lower()))
            ranked = sorted(DOCUMENTS, key=lambda d: -len(wanted & set(_WORD.findall(d.text.lower()))))
            for rank, document in enumerate(ranked[:TOP_K]):
                span.set_attribute(f"retrieval.documents.{rank}.document.id", document.id)
                span.set_attribute(f"retrieval.documents.{rank}.document.content", document.text)
            return ranked[:TOP_K]

    def _generate(self, turn: Turn, documents: list[Document], model: str) -> str:
        with self._span("LLM", "chat") as span:
            prompt = json.dumps({"question": turn.question, "context": [d.text for d in documents]})
            span.set_attribute("llm.model_name", model)
            span.set_attribute("llm.input_messages.0.message.role", "user")
            span.set_attribute("llm.input_messages.0.message.content", prompt)
            span.set_attribute("llm.output_messages.0.message.role", "assistant")
            span.set_attribute("llm.output_messages.0.message.content", turn.answer)
            span.set_attribute("llm.token_count.prompt", len(prompt) // CHARS_PER_TOKEN)
            span.set_attribute("llm.token_count.completion", len(turn.answer) // CHARS_PER_TOKEN)
            return turn.answer

    @contextmanager
    def _span(self, kind: str, name: str) -> Iterator[Span]:
        with self._tracer.start_as_current_span(name) as span:
            span.set_attribute("openinference.span.kind", kind)
            yield span
