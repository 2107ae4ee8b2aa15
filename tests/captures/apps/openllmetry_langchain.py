"""OpenLLMetry's LangChain instrumentation."""

from langchain_rag import build
from opentelemetry.instrumentation.langchain import LangchainInstrumentor
from otlp import exporting
from shop import CASES

with exporting("own-openllmetry-langchain") as provider:
    LangchainInstrumentor().instrument(tracer_provider=provider)
    chain = build()
    for case in CASES:
        chain.invoke(case.question)
