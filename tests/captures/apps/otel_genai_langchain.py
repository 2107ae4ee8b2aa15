"""The official LangChain instrumentation, with its content in span attributes."""

import os

os.environ["OTEL_SEMCONV_STABILITY_OPT_IN"] = "gen_ai_latest_experimental"
os.environ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = "SPAN_ONLY"

from langchain_rag import build
from opentelemetry.instrumentation.genai.langchain import LangChainInstrumentor
from otlp import exporting
from shop import CASES

with exporting("own-otel-genai-langchain") as provider:
    LangChainInstrumentor().instrument(tracer_provider=provider)
    chain = build()
    for case in CASES:
        chain.invoke(case.question)
