"""MLflow's tracing, exported by OTLP; MLflow's own spans around a retriever and a model."""

# ruff: noqa: E402  (what is set before the import counts)
import os

# With the general endpoint MLflow would export metrics too.
ENDPOINT = os.environ.pop("OTEL_EXPORTER_OTLP_ENDPOINT")
os.environ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"] = "http/protobuf"
os.environ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] = f"{ENDPOINT}/v1/traces"
os.environ["OTEL_SERVICE_NAME"] = "own-mlflow-tracing"
os.environ["MLFLOW_TRACKING_URI"] = ENDPOINT

import mlflow
from mlflow.entities import Document, SpanType
from shop import CASES, case_of, prompt_of, retrieve


@mlflow.trace(span_type=SpanType.RETRIEVER)
def search(query: str) -> list[Document]:
    """Documents as MLflow has them."""
    return [
        Document(page_content=text, id=name, metadata={"score": score, "doc_uri": f"{name}.md"})
        for name, text, score in retrieve(query)
    ]


@mlflow.trace(span_type=SpanType.CHAT_MODEL)
def chat(messages: list[dict[str, str]]) -> dict[str, object]:
    """A model's answer, as its API gives it."""
    answer = case_of(messages[-1]["content"]).answer
    return {"choices": [{"index": 0, "message": {"role": "assistant", "content": answer}}]}


@mlflow.trace(span_type=SpanType.CHAIN)
def answer(question: str) -> str:
    """The application."""
    texts = [document.page_content for document in search(question)]
    said = chat([{"role": "user", "content": prompt_of(question, texts)}])
    return str(said["choices"][0]["message"]["content"])  # type: ignore[index]


for case in CASES:
    answer(case.question)
