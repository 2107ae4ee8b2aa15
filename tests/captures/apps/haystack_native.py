"""Haystack's own tracing with content: an in-memory store, a prompt builder and a fake generator."""

import os

os.environ["HAYSTACK_CONTENT_TRACING_ENABLED"] = "true"
os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "false"

from haystack import Document, Pipeline, component, tracing
from haystack.components.builders import PromptBuilder
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.document_stores.in_memory import InMemoryDocumentStore
from haystack_integrations.tracing.opentelemetry import OpenTelemetryTracer
from otlp import exporting
from shop import CASES, case_of, prompt_of, retrieve


@component
class ShopGenerator:
    """Says what `shop` says."""

    @component.output_types(replies=list[str])
    def run(self, prompt: str) -> dict[str, list[str]]:
        """One reply."""
        return {"replies": [case_of(prompt).answer]}


def build(question: str) -> Pipeline:
    """A pipeline over a store that holds what is to be found for the question."""
    store = InMemoryDocumentStore()
    store.write_documents([Document(id=name, content=text) for name, text, _ in retrieve(question)])
    pipeline = Pipeline()
    pipeline.add_component("retriever", InMemoryBM25Retriever(store))
    template = prompt_of("{{ question }}", ["{% for one in documents %}{{ one.content }} {% endfor %}"])
    pipeline.add_component("prompt", PromptBuilder(template, required_variables="*"))
    pipeline.add_component("generator", ShopGenerator())
    pipeline.connect("retriever", "prompt.documents")
    pipeline.connect("prompt", "generator")
    return pipeline


with exporting("own-haystack") as provider:
    tracing.enable_tracing(OpenTelemetryTracer(provider.get_tracer("haystack")))
    for case in CASES:
        data = {"retriever": {"query": case.question}, "prompt": {"question": case.question}}
        build(case.question).run(data)
