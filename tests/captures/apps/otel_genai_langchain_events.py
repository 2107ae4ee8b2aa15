"""The official LangChain instrumentation, with its content in log records only."""

import os

os.environ["OTEL_SEMCONV_STABILITY_OPT_IN"] = "gen_ai_latest_experimental"
os.environ["OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"] = "EVENT_ONLY"

from langchain_rag import build
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.instrumentation.genai.langchain import LangChainInstrumentor
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from otlp import exporting
from shop import CASES

with exporting("own-otel-genai-langchain-events") as provider:
    logger_provider = LoggerProvider(resource=provider.resource)
    logger_provider.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter()))
    LangChainInstrumentor().instrument(tracer_provider=provider, logger_provider=logger_provider)
    chain = build()
    for case in CASES:
        chain.invoke(case.question)
    logger_provider.shutdown()
