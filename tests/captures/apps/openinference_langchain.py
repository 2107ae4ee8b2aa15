"""OpenInference's LangChain instrumentation."""

from langchain_rag import build
from openinference.instrumentation.langchain import LangChainInstrumentor
from otlp import exporting
from shop import CASES

with exporting("own-openinference-langchain") as provider:
    LangChainInstrumentor().instrument(tracer_provider=provider)
    chain = build()
    for case in CASES:
        chain.invoke(case.question, config={"metadata": {"session_id": "session-1", "user_id": "user-1"}})
