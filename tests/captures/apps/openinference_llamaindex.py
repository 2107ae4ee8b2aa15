"""OpenInference's LlamaIndex instrumentation: a query engine with a fake model."""

from typing import Any

from llama_index.core import QueryBundle
from llama_index.core.llms import CompletionResponse, CompletionResponseGen, CustomLLM, LLMMetadata
from llama_index.core.llms.callbacks import llm_completion_callback
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, TextNode
from openinference.instrumentation.llama_index import LlamaIndexInstrumentor
from otlp import exporting
from shop import CASES, case_of, retrieve


class ShopRetriever(BaseRetriever):
    """Finds what `shop` says."""

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [
            NodeWithScore(node=TextNode(id_=name, text=text), score=score)
            for name, text, score in retrieve(query_bundle.query_str)
        ]


class FakeModel(CustomLLM):
    """Says what `shop` says."""

    @property
    def metadata(self) -> LLMMetadata:
        """As the base class wants it."""
        return LLMMetadata(model_name="fake-1")

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        """One answer."""
        return CompletionResponse(text=case_of(prompt).answer)

    @llm_completion_callback()
    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponseGen:
        """The same in one piece."""
        yield self.complete(prompt)


with exporting("own-openinference-llamaindex") as provider:
    LlamaIndexInstrumentor().instrument(tracer_provider=provider)
    engine = RetrieverQueryEngine.from_args(ShopRetriever(), llm=FakeModel())
    for case in CASES:
        engine.query(case.question)
